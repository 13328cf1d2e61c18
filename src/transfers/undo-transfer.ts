import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockPaymentsOf } from '../payments/lock-payment.ts'
import { openBooks } from './assign-transfer.ts'
import { findTransferOf } from './list-transfers.ts'
import { type Decider, lockTransferOf, takeBackParts, type TransferKey } from './place-transfer.ts'
import type { TransferPart } from './store.ts'

const paymentsOf = (parts: readonly TransferPart[]) =>
  parts.flatMap(({ merchantId, paymentId }) => (merchantId && paymentId ? [{ merchantId, paymentId }] : []))

/**
 * Takes a transfer back into the inbox, whoever has decided about it, by reversing entries. What a payment was credited
 * for stays with it: that takes a correction. Refuses `resource_not_found` and `invalid_state`.
 */
export const undoTransfer = async (tx: Tx, key: TransferKey, decider: Decider): Promise<void> => {
  const found = await findTransferOf(tx, key.requisiteId, key.id)
  const payments = new Map(
    (await lockPaymentsOf(tx, paymentsOf(found?.parts ?? []))).map((payment) => [payment.id, payment]),
  )
  const transfer = await lockTransferOf(tx, key)
  // Somebody else has given it to other payments meanwhile, which are not locked.
  const isSame = paymentsOf(transfer.parts).every(({ paymentId }) => payments.has(paymentId))
  const settled = transfer.parts.every((part) => part.kind === 'suspense' || part.kind === 'returned')
  if (!isSame || settled) throw new Refusal('invalid_state', 'There is nothing to undo; look at the transfer again.')
  for (const part of transfer.parts) {
    const payment = payments.get(part.paymentId ?? '')
    if (part.kind !== 'payment' || !payment || payment.status === 'processing') continue
    const hint = payment.status === 'disput' ? 'decide its dispute' : 'open a correction'
    throw new Refusal('invalid_state', `${payment.orderId} is ${payment.status} with this money; ${hint} instead.`)
  }
  const books = openBooks(tx, decider.actor)
  await takeBackParts(tx, books, transfer, (part) => part.kind !== 'returned', payments, decider)
  await books.changes.write()
}
