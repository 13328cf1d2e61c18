import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { announcePayments } from './payment-key.ts'
import { updateProof } from './store.ts'

/** Notes on a locked payment when its payer sent a receipt or a claim, and wakes its page. */
export const noteProof = async (
  tx: Tx,
  payment: Payment,
  proof: Pick<Payment, 'receiptAt' | 'claimReceivedAt'>,
): Promise<void> => {
  await tx.query(updateProof, { merchantId: payment.merchantId, id: payment.id, ...proof })
  announcePayments(tx, [payment])
}
