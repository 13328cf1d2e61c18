import type { Queryable } from 'payin-database'
import {
  beyondFairShare,
  hasUsageLimits,
  noUsage,
  type Requisite,
  type RequisiteWish,
  sharersFor,
} from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import { readUsage } from './start-allocation.ts'
import { listTakenSlots, type TakenSlot } from './store.ts'

/** What requisites carry, and who holds their slots of the amount of a payment; nothing for free slots. */
export const readOccupancy = async (
  sql: Queryable,
  requisites: readonly Requisite[],
  wish: RequisiteWish,
  now: Instant,
) => {
  const usage = await readUsage(sql, requisites.filter(hasUsageLimits), now)
  const requisiteIds = requisites.map(({ id }) => id)
  const rows = await sql.query(listTakenSlots, { requisiteIds, amounts: [wish.amount], now })
  const held = new Map(rows.map((row) => [row.requisiteId, row]))
  const slotOf = (id: string): TakenSlot | undefined => held.get(id)
  const isOwn = (id: string): boolean => slotOf(id)?.merchantIds.includes(wish.merchantId) ?? false
  return {
    isOwn,
    isBeyondShare: beyondFairShare(requisites, wish, now, isOwn),
    usageOf: (id: string) => usage.get(id) ?? noUsage,
    isSlotTaken: (id: string): boolean => held.has(id),
    sharingOn: (requisite: Requisite) => sharersFor(wish, requisite, slotOf(requisite.id)),
    slotOf,
  }
}
