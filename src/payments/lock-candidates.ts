import type { Tx } from '../context.ts'
import type { Candidate } from '../domain/match.ts'
import type { Instant } from '../domain/time.ts'
import { listSlotHolders } from '../requisites/list-slot-holders.ts'
import { lockPayments } from './store.ts'

/** Locks the payments that held slots on the requisites between two times, and returns them by requisite. */
export const lockCandidates = async (
  tx: Tx,
  requisiteIds: readonly string[],
  from: Instant,
  to: Instant,
): Promise<Map<string, Candidate[]>> => {
  const holders = await listSlotHolders(tx, requisiteIds, from, to)
  const rows = await tx.query(lockPayments, {
    merchantIds: holders.map((holder) => holder.merchantId),
    ids: holders.map((holder) => holder.paymentId),
  })
  const payments = new Map(rows.map((row) => [row.id, row]))
  const candidates = new Map<string, Candidate[]>()
  for (const { requisiteId, paymentId, takenAt, heldUntil } of holders) {
    const row = payments.get(paymentId)
    // A payment that moved to another requisite no longer waits on this one.
    if (!row || (row.requisiteId !== requisiteId && row.switchedFrom !== requisiteId)) continue
    const { payerPhoneIndex, ...payment } = row
    const list = candidates.get(requisiteId) ?? []
    candidates.set(requisiteId, list)
    // A holder stands twice where its slot was archived while it was being prolonged: the longer hold counts.
    const twin = list.findIndex((other) => other.payment.id === paymentId)
    const longest = Math.max(heldUntil, list[twin]?.heldUntil ?? heldUntil)
    list.splice(twin < 0 ? list.length : twin, 1, { payment, takenAt, heldUntil: longest, payerIndex: payerPhoneIndex })
  }
  return candidates
}
