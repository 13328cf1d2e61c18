import type { Tx } from '../../context.ts'
import { findTransfer } from '../read.ts'
import type { Decider } from '../write-parts.ts'
import { bookReported } from '../outgoing/book-announced.ts'
import { reverseParts } from './reverse-parts.ts'
import { confirmReversal, deleteReversal, setReversed } from './store.ts'

/** A stored reversal, as its reporter describes it. */
export type StoredReversal = Parameters<typeof confirmReversal.encode>[0] & { readonly amount: bigint }

/**
 * Carries out a stored reversal of a locked transfer, which has at least its amount left; one that an operator announced is
 * only confirmed.
 */
export const carryOutReversal = async (
  tx: Tx,
  reversal: StoredReversal,
  transfer: { readonly id: string; readonly announcedId: string | null },
  decider: Decider,
): Promise<void> => {
  const { requisiteId, id } = reversal
  if (transfer.announcedId !== null) {
    await tx.query(deleteReversal, { requisiteId, id })
    await tx.query(confirmReversal, { ...reversal, id: transfer.announcedId })
    return
  }
  await tx.query(setReversed, { requisiteId, id, transferId: transfer.id })
  // A withdrawal of its statement was looked for after the lock; one that begins now finds the reversal.
  const found = await findTransfer(tx, requisiteId, transfer.id)
  if (!found) throw new Error(`transfer ${transfer.id} is unknown`)
  await reverseParts(tx, found, reversal, decider)
  const { amount, bookedAt, channel, dedupeKey } = reversal
  // Whoever confirms outgoing money as a reversal books it, too.
  if (dedupeKey.startsWith('outgoing:')) return
  const none = { merchantId: null, paymentId: null }
  await bookReported(tx, { purpose: 'reversal', id, requisiteId, amount, bookedAt, channel, ...none })
}
