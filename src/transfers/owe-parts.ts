import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import type { Credits } from '../payments/credit-payments.ts'
import { findTransfer } from './read.ts'
import { listTransfersOf, lockTransferRow, type TransferPart } from './store.ts'
import { writeParts } from './lock-transfer.ts'

/** Why a part is owed back. */
const reason = 'the whole amount came after it'

/** A part as the overpayment of its payment. */
export const owedPart = (part: TransferPart): TransferPart => ({
  ...part,
  kind: 'overpayment',
  reasons: [...part.reasons, reason],
  by: 'service',
})

/**
 * Owes to its payer what a locked payment, which is not credited, has received by transfers of earlier reports: the whole
 * amount has come, and both together are what nobody asked for.
 */
export const oweParts = async (tx: Tx, credits: Credits, payment: Payment): Promise<void> => {
  const { merchantId, id: paymentId } = payment
  for (const key of await tx.query(listTransfersOf, { merchantId, paymentId })) {
    await tx.query(lockTransferRow, key)
    const transfer = await findTransfer(tx, key.requisiteId, key.id)
    if (!transfer) throw new Error(`transfer ${key.id} is unknown`)
    const parts = transfer.parts.map((part) => {
      if (part.kind !== 'payment' || part.paymentId !== paymentId) return part
      const { amount } = part
      credits.owe(payment, { transferId: transfer.id, requisiteId: transfer.requisiteId, amount })
      return owedPart(part)
    })
    await writeParts(tx, transfer, parts, { actor: 'service', note: null })
  }
}
