// Makes a template from one message in which a person has marked what is what.
import { compileTemplate } from './compile-template.ts'
import { currencyWordsOf } from './currency.ts'
import { type Fields, type Message, type MessageKind, noFields } from './message.ts'
import { normalText } from './normal-text.ts'
import { escapeTemplate, type TemplateBank } from './parse-template.ts'
import { wholeText } from './whole-text.ts'

/** What can be marked: a field, whose currency is found next to it, or a text that differs and is no field. */
export const markedFields = [
  ...(['amount', 'balance', 'fee', 'account', 'senderName', 'senderBank', 'senderPhone', 'at', 'comment'] as const),
  'text',
] as const satisfies readonly (Exclude<keyof Fields, 'currency'> | 'text')[]
export type MarkedField = (typeof markedFields)[number]

/** A part of a message's text (`wholeText`), from one character to before another. */
export type Mark = { readonly field: MarkedField; readonly from: number; readonly to: number }

/** A template that reads its message as marked, or why there is none. */
export type Taught =
  | {
      readonly template: string
      readonly fields: Fields
      /** Numbers that nobody has marked, so that the template only reads messages with the same ones. */
      readonly fixed: readonly string[]
    }
  | { readonly fault: string }

/** A text of a bank has far fewer: each may be several texts, so each makes it take longer to compare others with it. */
const mostMarks = 20
const mostSize = 20_000

type Piece = { readonly from: number; readonly to: number; readonly gap: string }

const moneyGaps: ReadonlySet<string> = new Set<MarkedField>(['amount', 'balance', 'fee'])

/** The word at a place, in letters or as one sign. */
const wordAt = (text: string, at: number): string =>
  /^(?:[\p{L}']{1,12}|[^\s\p{L}\d])/u.exec(text.slice(at, at + 12))?.[0] ?? ''
const spacesAt = (text: string, at: number): number => /^\s{0,8}/.exec(text.slice(at, at + 8))?.[0].length ?? 0

const moneyPiece = (text: string, { field, from, to }: Mark, bank: TemplateBank): Piece | undefined => {
  const [number] = /\d(?:[\d\s.,']{0,40}\d)?/.exec(text.slice(from, to)) ?? []
  if (number === undefined) return undefined
  const start = from + text.slice(from, to).indexOf(number)
  const isNegative = field === 'balance' && /[-−–]/.test(text.slice(start - 1, start))
  const end = start + number.length
  const words = new Set(currencyWordsOf(bank.currency, bank.currencyWords).map(([word]) => word))
  const currencyAt = end + spacesAt(text, end)
  const currency = wordAt(text, currencyAt)
  const begin = isNegative ? start - 1 : start
  if (words.has(normalText(currency).folded)) {
    const after = currencyAt + currency.length
    return { from: begin, to: text[after] === '.' ? after + 1 : after, gap: `{${field}}` }
  }
  const [before = ''] = /(?:[\p{L}]{1,12}|[^\s\p{L}\d])\s?$/u.exec(text.slice(Math.max(0, start - 12), start)) ?? []
  return words.has(normalText(before).folded)
    ? { from: start - before.length, to: end, gap: `{${field}:before}` }
    : { from: begin, to: end, gap: `{${field}:bare}` }
}

/** The narrowest of some gaps that a text fills. */
const narrowest = (gaps: readonly string[], value: string, bank: TemplateBank): string | undefined =>
  gaps.find((gap) => compileTemplate('other', gap, bank).read(normalText(value)) !== undefined)

const gapsOfFields: Readonly<Record<string, readonly string[]>> = {
  account: ['{account}', '{contract}'],
  senderName: ['{person}', '{person:open}', '{name}', '{payer}'],
  senderBank: ['{bank}'],
  senderPhone: ['{phone}'],
  at: ['{time}'],
  comment: ['{comment}'],
  text: ['{digits}', '{word}', '{text}'],
}

const pieceOf = (text: string, mark: Mark, bank: TemplateBank): Piece | undefined => {
  if (moneyGaps.has(mark.field)) return moneyPiece(text, mark, bank)
  // The mask before the digits belongs to the gap.
  const mask = mark.field === 'account' ? (/[*•·#]{1,8}\s?$/.exec(text.slice(0, mark.from))?.[0].length ?? 0) : 0
  const from = mark.from - mask
  const gap = narrowest(gapsOfFields[mark.field] ?? [], text.slice(from, mark.to), bank)
  return gap === undefined ? undefined : { from, to: mark.to, gap }
}

const moments = /\d{1,2}:\d{2}(?::\d{2})?|\d{1,4}[./-]\d{1,2}[./-]\d{2,4}/g

/**
 * What reading ignores (`normalText`) is left out, so that a template looks like what it is: some of these characters
 * change the direction of writing, and would show its gaps in another order.
 */
const invisible = /(?!\s)[\p{Cf}\p{Cc}\uFE0E\uFE0F]/gu

const plain = (text: string): { readonly template: string; readonly fixed: readonly string[] } => {
  const literals = text.split(moments)
  return {
    template: literals.map(escapeTemplate).join('{moment}').replaceAll(invisible, ''),
    fixed: literals.flatMap((each) => each.match(/\d+/g) ?? []),
  }
}

/**
 * Makes a template from a message and its marks. What is not marked is the bank's own text, except times. Try it on
 * other messages with `compileTemplate`, and read with it by `createReader`.
 */
export const teach = (message: Message, kind: MessageKind, marks: readonly Mark[], bank: TemplateBank): Taught => {
  if (marks.length > mostMarks) return { fault: `There are more than ${mostMarks} marks` }
  const text = wholeText(message)
  const pieces: Piece[] = []
  for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
    const piece = pieceOf(text, mark, bank)
    if (piece === undefined) return { fault: `${JSON.stringify(text.slice(mark.from, mark.to))} is not ${mark.field}` }
    if (piece.from < (pieces.at(-1)?.to ?? 0)) return { fault: `The mark of ${mark.field} overlaps another one` }
    pieces.push(piece)
  }
  if (kind === 'credit' && !marks.some(({ field }) => field === 'amount')) return { fault: 'A credit needs an amount' }
  // Any text may be that of another operation.
  if (kind === 'credit' && marks.some(({ field }) => field === 'text'))
    return { fault: 'A credit has no text that is no field: mark the name, the bank or the comment' }
  let [template, at] = ['', 0]
  const fixed: string[] = []
  let own = ''
  for (const { from, to, gap } of [...pieces, { from: text.length, to: text.length, gap: '' }]) {
    const before = plain(text.slice(at, from))
    template += before.template + gap
    fixed.push(...before.fixed)
    own += `${text.slice(at, from)} `
    at = to
  }
  if (!/\p{L}{3}/u.test(own))
    return { fault: 'Some words of the bank must be left: with all of them marked, any text fits' }
  const { size, read } = compileTemplate(kind, template, bank)
  if (size > mostSize) return { fault: 'There are too many marks and times' }
  const found = read(normalText(text))
  if (typeof found !== 'object') return { fault: 'The text has several meanings with these marks' }
  const missing = marks.find(({ field }) => field !== 'text' && found.fields[field] === noFields[field])
  if (missing !== undefined) return { fault: `A ${kind} has no ${missing.field}` }
  return { template, fields: found.fields, fixed }
}
