import { currencyDecimals, quoteCurrency } from './currency.ts'
import { type LockedFeePlan, splitCredit } from './fee.ts'
import { account, type ArrivingMoney, type Posting, posting, type PostingKind, postReturn } from './ledger.ts'
import { quoteAmount } from './rate.ts'

/** What a payment's money is worth: the rate and the fee plan that were locked at its creation. */
export type CreditBasis = {
  readonly merchantId: string
  readonly id: string
  readonly currency: string
  readonly ratePrice: bigint
  readonly terms: LockedFeePlan
}

const sharesOf = (basis: CreditBasis, amount: bigint) =>
  splitCredit(quoteAmount(amount, currencyDecimals(basis.currency), basis.ratePrice), basis.terms)

/** Postings that change the credited fiat amount: the merchant's share and the fee, in the quote currency. */
export const postCreditChange = (
  basis: CreditBasis,
  kind: PostingKind,
  [from, to]: readonly [bigint, bigint],
  documentId: string,
): Posting[] => {
  const exchange = account.exchange(basis.currency)
  const before = sharesOf(basis, from)
  const after = sharesOf(basis, to)
  const of = { merchantId: basis.merchantId, paymentId: basis.id, documentId }
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
 * Reverses money with which a payment was credited, because the bank took it back: exactly the worth of `credited` less
 * that money stays credited. A reversal of the whole amount also returns the fee.
 */
export const postCreditReversal = (
  basis: CreditBasis,
  credited: bigint,
  leaving: ArrivingMoney,
  documentId: string,
): Posting[] => [
  postReturn(basis, basis.currency, leaving, account.exchange(basis.currency), documentId),
  ...postCreditChange(basis, 'return', [credited, credited - leaving.amount], documentId),
]
