import type { Context } from '../context.ts'
import {
  chooseRequisite,
  chooseShared,
  judgeRequisite,
  type RequisiteVerdict,
  type RequisiteWish,
  roomLeft,
  sharersFor,
  beyondFairShare,
  hasUsageLimits,
  noUsage,
  type Requisite,
} from '../../rules/requisites/requisite.ts'
import { requisitePool, type RequisitePool } from './requisite-pool.ts'
import type { Queryable } from 'payin-database'
import type { Instant } from '../../rules/time.ts'
import { readUsage } from './start-allocation.ts'
import { listTakenSlots } from './store.ts'
import { describeShortage, freeAgainAt, type Shortage } from '../../rules/requisites/requisite-shortage.ts'

/** Explains which requisite a payment would get right now, and why each of the others would not be chosen. */
export const explainAllocation = async (context: Context, wish: RequisiteWish) => {
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const all = [...pool.byId.values()]
  const occupied = await readOccupancy(context, all, wish, now)
  await pool.learnUses(context, now, 'again')
  const occupancy = { ...pool, ...occupied }
  const chosen =
    chooseRequisite(pool.offer(wish), wish, now, occupancy) ?? chooseShared(pool.offer(wish), wish, now, occupancy)
  const verdicts = all.map((requisite): RequisiteVerdict => {
    const held = occupancy.slotOf(requisite.id)
    // A taken amount does not refuse a payment that may share it.
    const isSlotTaken = (id: string): boolean =>
      occupancy.isSlotTaken(id) && occupancy.sharingOn(requisite) === undefined
    const mayJoin = sharersFor({ ...wish, mayShare: true }, requisite, held) !== undefined
    return {
      requisite,
      refused: judgeRequisite(requisite, wish, now, { ...occupancy, isSlotTaken }) ?? null,
      hasOpenPayment: pool.hasOpenPayment(requisite.id),
      room: roomLeft(requisite, occupancy.usageOf(requisite.id)),
      held: held ? { ...held, shares: mayJoin } : null,
    }
  })
  return { chosenId: chosen?.id ?? null, verdicts }
}

/** What requisites carry, and who holds their slots of a wish's amount. */
const readOccupancy = async (sql: Queryable, requisites: readonly Requisite[], wish: RequisiteWish, now: Instant) => {
  const usage = await readUsage(sql, requisites.filter(hasUsageLimits), now)
  const taken = { requisiteIds: requisites.map(({ id }) => id), amounts: [wish.amount], now }
  const held = new Map((await sql.query(listTakenSlots, taken)).map((row) => [row.requisiteId, row]))
  const isOwn = (id: string): boolean => held.get(id)?.merchantIds.includes(wish.merchantId) ?? false
  return {
    isOwn,
    isBeyondShare: beyondFairShare(requisites, wish, now, isOwn),
    usageOf: (id: string) => usage.get(id) ?? noUsage,
    isSlotTaken: (id: string): boolean => held.has(id),
    sharingOn: (requisite: Requisite) => sharersFor(wish, requisite, held.get(requisite.id)),
    slotOf: (id: string) => held.get(id),
  }
}

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
