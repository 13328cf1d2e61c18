import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockTransfer, type TransferKey } from './lock-transfer.ts'
import type { Books } from './open-books.ts'
import { listTransfersOf, type TransferPart } from './store.ts'
import { unassignParts } from './unassign-parts.ts'
import { type Decider, decidedPart, writeParts } from './write-parts.ts'

const isOf =
  (payment: Payment) =>
  (part: TransferPart): boolean =>
    part.kind === 'payment' && part.paymentId === payment.id

const transfersOf = (tx: Tx, { merchantId, id: paymentId }: Payment): Promise<TransferKey[]> =>
  tx.query(listTransfersOf, { merchantId, paymentId })

/** Returns to the inbox what a locked payment in dispute has of a transfer. Refuses `invalid_state` when it has nothing. */
export const unassignFromPayment = async (
  tx: Tx,
  books: Books,
  payment: Payment,
  key: TransferKey,
  decider: Decider,
): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  if (!transfer.parts.some(isOf(payment))) {
    throw new Refusal('invalid_state', 'The payment has no money of this transfer.')
  }
  await unassignParts(tx, books, transfer, isOf(payment), new Map([[payment.id, payment]]), decider)
}

/** Returns all money of a locked payment in dispute to the inbox. */
export const unassignAllFromPayment = async (
  tx: Tx,
  books: Books,
  payment: Payment,
  decider: Decider,
): Promise<void> => {
  for (const key of await transfersOf(tx, payment)) await unassignFromPayment(tx, books, payment, key, decider)
}

/** Makes `surplus` of a locked payment's money an overpayment, beginning with its latest transfer. */
export const setSurplusAside = async (tx: Tx, payment: Payment, surplus: bigint, decider: Decider): Promise<void> => {
  let rest = surplus
  for (const key of await transfersOf(tx, payment)) {
    if (rest === 0n) return
    const transfer = await lockTransfer(tx, key)
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
