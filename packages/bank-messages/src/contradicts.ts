import { isCurrencyWord } from './currency.ts'
import type { MessageKind } from './message.ts'
import { normalText } from './normal-text.ts'

/** Beginnings of words, folded. */
const fold = (words: readonly string[]): readonly string[] => words.map((word) => normalText(word).folded)

const refusals = fold([
  ...['отмен', 'отказ', 'отклон', 'отозв', 'возврат', 'неусп', 'неисп', 'невып', 'не выполн', 'сторно', 'скасов'],
  ...['відхил', 'повернен', 'otmen', 'otkaz', 'otklon', 'vozvrat', 'neusp', 'neisp', 'nevyp', 'storno', 'declin'],
  ...['reject', 'revers', 'chargeback', 'cancel', 'refund', 'failed', 'unsuccess', 'iptal', 'iade edil', 'bekor'],
  'qaytaril',
])

const incoming = fold(['зачисл', 'поступил', 'поступлен', 'пополнен'])

/** Words of what has not happened, or of what went out. */
const notYet = fold([
  ...['незач', 'ошиб', 'недостат', 'недоступ', 'блокир', 'запрос', 'ожида', 'списа', 'зачисл', 'удерж', 'холд'],
  ...['код', 'пароль', 'лимит', 'одобрен', 'будет', 'завтра', 'может', 'если', 'подтверд', 'oshib', 'nedostat'],
  ...['blokir', 'zapros', 'ozhida', 'spisa', 'zachisl', 'uderzh', 'budet', 'zavtra', 'podtverd', 'pending'],
  ...['parol', 'password'],
])

const outgoing = [...refusals, ...incoming]
const words: Readonly<Partial<Record<MessageKind, readonly string[]>>> = {
  credit: [...refusals, ...notYet],
  debit: outgoing,
  hold: outgoing,
}

const moneyAt = /(?<!\p{L})\d[.,]?\s?(\p{L}+|[^\s\p{L}\d])/gu

/** Whether a name or a text that others choose says something that a message of this kind does not. */
export const contradicts = (kind: MessageKind, text: string): boolean => {
  const { folded } = normalText(text)
  if (words[kind]?.some((word) => folded.includes(word)) === true) return true
  if (kind !== 'credit') return false
  return [...text.matchAll(moneyAt)].some(([, word = '']) => isCurrencyWord(normalText(word).folded))
}
