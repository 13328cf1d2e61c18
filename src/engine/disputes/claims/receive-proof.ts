import type { Context, Tx } from '../../context.ts'
import { mayClaim, maySendReceipt, type PayerClaim, type Payment } from '../../../rules/payments/payment.ts'
import { maxReceipts } from '../../../rules/payments/receipt.ts'
import { noteProof } from '../../payments/payer-changes.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { type ReceiptFile, sealFile } from './seal-file.ts'
import { insertClaim, insertReceipt, listReceipts, scheduleClaimCheck } from './store.ts'

const storeReceipt = async (
  tx: Tx,
  payment: Payment,
  sealed: Awaited<ReturnType<typeof sealFile>>,
): Promise<boolean> => {
  const key = { merchantId: payment.merchantId, paymentId: payment.id }
  const present = await tx.query(listReceipts, { rows: [key] })
  if (present.length >= maxReceipts) return false
  const stored = await tx.query(insertReceipt, { ...key, ...sealed, receivedAt: tx.now })
  return stored.length > 0
}

type Key = Pick<Payment, 'merchantId' | 'id'>

type Proof = { readonly claim?: PayerClaim | undefined; readonly receipt?: ReceiptFile | undefined }

const storeProof = async (context: Context, key: Key, { claim, receipt: file }: Proof): Promise<void> => {
  const receipt = file && (await sealFile(context, 'payer_receipts', file))
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

/**
 * Takes a payer's proof of payment: a claim to have paid, a receipt, or both. A second claim and a known file change
 * nothing, nor does anything that the payment's state does not allow. Moves no money and changes no status.
 */
export const receiveProof = (context: Context, key: Key, proof: Proof): Promise<void> =>
  proof.receipt ? storeInTurn(context, () => storeProof(context, key, proof)) : storeProof(context, key, proof)

const latest = new WeakMap<Context, Promise<unknown>>()

/**
 * Seals and stores a file after those before it. 5 MB keep the process busy for tens of milliseconds and the database
 * for longer: many concurrent files would hold up every payment until the last one is stored.
 */
export const storeInTurn = <T>(context: Context, store: () => Promise<T>): Promise<T> => {
  const turn = (latest.get(context) ?? Promise.resolve()).then(store)
  latest.set(
    context,
    turn.catch(() => undefined),
  )
  return turn
}
