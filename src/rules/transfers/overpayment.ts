import { type CreditBasis, postCreditChange } from '../payments/credit.ts'
import { account, type Posting, posting } from '../money/ledger.ts'

/** Where money that a payment could not take goes: to the merchant, back to the payer, or to the operator. */
export const overpaymentDecisions = ['assign', 'refund', 'write-off'] as const
export type OverpaymentDecision = (typeof overpaymentDecisions)[number]

/** What was assigned by one decision; `kept`: how much of it its merchant still has, in minor units. */
export type AssignedOverpayment = {
  readonly id: string
  readonly kept: bigint
  /** The price, if not that of the payment. */
  readonly laterPrice: bigint | null
}

/** Changes the amount of an assignment, which is a separate credit. */
const postAssignedChange = (
  basis: CreditBasis,
  moved: Posting,
  laterPrice: bigint | null,
  change: readonly [bigint, bigint],
): Posting[] => postCreditChange({ ...basis, lockedPart: 0n, laterPrice: laterPrice ?? basis.ratePrice }, moved, change)

/**
 * An overpayment, or part of it, is no longer owed to its payer. If assigned, it is credited to the merchant as a
 * separate credit, at the payment's fee plan and the price that counts now; a refund leaves the bank account of
 * `requisiteId`.
 */
export const postOverpaymentDecision = (
  basis: CreditBasis,
  {
    id: documentId,
    decision,
    amount,
    requisiteId,
    laterPrice,
  }: {
    readonly id: string
    readonly decision: OverpaymentDecision
    readonly amount: bigint
    readonly requisiteId: string | null
    /** The price, if not that of the payment. */
    readonly laterPrice: bigint | null
  },
): Posting[] => {
  const { merchantId, id: paymentId, currency } = basis
  const destinations = {
    assign: account.exchange(currency),
    refund: account.bank(requisiteId ?? ''),
    'write-off': account.writtenOff,
  }
  const accounts = [account.overpayment(paymentId), destinations[decision]] as const
  const leaving = posting(decision, accounts, { currency, amount }, { merchantId, paymentId, documentId })
  return decision === 'assign' ? postAssignedChange(basis, leaving, laterPrice, [0n, amount]) : [leaving]
}

/** The bank takes an assigned amount: the merchant keeps what the rest is worth at the price of the assignment. */
export const postAssignedReversal = (basis: CreditBasis, assigned: AssignedOverpayment, amount: bigint): Posting[] => {
  const { merchantId, id: paymentId, currency } = basis
  const of = { merchantId, paymentId, documentId: assigned.id }
  const accounts = [account.exchange(currency), account.overpayment(paymentId)] as const
  const taken = posting('assign', accounts, { currency, amount }, of)
  return postAssignedChange(basis, taken, assigned.laterPrice, [assigned.kept, assigned.kept - amount])
}
