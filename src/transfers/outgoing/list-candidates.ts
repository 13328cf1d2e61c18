import type { Queryable } from '../../database/database.ts'
import { noticeMs } from '../../domain/outgoing.ts'
import type { OutgoingCandidate, UnexplainedOutgoing } from '../../domain/propose-outgoing.ts'
import { day } from '../../domain/time.ts'
import { listAnnounced, listOwedAmounts, listReturnable } from './store.ts'

/** Money is returned this long after it came. */
const returnableMs = 120 * day

/** What outgoing transfers that nobody has explained may have returned, by their ids: all that has their amount. */
export const listCandidates = async (
  sql: Queryable,
  outgoing: readonly UnexplainedOutgoing[],
): Promise<ReadonlyMap<string, readonly OutgoingCandidate[]>> => {
  if (outgoing.length === 0) return new Map()
  const rows = outgoing.map((each) => ({
    ...{ ...each, outgoingId: each.id },
    ...{ since: each.bookedAt - returnableMs, until: each.bookedAt + day },
  }))
  const times = outgoing.map(({ bookedAt }) => bookedAt)
  const announced = await sql.query(listAnnounced, {
    requisiteIds: [...new Set(outgoing.map(({ requisiteId }) => requisiteId))],
    since: Math.min(...times) - noticeMs,
    until: Math.max(...times) + noticeMs,
  })
  const owed = Map.groupBy(await sql.query(listOwedAmounts, { rows }), (each) => each.outgoingId)
  const returnable = Map.groupBy(await sql.query(listReturnable, { rows }), (each) => each.outgoingId)
  const unnamed = { orderId: null, transferId: null, isPayee: false, bankReference: null }
  return new Map(
    outgoing.map(({ id, requisiteId, amount, bookedAt }) => [
      id,
      [
        ...announced
          .filter((each) => each.requisiteId === requisiteId && each.amount === amount)
          .filter((each) => Math.abs(each.bookedAt - bookedAt) <= noticeMs)
          .map(({ purpose, merchantId, paymentId, id: documentId }) => ({
            ...{ ...unnamed, purpose, merchantId, paymentId, documentId },
          })),
        ...(owed.get(id) ?? []).map((each) => ({ ...each, purpose: 'refund' as const, documentId: null })),
        ...(returnable.get(id) ?? []).map((each) => ({ ...each, purpose: 'reversal' as const, documentId: null })),
      ],
    ]),
  )
}
