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

/** What requisites carry, and who holds their slots of an amount; nothing for free slots. */
export const readOccupancy = async (
  sql: Queryable,
  requisites: readonly Requisite[],
  amounts: readonly bigint[],
  now: Instant,
) => {
  const usage = await readUsage(sql, requisites.filter(hasUsageLimits), now)
  const rows = await sql.query(listTakenSlots, { requisiteIds: requisites.map(({ id }) => id), amounts, now })
  const held = new Map(rows.map((row) => [`${row.requisiteId} ${row.amount}`, row]))
  return (wish: RequisiteWish) => {
    const slotOf = (id: string): TakenSlot | undefined => held.get(`${id} ${wish.amount}`)
    const isOwn = (id: string): boolean => slotOf(id)?.merchantIds.includes(wish.merchantId) ?? false
    return {
      isOwn,
      isBeyondShare: beyondFairShare(requisites, wish, now, isOwn),
      usageOf: (id: string) => usage.get(id) ?? noUsage,
      isSlotTaken: (id: string): boolean => slotOf(id) !== undefined,
      sharingOn: (requisite: Requisite) => sharersFor(wish, requisite, slotOf(requisite.id)),
      slotOf,
    }
  }
}
