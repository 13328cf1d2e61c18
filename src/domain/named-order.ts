import type { IncomingTransfer } from './candidate.ts'
import { currencyDecimals } from './currency.ts'
import { findCodes, paymentCode } from './payment-code.ts'
import type { Payment } from './payment.ts'

/** A run of letters or of digits in a text. `gap` is what separates it from the run before, `''` if nothing does. */
type Run = { readonly text: string; readonly gap: string }

// Cyrillic letters that look like Latin ones: banks and payers mix them up.
const alike: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
}

/** The runs of a text in lower case, with all look-alike letters in Latin. */
const runsOf = (text: string): Run[] => {
  let end = 0
  const folded = text
    .replaceAll('№', '#')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[авекмнорстух]/g, (letter) => alike[letter] ?? letter)
  return [...folded.matchAll(/\p{L}+|\p{N}+/gu)].map((found) => {
    const gap = folded.slice(end, found.index)
    end = found.index + found[0].length
    return { text: found[0], gap }
  })
}

const isDigits = (text: string): boolean => /^\p{N}+$/u.test(text)
const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

/** A shorter number alone is more likely a day, a flat or a count than an order. */
const shortestNumber = 4
const shortestName = 4

const isDistinct = (id: readonly Run[]): boolean => {
  const length = id.reduce((sum, { text }) => sum + text.length, 0)
  const hasDigits = id.some(({ text }) => isDigits(text))
  return hasDigits && length >= (id.length === 1 ? shortestNumber : shortestName)
}

/** A part of a number, a date or an amount begins or goes on at a dot or the like between digits. */
const continuesNumber = (before: Run | undefined, after: Run | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  isDigits(before.text) &&
  isDigits(after.text) &&
  /^[.,:/-]$/.test(after.gap)

/** Where an order is named in a text, and whether exactly as its merchant writes it. */
type Mention = { readonly from: number; readonly to: number; readonly isExact: boolean }

const mentionAt = (text: readonly Run[], from: number, id: readonly Run[]): Mention | undefined => {
  const to = from + id.length
  const found = text.slice(from, to)
  const equal =
    found.length === id.length &&
    found.every((run, index) => {
      const wanted = id[index]?.text ?? ''
      return run.text === wanted || (isDigits(run.text) && withoutZeros(run.text) === withoutZeros(wanted))
    })
  if (!equal || (from > 0 && text[from]?.gap === '')) return undefined
  const [first, last, next] = [text[from], text[to - 1], text[to]]
  const isGlued = next?.gap === ''
  const isNumber = id.length === 1
  // `306x` may be 306 with something behind it; `1001p` is an amount, and a letter at the end may go on with a number.
  if (isGlued && (isNumber || !isDigits(last?.text ?? ''))) return undefined
  if (isNumber && (continuesNumber(text[from - 1], first) || continuesNumber(last, next))) return undefined
  const isExact = !isGlued && found.every((run, index) => run.text === id[index]?.text)
  return isNumber && !isExact ? undefined : { from, to, isExact }
}

const mentionsOf = (text: readonly Run[], id: readonly Run[], amount: string): Mention[] => {
  if (!isDistinct(id) || (id.length === 1 && withoutZeros(id[0]?.text ?? '') === amount)) return []
  return text.flatMap((_, from) => mentionAt(text, from, id) ?? [])
}

const contains = (outer: Mention, inner: Mention): boolean => outer.from <= inner.from && inner.to <= outer.to

/** Whether another mention says better what the same words mean: a longer one, or the exact one. */
const isOutdone = (one: Mention, other: Mention): boolean =>
  contains(other, one) && (!contains(one, other) || (other.isExact && !one.isExact))

/** Whether a text can name an order at all; most texts of banks have no number. */
export const mayNameOrder = (text: string | null | undefined): boolean => /\p{N}/u.test(text ?? '')

/**
 * The payments whose order, id or code a transfer's text names; an order in any spelling that banks make of it:
 * `SHOP-00306` is also `SHOP00306`, `shop 00306` and `SHOP-306`. Where such a spelling may mean several payments, it names
 * none of them. Numbers that are a date, an amount or a part of one name nothing.
 */
export const namedOrders = <Each extends Pick<Payment, 'id' | 'orderId'>>(
  { text, amount, currency }: Pick<IncomingTransfer, 'text' | 'amount' | 'currency'>,
  payments: readonly Each[],
): ReadonlySet<Each> => {
  if (!mayNameOrder(text)) return new Set()
  const runs = runsOf(text ?? '')
  const whole = String(amount / 10n ** BigInt(currencyDecimals(currency)))
  const found = payments.flatMap((payment) =>
    [payment.orderId, payment.id].flatMap((id) =>
      mentionsOf(runs, runsOf(id), whole).map((mention) => ({ payment, mention })),
    ),
  )
  const best = found.filter(({ mention }) => !found.some((other) => isOutdone(mention, other.mention)))
  const isSure = ({ payment, mention }: (typeof best)[number]): boolean =>
    mention.isExact ||
    !best.some(
      (other) => other.payment !== payment && contains(other.mention, mention) && contains(mention, other.mention),
    )
  const codes = findCodes(text ?? '')
  const coded = codes.size === 0 ? [] : payments.filter(({ id }) => codes.has(paymentCode(id)))
  return new Set([...best.filter(isSure).map(({ payment }) => payment), ...coded])
}
