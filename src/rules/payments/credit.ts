import { currencyDecimals, quoteCurrency } from '../values/currency.ts'
import { type LockedFeePlan, splitCredit } from '../merchants/fee.ts'
import { account, type Posting, posting, type PostingKind } from '../money/ledger.ts'
import type { Payment } from './payment.ts'
import { quoteAmount } from '../money/rate.ts'

/** What a payment's money is worth: the rate and fee plan locked at its creation, and the price of the rest. */
export type CreditBasis = Pick<
  Payment,
  'merchantId' | 'id' | 'currency' | 'ratePrice' | 'lockedPart' | 'laterPrice'
> & {
  readonly terms: LockedFeePlan
}

/** The price of all of a credit, or of what exceeds `lockedPart`. */
export type CreditPrice = Pick<Payment, 'lockedPart' | 'laterPrice'>

/**
 * How a credit is priced: of `credited`, what came in time and does not exceed the amount is worth the locked rate. The
 * rest is worth the worse of that rate, the current one, and the price at which it was credited before (docs/domain.md
 * §8.2).
 */
export const priceCredit = (
  { amount, ratePrice, laterPrice: before, terms }: Payment,
  { credited, inTime }: { readonly credited: bigint; readonly inTime: bigint },
  currentPrice: bigint,
): CreditPrice => {
  const [lockedPart = credited] = [amount, inTime, credited].toSorted((a, b) => Number(a - b))
  const [laterPrice = ratePrice] = [ratePrice, currentPrice, before ?? ratePrice].toSorted((a, b) => Number(b - a))
  const isLocked = terms.ratePolicy === 'locked' || lockedPart === credited || laterPrice === ratePrice
  return isLocked ? { lockedPart: null, laterPrice: null } : { lockedPart, laterPrice }
}

/** What a credited fiat amount is worth before the fee. */
export const worthOf = (basis: Omit<CreditBasis, 'terms'>, amount: bigint): bigint => {
  const { currency, ratePrice, lockedPart, laterPrice } = basis
  const decimals = currencyDecimals(currency)
  if (lockedPart === null || laterPrice === null || amount <= lockedPart)
    return quoteAmount(amount, decimals, ratePrice)
  return quoteAmount(lockedPart, decimals, ratePrice) + quoteAmount(amount - lockedPart, decimals, laterPrice)
}

const sharesOf = (basis: CreditBasis, amount: bigint) => splitCredit(worthOf(basis, amount), basis.terms)

/** Postings that change the credited fiat amount: the merchant's share and the fee, in the quote currency. */
export const postCreditChange = (
  basis: CreditBasis,
  kind: PostingKind,
  [from, to]: readonly [bigint, bigint],
  documentId?: string,
): Posting[] => {
  const exchange = account.exchange(basis.currency)
  const before = sharesOf(basis, from)
  const after = sharesOf(basis, to)
  const document = documentId === undefined ? {} : { documentId }
  const of = { merchantId: basis.merchantId, paymentId: basis.id, ...document }
  const move = (name: string, change: bigint): Posting =>
    change > 0n
      ? posting(kind, [exchange, name], { currency: quoteCurrency, amount: change }, of)
      : posting(kind, [name, exchange], { currency: quoteCurrency, amount: -change }, of)
  return [
    move(account.available(basis.merchantId), after.net - before.net),
    move(account.fees, after.fee - before.fee),
  ].filter(({ amount }) => amount > 0n)
}

/**
 * Reverses money with which a payment was credited, because the bank took it back (`returned`): exactly the worth of
 * `credited` less that money stays credited. A reversal of the whole amount also returns the fee.
 */
export const postCreditReversal = (basis: CreditBasis, credited: bigint, returned: Posting): Posting[] => [
  returned,
  ...postCreditChange(basis, 'return', [credited, credited - returned.amount], returned.documentId),
]
