import type { Queryable } from '../database/database.ts'
import { hasUsageLimits, noUsage, type Requisite } from '../domain/requisite.ts'
import type { Instant } from '../domain/time.ts'
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
  return (amount: bigint) => {
    const slotOf = (id: string): TakenSlot | undefined => held.get(`${id} ${amount}`)
    return {
      usageOf: (id: string) => usage.get(id) ?? noUsage,
      isSlotTaken: (id: string): boolean => slotOf(id) !== undefined,
      slotOf,
    }
  }
}
