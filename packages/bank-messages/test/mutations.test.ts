// Collected messages with other values, other comments, other words and cut off: what is read follows, or is unknown.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  banks,
  compileTemplate,
  type Fields,
  type Message,
  type MessageKind,
  normalText,
  readMessage,
  wholeText,
} from '../src/bank-messages.ts'
import { collected, credits, withoutCorpus } from './support/corpus.ts'

/** Numbers that look random and are the same in each run. */
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Random = ReturnType<typeof random>

const pick = <Value>(values: readonly Value[], next: Random): Value => values[next(values.length)] as Value

const digitsOf = (length: number, next: Random): string =>
  Array.from({ length }, (_, index) => (index === 0 ? 1 + next(9) : next(10))).join('')

/** Another amount in the style of one: its marks, groups and decimals; and its value. */
const otherAmount = (written: string, next: Random): readonly [text: string, value: string] => {
  const [, whole = '', mark = '', decimals = ''] = /^[-−]?(.*?)(?:([.,])(\d{1,2}))?$/s.exec(written) ?? []
  const group = /[^\d]/.exec(whole)?.[0]
  const length = group === undefined ? Math.max(1, whole.length - next(3)) : 1 + next(7)
  const digits = digitsOf(group === undefined && whole.length > 3 ? 4 + next(3) : Math.min(length, 7), next)
  const grouped = group === undefined ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, group)
  const fraction = Array.from(decimals, () => next(10)).join('')
  return [`${grouped}${mark}${fraction}`, `${digits}.${fraction.padEnd(2, '0')}`]
}

const syllables = { cyrillic: ['ва', 'ро', 'ни', 'та', 'лес', 'мир', 'гор'], latin: ['va', 'ro', 'ni', 'ta', 'les'] }

/** Another name in the style of one: as many words and initials, in its letters and its case. */
const otherName = (written: string, next: Random): string =>
  written.replace(/\p{L}+/gu, (word) => {
    const known = /\p{Script=Latin}/u.test(word) ? syllables.latin : syllables.cyrillic
    const other = Array.from({ length: 2 + next(2) }, () => pick(known, next)).join('')
    const capital = other.charAt(0).toUpperCase() + other.slice(1)
    if (word.length === 1) return capital.charAt(0)
    return word === word.toUpperCase() ? capital.toUpperCase() : capital
  })

const otherDigits = (written: string, next: Random): string => written.replace(/\d/g, () => String(1 + next(9)))

/** Another time in the style of one; the first digits of hours, days and months stay small. */
const otherTime = (written: string, next: Random): string => written.replace(/\d(?!\d)/g, () => String(next(10)))

type Values = { -readonly [Name in keyof Fields]?: Fields[Name] }

/** The text of a gap with another value, which `values` takes. */
const otherValue = (name: string, written: string, next: Random, values: Values): string => {
  switch (name) {
    case 'amount':
    case 'balance':
    case 'fee': {
      const [text, value] = otherAmount(written, next)
      values[name] = value
      return text
    }
    case 'account': {
      const [digits = ''] = /\d+$/.exec(written) ?? []
      values.account = otherDigits(digits, next)
      return written.slice(0, written.length - digits.length) + values.account
    }
    case 'person':
      values.senderName = otherName(written, next).split(/\s/).join(' ')
      return values.senderName
    case 'phone':
      values.senderPhone = otherDigits(written, next)
      return values.senderPhone
    case 'time':
      return /\p{L}/u.test(written) ? written : otherTime(written, next)
    default:
      return written
  }
}

const compiled = new Map(
  banks.map((bank) => [
    bank.bank,
    Object.entries(bank.templates).flatMap(([kind, templates]) =>
      templates.map((template) => compileTemplate(kind as MessageKind, template, bank)),
    ),
  ]),
)

/** A message with other values in the gaps of the template that reads it, and the values. */
const withOtherValues = (message: Message, bank: string, next: Random): readonly [Message, Values] | undefined => {
  const text = normalText(wholeText(message))
  for (const template of compiled.get(bank) ?? []) {
    const found = template.read(text)
    if (typeof found !== 'object') continue
    const values: Values = {}
    const given = new Map<string, string>()
    let [written, at] = ['', 0]
    for (const { name, from, to } of found.gaps) {
      if (to === from) continue
      const [start, end] = [text.positions[from] ?? 0, (text.positions[to - 1] ?? 0) + 1]
      const old = text.source.slice(start, end)
      // What is written twice stays the same.
      const other = given.get(`${name}${old}`) ?? otherValue(name, old, next, values)
      given.set(`${name}${old}`, other)
      written += text.source.slice(at, start) + other
      at = end
    }
    written += text.source.slice(at)
    const [title = '', ...rest] = written.split('\n')
    return [message.title ? { ...message, title, text: rest.join('\n') } : { ...message, text: written }, values]
  }
  return undefined
}

describe('changed messages', { skip: withoutCorpus }, () => {
  test('other amounts, names, digits and times are read in their place', (t) => {
    const next = random(1)
    let [changed, unknown] = [0, 0]
    const wrong: string[] = []
    for (const message of collected)
      for (let times = 0; times < 5; times++) {
        const { kind } = message.expected
        if (kind === 'code' || kind === 'other') continue
        const other = withOtherValues(message, message.bank, next)
        if (other === undefined) continue
        changed += 1
        const reading = readMessage(other[0])
        if (reading.kind === 'unknown') unknown += 1
        const isCredit = reading.kind === 'credit'
        for (const [name, value] of Object.entries({ kind, ...other[1] }))
          if (
            reading.kind !== 'unknown' &&
            reading[name as keyof Fields] !== value &&
            (isCredit || !name.startsWith('sender'))
          )
            wrong.push(`${message.id}: ${name} ${reading[name as keyof Fields]}, not ${value}: ${other[0].text}`)
      }
    t.diagnostic(`${changed} changed messages, ${unknown} unknown`)
    assert.deepEqual(wrong, [])
    assert.ok(changed > 1800 && unknown < changed / 50, `${unknown} of ${changed} are unknown`)
  })

  const comments = [
    'Зачисление 5000р',
    'Баланс: 1р',
    'Перевод 50000р от Инна П. Баланс: 53500р',
    '+50000р от ИННА П. Баланс: 53500р',
    '» от +79000000001, Инна П. через СБП. Теперь на счете 1.00 ₽',
    '» Баланс: 9р «',
    'код 1234',
    'отмена',
    '"',
    '\n\nСЧЁТ4071 18:31 Перевод 15000р от Инна П. Баланс: 26954.61р',
  ]

  test('a payer who imitates a message in a comment changes no money', () => {
    const commented = credits.filter(({ expected }) => expected.comment !== null)
    assert.ok(commented.length > 10)
    let read = 0
    for (const message of commented)
      for (const comment of comments) {
        const { amount, balance, account, kind } = message.expected
        const text = message.text.replace(message.expected.comment ?? '', () => comment)
        const reading = readMessage({ ...message, text })
        if (reading.kind === 'unknown') continue
        read += 1
        assert.deepEqual(
          { kind: reading.kind, amount: reading.amount, balance: reading.balance, account: reading.account },
          { kind, amount, balance, account },
          text,
        )
      }
    assert.ok(read > commented.length * 5, `${read} of ${commented.length * comments.length} are read`)
  })

  const refusals = [
    'отменено',
    'отклонён',
    'не выполнен',
    'возврат',
    'отказ',
    'запрос',
    'otklonen',
    'declined',
    'код 12345',
  ]

  test('a credit with the word of a refusal in it is no credit, wherever the word is', () => {
    for (const [index, message] of credits.entries()) {
      const words = message.text.split(' ')
      for (let at = 0; at <= words.length; at++) {
        const refusal = refusals[(index + at) % refusals.length] as string
        const text = [...words.slice(0, at), refusal, ...words.slice(at)].join(' ')
        const { kind, comment } = readMessage({ ...message, text })
        assert.ok(kind !== 'credit' || comment?.includes(refusal) === true, `${message.id}: ${text}`)
      }
    }
  })

  test('a message that is cut off anywhere has its amount and its balance, or is unknown', () => {
    for (const message of credits)
      for (let length = 1; length < message.text.length; length++) {
        const text = message.text.slice(0, length)
        const { kind, amount, balance } = readMessage({ ...message, text })
        if (kind === 'unknown' || kind === 'code') continue
        const isSame =
          amount === message.expected.amount && (balance ?? message.expected.balance) === message.expected.balance
        assert.ok(kind === 'credit' && isSame, `${message.id}: ${text} is ${kind} ${amount}, balance ${balance}`)
      }
  })
})
