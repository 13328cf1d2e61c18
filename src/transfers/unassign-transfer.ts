import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockPaymentsByKey } from '../payments/lock-payment.ts'
import { type LockedTransfer, lockTransfer, type TransferKey } from './lock-transfer.ts'
import { openBooks } from './open-books.ts'
import { findSentAs } from './outgoing/store.ts'
import { findTransfer } from './read.ts'
import type { TransferPart } from './store.ts'
import { unassignParts } from './unassign-parts.ts'
import type { Decider } from './write-parts.ts'

/** Whether the money of a part has left the bank again. */
const hasLeft = (kind: TransferPart['kind']): boolean => kind === 'reversed' || kind === 'withdrawn'

const paymentsOf = (parts: readonly TransferPart[]) =>
  parts.flatMap(({ merchantId, paymentId }) => (merchantId && paymentId ? [{ merchantId, paymentId }] : []))

/** All that was decided about a transfer and is still at the bank. */
const decidedParts = ({ parts }: LockedTransfer): readonly TransferPart[] =>
  parts.filter(({ kind }) => kind !== 'suspense' && !hasLeft(kind))

/**
 * Returns a transfer to the inbox by reversing entries, whoever decided about it. Money that a payment was credited with
 * stays there: that takes a correction. `choose` may leave some of its parts where they are. Refuses `resource_not_found` and `invalid_state`.
 */
export const unassignTransfer = async (
  tx: Tx,
  key: TransferKey,
  decider: Decider,
  choose = decidedParts,
): Promise<void> => {
  const found = await findTransfer(tx, key.requisiteId, key.id)
  const locked = await lockPaymentsByKey(tx, paymentsOf(found?.parts ?? []))
  const payments = new Map(locked.map((payment) => [payment.id, payment]))
  const transfer = await lockTransfer(tx, key)
  const [sent] = await tx.query(findSentAs, { transferId: key.id })
  if (sent) {
    const message = `It is the other side of outgoing transfer ${sent.id}, between own accounts: unbook that one first.`
    throw new Refusal('invalid_state', message)
  }
  // Meanwhile it may have been assigned to other payments, which are not locked.
  const isSame = paymentsOf(transfer.parts).every(({ paymentId }) => payments.has(paymentId))
  const chosen = new Set(choose(transfer))
  if (!isSame || chosen.size === 0)
    throw new Refusal('invalid_state', 'There is nothing to unassign; look at the transfer again.')
  for (const part of chosen) {
    const payment = payments.get(part.paymentId ?? '')
    if (part.kind !== 'payment' || !payment || payment.status === 'processing') continue
    const hint = payment.status === 'disput' ? 'decide its dispute' : 'open a correction'
    throw new Refusal('invalid_state', `${payment.orderId} is ${payment.status} with this money; ${hint} instead.`)
  }
  const books = openBooks(tx, decider.actor)
  await unassignParts(tx, books, transfer, (part) => chosen.has(part), payments, decider)
  await books.changes.write()
}
