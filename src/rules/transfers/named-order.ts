import type { IncomingTransfer } from './candidate.ts'
import { currencyDecimals } from '../values/currency.ts'
import { findCodes, paymentCode } from '../payments/payment-code.ts'
import { foldLookAlikes } from '../values/look-alikes.ts'
import type { Payment } from '../payments/payment.ts'

/** A run of letters or of digits, and the `gap` before it; `key` is equal for runs that may be meant to be one. */
type Run = { readonly text: string; readonly gap: string; readonly key: string }

const isDigits = (text: string): boolean => /^\p{N}+$/u.test(text)
const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

/** The runs of a text in lower case, with all look-alike letters in Latin. */
const runsOf = (text: string): Run[] => {
  let end = 0
  const folded = foldLookAlikes(text.replaceAll('№', '#').normalize('NFKC'))
  return [...folded.matchAll(/\p{L}+|\p{N}+/gu)].map((found) => {
    const gap = folded.slice(end, found.index)
    end = found.index + found[0].length
    return { text: found[0], gap, key: withoutZeros(found[0]) }
  })
}

type OrderName = { readonly runs: readonly Run[]; readonly isNumber: boolean }

/** A shorter id is more likely a day, a flat or a count. */
const shortestName = 4
/** A number of this length needs no word before it that says what it is. */
const shortestNumber = 6
/** The beginnings of words that say what a number is. */
const announcing = ['заказ', 'order', 'счет', 'счёт', 'invoice', 'бронь'].map((word) => runsOf(word)[0]?.text ?? word)

const readOrder = (id: string): OrderName | undefined => {
  const runs = runsOf(id)
  const length = runs.reduce((sum, { text }) => sum + text.length, 0)
  const hasDigits = runs.some(({ text }) => isDigits(text))
  return hasDigits && length >= shortestName ? { runs, isNumber: runs.every(({ text }) => isDigits(text)) } : undefined
}

/** The orders that were read of payments: many texts are compared with the same ones. */
const read = new WeakMap<object, OrderName | undefined>()

const orderOf = (payment: Pick<Payment, 'orderId'>): OrderName | undefined => {
  if (!read.has(payment)) read.set(payment, readOrder(payment.orderId))
  return read.get(payment)
}

/** Whether two runs are parts of one number, date or amount. */
const areOneNumber = (before: Run | undefined, after: Run | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  isDigits(before.text) &&
  isDigits(after.text) &&
  /^[.,:/-]$/.test(after.gap)

/** Whether a number is announced as an order, or long enough to be one; the end of a card's number is none. */
const isOrderNumber = (text: readonly Run[], from: number, { runs }: OrderName): boolean => {
  const gap = text[from]?.gap ?? ''
  if (/[*•]/.test(gap)) return false
  const length = runs.reduce((sum, run) => sum + run.text.length, 0)
  const before = text[from - 1]?.text ?? ''
  return length >= shortestNumber || gap.includes('#') || announcing.some((word) => before.startsWith(word))
}

/** Where an order is named in a text, and whether exactly as its merchant writes it. */
type Mention = { readonly from: number; readonly to: number; readonly isExact: boolean }

const mentionAt = (text: readonly Run[], from: number, order: OrderName): Mention | undefined => {
  const { runs, isNumber } = order
  if (!runs.every(({ key }, index) => text[from + index]?.key === key)) return undefined
  if (from > 0 && text[from]?.gap === '') return undefined
  const to = from + runs.length
  const found = text.slice(from, to)
  const [first, last, next] = [text[from], text[to - 1], text[to]]
  if (areOneNumber(text[from - 1], first) || areOneNumber(last, next)) return undefined
  const isGlued = next?.gap === ''
  // `306x` may be 306 with something behind it; `1001p` is an amount, and a letter at the end may go on with a number.
  if (isGlued && (isNumber || !isDigits(last?.text ?? ''))) return undefined
  const isExact = !isGlued && found.every((run, index) => run.text === runs[index]?.text)
  if (!isNumber) return { from, to, isExact }
  // The parts of a number are separated as in the id: `2500,00` is not the order 2500-00.
  const isSame = isExact && found.every((run, index) => index === 0 || run.gap === runs[index]?.gap)
  return isSame && isOrderNumber(text, from, order) ? { from, to, isExact } : undefined
}

/** More mentions of one order in a text say no more. */
const mostMentions = 3

const mentionsOf = (text: readonly Run[], order: OrderName | undefined, amount: string): Mention[] => {
  if (!order || (order.runs.length === 1 && order.runs[0]?.key === amount)) return []
  const found: Mention[] = []
  for (let from = 0; from < text.length && found.length < mostMentions; from++) {
    const mention = mentionAt(text, from, order)
    if (mention) found.push(mention)
  }
  return found
}

/** The payments of one merchant that may be meant by some words of a text. */
type Meant<Each> = { readonly from: number; readonly to: number; readonly exact: Each[]; readonly alike: Each[] }

/** The payments of one merchant that a text names: of words that are part of a longer name, only that one. */
const namedOfMerchant = <Each extends Pick<Payment, 'orderId'>>(
  text: readonly Run[],
  amount: string,
  payments: readonly Each[],
): Each[] => {
  const words = new Map<string, Meant<Each>>()
  for (const payment of payments) {
    for (const { from, to, isExact } of mentionsOf(text, orderOf(payment), amount)) {
      const key = `${from} ${to}`
      const meant = words.get(key) ?? { from, to, exact: [], alike: [] }
      words.set(key, meant)
      meant[isExact ? 'exact' : 'alike'].push(payment)
    }
  }
  const all = [...words.values()]
  const isPart = ({ from, to }: Meant<Each>): boolean =>
    all.some((each) => each.from <= from && to <= each.to && to - from < each.to - each.from)
  return all.flatMap((meant) => {
    if (isPart(meant)) return []
    if (meant.exact.length > 0) return meant.exact
    // A spelling that may mean several names none of them.
    return meant.alike.length === 1 ? meant.alike : []
  })
}

/** Whether a text can name an order at all; most texts of banks have no number. */
export const mayNameOrder = (text: string | null | undefined): boolean => /\p{N}/u.test(text ?? '')

/**
 * The payments whose order a transfer's text names, in any spelling that banks make of it: `SHOP-00306` is also
 * `SHOP00306`, `shop 00306` and `SHOP-306`. Where such a spelling may mean several payments of a merchant, it names none
 * of them. Numbers that are a date, an amount, the end of a card's number or a part of one name nothing.
 */
export const namedOrders = <Each extends Pick<Payment, 'merchantId' | 'orderId'>>(
  { text, amount, currency }: Pick<IncomingTransfer, 'text' | 'amount' | 'currency'>,
  payments: readonly Each[],
): ReadonlySet<Each> => {
  if (!mayNameOrder(text)) return new Set()
  const runs = runsOf(text ?? '')
  const whole = String(amount / 10n ** BigInt(currencyDecimals(currency)))
  const byMerchant = Map.groupBy(payments, ({ merchantId }) => merchantId)
  return new Set([...byMerchant.values()].flatMap((own) => namedOfMerchant(runs, whole, own)))
}

/** The payments whose id a text has, or whose code, if their payers have been shown one. */
export const codedPayments = <Each extends Pick<Payment, 'id' | 'isPayerNamed'>>(
  { text }: Pick<IncomingTransfer, 'text'>,
  payments: readonly Each[],
): ReadonlySet<Each> => {
  if (!mayNameOrder(text)) return new Set()
  const codes = findCodes(text ?? '')
  const folded = (text ?? '').toLowerCase()
  return new Set(
    payments.filter(
      ({ id, isPayerNamed }) => (isPayerNamed && codes.size > 0 && codes.has(paymentCode(id))) || folded.includes(id),
    ),
  )
}

type Nameable = Pick<Payment, 'id' | 'merchantId' | 'orderId' | 'isPayerNamed'>

/** The payments that a text names: of each merchant those whose code or id it has, else those of the orders it names. */
export const namedPayments = <Each extends Nameable>(
  transfer: Pick<IncomingTransfer, 'text' | 'amount' | 'currency'>,
  payments: readonly Each[],
): ReadonlySet<Each> => {
  const coded = codedPayments(transfer, payments)
  const merchants = new Set([...coded].map(({ merchantId }) => merchantId))
  const others = payments.filter(({ merchantId }) => !merchants.has(merchantId))
  return new Set([...coded, ...namedOrders(transfer, others)])
}

/** What this many senders write is not the order of one. */
const fewestSenders = 5

/** Those of the payments that many senders name: by a word of the bank, of the account or of everybody. */
export const namedByMany = <Each extends Nameable>(
  { otherTexts = [], amount, currency }: Pick<IncomingTransfer, 'otherTexts' | 'amount' | 'currency'>,
  payments: readonly Each[],
): ReadonlySet<Each> => {
  const senders = new Map(payments.map((each) => [each, new Set<string>()]))
  const isByMany = (each: Each): boolean => (senders.get(each)?.size ?? 0) >= fewestSenders
  for (const { sender, text } of otherTexts) {
    if (payments.every(isByMany)) break
    for (const each of namedPayments({ text, amount, currency }, payments)) senders.get(each)?.add(sender)
  }
  return new Set(payments.filter(isByMany))
}
