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
import { listTakenSlots } from './store.ts'

/** What requisites carry, and who holds their slots of a wish's amount. */
export const readOccupancy = async (
  sql: Queryable,
  requisites: readonly Requisite[],
  wish: RequisiteWish,
  now: Instant,
) => {
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
