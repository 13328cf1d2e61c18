import type { Tx } from '../../context.ts'
import { reversePostings } from '../../domain/ledger.ts'
import { postOverpaymentDecision } from '../../domain/overpayment.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { reverseDecision } from './store.ts'

/**
 * Takes back a refund, because the outgoing money was not it or the bank gave it back: its payer is owed the money again.
 * Gives the requisite that had paid it.
 */
export const reverseRefund = async (tx: Tx, merchantId: string, id: string): Promise<string> => {
  const [decision] = await tx.query(reverseDecision, { merchantId, id, now: tx.now })
  if (!decision?.requisiteId) throw new Error(`decision ${id} cannot be taken back`)
  const payment = await lockPayment(tx, merchantId, decision.paymentId)
  if (!payment) throw new Error(`payment ${decision.paymentId} is unknown`)
  const postings = reversePostings(postOverpaymentDecision(payment, decision))
  await postEntries(tx, [postings.map((posting) => ({ ...posting, kind: 'unbook' }))])
  return decision.requisiteId
}
