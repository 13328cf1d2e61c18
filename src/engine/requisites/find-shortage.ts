import type { Queryable } from 'payin-database'
import { describeShortage, freeAgainAt, type Shortage } from '../../rules/requisites/requisite-shortage.ts'
import { judgeRequisite, type RequisiteWish } from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import { readOccupancy } from './read-occupancy.ts'
import type { RequisitePool } from './requisite-pool.ts'

/** Finds out why no requisite is free for a payment, and when one is; `undefined` if one has become free meanwhile. */
export const findShortage = async (
  sql: Queryable,
  pool: RequisitePool,
  wish: RequisiteWish,
  now: Instant,
): Promise<Shortage | undefined> => {
  const offered = [...pool.offer(wish)]
  const occupancy = await readOccupancy(sql, offered, wish, now)
  const ownEnds = offered.flatMap(({ id }) => (occupancy.isOwn(id) ? (occupancy.slotOf(id)?.firstFreeAt ?? []) : []))
  const unavailable = offered.flatMap((requisite) => {
    const refused = judgeRequisite(requisite, wish, now, occupancy)
    if (refused === undefined) return []
    const slot = occupancy.slotOf(requisite.id)
    // Of those who share an amount, any one makes room.
    const slotEndsAt = (wish.mayShare && slot?.shares ? slot.firstFreeAt : slot?.heldUntil) ?? null
    const endsAt = refused === 'fair-share' ? Math.min(...ownEnds) : slotEndsAt
    return [{ refused, freeAt: freeAgainAt(requisite, refused, now, endsAt) }]
  })
  return unavailable.length < offered.length ? undefined : describeShortage(wish, unavailable)
}
