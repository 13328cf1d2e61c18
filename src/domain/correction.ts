import { currencyDecimals, quoteCurrency } from './currency.ts'
import { type LockedFeePlan, splitCredit } from './fee.ts'
import { account, type ArrivingMoney, type Posting, type PostingKind, postReturn } from './ledger.ts'
import { quoteAmount } from './rate.ts'

/** What may become of money that a payment could not take: to the merchant, back to the payer, or to the operator. */
export const overpaymentDecisions = ['assign', 'refund', 'write-off'] as const
/** One of `overpaymentDecisions`. */
export type OverpaymentDecision = (typeof overpaymentDecisions)[number]

/** Of a payment, what its money is worth: the rate and the fee plan that were locked at its creation. */
export type CreditBasis = {
  readonly merchantId: string
  readonly id: string
  readonly currency: string
  readonly ratePrice: bigint
  readonly terms: LockedFeePlan
}

const sharesOf = (basis: CreditBasis, amount: bigint) =>
  splitCredit(quoteAmount(amount, currencyDecimals(basis.currency), basis.ratePrice), basis.terms)

/** Postings in the quote currency that move the shares of a credit from those of one fiat amount to those of another. */
const moveShares = (basis: CreditBasis, kind: PostingKind, from: bigint, to: bigint, documentId: string): Posting[] => {
  const exchange = account.exchange(basis.currency)
  const before = sharesOf(basis, from)
  const after = sharesOf(basis, to)
  const move = (name: string, change: bigint): Posting => ({
    merchantId: basis.merchantId,
    kind,
    debit: change > 0n ? exchange : name,
    credit: change > 0n ? name : exchange,
    currency: quoteCurrency,
    amount: change > 0n ? change : -change,
    paymentId: basis.id,
    transferId: null,
    documentId,
  })
  return [
    move(account.available(basis.merchantId), after.net - before.net),
    move(account.fees, after.fee - before.fee),
  ].filter((posting) => posting.amount > 0n)
}

/**
 * Part of an overpayment leaves the liability to its payer. Assigned, it is credited to the merchant as a credit of its
 * own, at the payment's rate and fee plan; refunded, it leaves the bank account of `requisiteId`; written off, it
 * becomes the operator's.
 */
export const postDecision = (
  basis: CreditBasis,
  decision: OverpaymentDecision,
  amount: bigint,
  document: { readonly id: string; readonly requisiteId: string | null },
): Posting[] => {
  const { merchantId, id: paymentId, currency } = basis
  const destinations = {
    assign: account.exchange(currency),
    refund: account.bank(document.requisiteId ?? ''),
    'write-off': account.fees,
  }
  const documentId = document.id
  const leaving: Posting = {
    merchantId,
    kind: decision,
    debit: account.overpayment(paymentId),
    credit: destinations[decision],
    currency,
    amount,
    paymentId,
    transferId: null,
    documentId,
  }
  return [leaving, ...(decision === 'assign' ? moveShares(basis, 'assign', 0n, amount, documentId) : [])]
}

/**
 * The bank takes money back for which a merchant was credited: reversing entries, so that what stays credited is exactly
 * what `credited` less that money is worth. A whole reversal also gives back the fee.
 */
export const postCreditReversal = (
  basis: CreditBasis,
  credited: bigint,
  leaving: ArrivingMoney,
  documentId: string,
): Posting[] => [
  postReturn(basis, basis.currency, leaving, account.exchange(basis.currency), documentId),
  ...moveShares(basis, 'return', credited, credited - leaving.amount, documentId),
]
