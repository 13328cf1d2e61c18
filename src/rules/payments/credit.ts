import { type LockedFeePlan, splitCredit } from '../merchants/fee.ts'
import { account, type Posting } from '../money/ledger.ts'
import type { Payment } from './payment.ts'
import { quoteAmount } from '../money/rate.ts'

/** What a payment's money is worth: the rate and fee plan locked at its creation, and the price of the rest. */
export type CreditBasis = Pick<
  Payment,
  'merchantId' | 'id' | 'currency' | 'quoteCurrency' | 'ratePrice' | 'lockedPart' | 'laterPrice'
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
  const { ratePrice, lockedPart, laterPrice } = basis
  if (lockedPart === null || laterPrice === null || amount <= lockedPart) return quoteAmount(amount, basis, ratePrice)
  return quoteAmount(lockedPart, basis, ratePrice) + quoteAmount(amount - lockedPart, basis, laterPrice)
}

const sharesOf = (basis: CreditBasis, amount: bigint) =>
  splitCredit(worthOf(basis, amount), basis.terms, basis.quoteCurrency)

/**
 * Postings that change the credited amount because of `moved`, money that goes into the exchange or leaves it: that
 * money, and in the quote currency the merchant's share and the fee. Without an exchange they go to the merchant and
 * the fee, or come from there, themselves.
 */
export const postCreditChange = (
  basis: CreditBasis,
  moved: Posting,
  [from, to]: readonly [bigint, bigint],
): Posting[] => {
  const { merchantId, quoteCurrency } = basis
  const exchange = account.exchange(basis.currency)
  const isExchanged = quoteCurrency !== basis.currency
  const other = moved.debit === exchange ? moved.credit : moved.debit
  const given = isExchanged ? exchange : other
  const before = sharesOf(basis, from)
  const after = sharesOf(basis, to)
  const shares = [
    [account.available(merchantId), after.net - before.net],
    [account.fees, after.fee - before.fee],
  ] as const
  const postings = shares.flatMap(([name, change]): Posting[] => {
    if (change === 0n) return []
    const [debit, credit, amount] = change > 0n ? [given, name, change] : [name, given, -change]
    const { transferId } = isExchanged ? { transferId: null } : moved
    return [{ ...moved, debit, credit, currency: quoteCurrency, amount, transferId }]
  })
  return isExchanged ? [moved, ...postings] : postings
}

/**
 * Reverses money with which a payment was credited, because the bank took it back (`returned`, from the exchange):
 * exactly the worth of `credited` less that money stays credited. A reversal of the whole amount also returns the fee.
 */
export const postCreditReversal = (basis: CreditBasis, credited: bigint, returned: Posting): Posting[] =>
  postCreditChange(basis, returned, [credited, credited - returned.amount])
