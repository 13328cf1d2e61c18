import { type CreditBasis, postCreditChange } from './credit.ts'
import { account, type Posting, posting } from './ledger.ts'

/** Where money that a payment could not take goes: to the merchant, back to the payer, or to the operator. */
export const overpaymentDecisions = ['assign', 'refund', 'write-off'] as const
export type OverpaymentDecision = (typeof overpaymentDecisions)[number]

/**
 * Part of an overpayment is no longer owed to its payer. If assigned, it is credited to the merchant as a separate
 * credit, at the payment's fee plan and the price that counts now; if refunded, it leaves the bank account of
 * `requisiteId`; if written off, it is set aside as such.
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
  if (decision !== 'assign') return [leaving]
  const priced = { ...basis, lockedPart: 0n, laterPrice: laterPrice ?? basis.ratePrice }
  return [leaving, ...postCreditChange(priced, 'assign', [0n, amount], documentId)]
}
