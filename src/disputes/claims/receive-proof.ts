import type { Context, Tx } from '../../context.ts'
import { mayClaim, maySendReceipt, type PayerClaim } from '../../domain/claim.ts'
import type { Payment } from '../../domain/payment.ts'
import { maxReceipts } from '../../domain/receipt.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { noteProof } from '../../payments/note-proof.ts'
import { type ReceiptFile, sealFile } from './seal-file.ts'
import { insertClaim, insertReceipt, listReceipts, scheduleClaimCheck } from './store.ts'

const storeReceipt = async (tx: Tx, payment: Payment, sealed: ReturnType<typeof sealFile>): Promise<boolean> => {
  const key = { merchantId: payment.merchantId, paymentId: payment.id }
  const present = await tx.query(listReceipts, { rows: [key] })
  if (present.length >= maxReceipts) return false
  const stored = await tx.query(insertReceipt, { ...key, ...sealed, receivedAt: tx.now })
  return stored.length > 0
}

/**
 * Takes what the payer of a payment sends as a proof: a claim to have paid, a receipt, or both. A second claim and a
 * file that is there already change nothing, nor does anything that the payment's state does not allow. Moves no money
 * and no status.
 */
export const receiveProof = (
  context: Context,
  key: { readonly merchantId: string; readonly id: string },
  proof: { readonly claim?: PayerClaim | undefined; readonly receipt?: ReceiptFile | undefined },
): Promise<void> => {
  const { claim } = proof
  const receipt = proof.receipt && sealFile(context, 'payer_receipts', proof.receipt)
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, key.merchantId, key.id)
    if (!payment) return
    const claimed =
      claim !== undefined &&
      mayClaim(payment, tx.now) &&
      (
        await tx.query(insertClaim, {
          merchantId: payment.merchantId,
          paymentId: payment.id,
          id: tx.newId(),
          ...claim,
          receivedAt: tx.now,
        })
      ).length > 0
    const stored =
      receipt !== undefined && maySendReceipt(payment, tx.now) && (await storeReceipt(tx, payment, receipt))
    if (stored)
      await tx.query(scheduleClaimCheck, { merchantId: payment.merchantId, paymentId: payment.id, checkAt: tx.now })
    if (claimed || stored) {
      await noteProof(tx, payment, { receiptAt: stored ? tx.now : null, claimReceivedAt: claimed ? tx.now : null })
    }
  })
}
