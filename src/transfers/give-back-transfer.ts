import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import {
  type Books,
  decidedPart,
  type Decider,
  lockTransferOf,
  takeBackParts,
  type TransferKey,
  writeParts,
} from './place-transfer.ts'
import { listTransfersOf, type TransferPart } from './store.ts'

const isOf =
  (payment: Payment) =>
  (part: TransferPart): boolean =>
    part.kind === 'payment' && part.paymentId === payment.id

/** Puts what a locked payment in dispute has of a transfer back into the inbox. Refuses `invalid_state` when it has none. */
export const giveBackTransfer = async (
  tx: Tx,
  books: Books,
  payment: Payment,
  key: TransferKey,
  decider: Decider,
): Promise<void> => {
  const transfer = await lockTransferOf(tx, key)
  if (!transfer.parts.some(isOf(payment))) {
    throw new Refusal('invalid_state', 'The payment has no money of this transfer.')
  }
  await takeBackParts(tx, books, transfer, isOf(payment), new Map([[payment.id, payment]]), decider)
}

const transfersOf = async (tx: Tx, payment: Payment): Promise<TransferKey[]> => {
  const rows = await tx.query(listTransfersOf, { merchantId: payment.merchantId, paymentId: payment.id })
  return rows.map(({ requisiteId, transferId }) => ({ requisiteId, id: transferId }))
}

/** Puts all money of a locked payment in dispute back into the inbox. */
export const giveBackAll = async (tx: Tx, books: Books, payment: Payment, decider: Decider): Promise<void> => {
  for (const key of await transfersOf(tx, payment)) await giveBackTransfer(tx, books, payment, key, decider)
}

/** Makes `surplus` of the money that a locked payment has an overpayment, from its latest transfers. */
export const setSurplusAside = async (tx: Tx, payment: Payment, surplus: bigint, decider: Decider): Promise<void> => {
  let rest = surplus
  for (const key of await transfersOf(tx, payment)) {
    if (rest === 0n) return
    const transfer = await lockTransferOf(tx, key)
    const parts = transfer.parts.flatMap((part) => {
      if (!isOf(payment)(part) || rest === 0n) return [part]
      const moved = part.amount < rest ? part.amount : rest
      rest -= moved
      const kept = part.amount > moved ? [{ ...part, amount: part.amount - moved }] : []
      return [...kept, decidedPart('overpayment', moved, payment, 'assigned', decider)]
    })
    await writeParts(tx, transfer, parts, decider)
  }
}
