import { type CreditBasis, postCreditChange } from './credit.ts'
import { account, type Posting, posting } from './ledger.ts'

/** Where money that a payment could not take goes: to the merchant, back to the payer, or to the operator. */
export const overpaymentDecisions = ['assign', 'refund', 'write-off'] as const
export type OverpaymentDecision = (typeof overpaymentDecisions)[number]

/**
 * Part of an overpayment is no longer owed to its payer. If assigned, it is credited to the merchant as a separate
 * credit, at the payment's rate and fee plan; if refunded, it leaves the bank account of `requisiteId`; if written off,
 * it is set aside as such.
 */
export const postOverpaymentDecision = (
  basis: CreditBasis,
  {
    id: documentId,
    decision,
    amount,
    requisiteId,
  }: {
    readonly id: string
    readonly decision: OverpaymentDecision
    readonly amount: bigint
    readonly requisiteId: string | null
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
  return [leaving, ...(decision === 'assign' ? postCreditChange(basis, 'assign', [0n, amount], documentId) : [])]
}
