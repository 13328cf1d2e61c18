import type { Context } from '../context.ts'
import {
  chooseRequisite,
  hasUsageLimits,
  judgeRequisite,
  noUsage,
  type RequisiteVerdict,
  type RequisiteWish,
  roomLeft,
} from '../domain/requisite.ts'
import { readUsage } from './start-allocation.ts'
import { requisitePool } from './requisite-pool.ts'
import { listTakenSlots } from './store.ts'

/** Who would get a payment right now, and why each of the others would not. */
export type AllocationExplanation = { readonly chosenId: string | null; readonly verdicts: readonly RequisiteVerdict[] }

/** Explains the choice of a requisite for a wish without making it. */
export const explainAllocation = async (context: Context, wish: RequisiteWish): Promise<AllocationExplanation> => {
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const all = [...pool.byId.values()]
  const usage = await readUsage(context, all.filter(hasUsageLimits), now)
  const rows = await context.query(listTakenSlots, {
    requisiteIds: all.map((each) => each.id),
    amounts: [wish.amount],
    now,
  })
  const taken = new Set(rows.map((row) => row.requisiteId))
  await pool.learnUses(context, now, 'again')
  const occupancy = {
    ...pool,
    usageOf: (id: string) => usage.get(id) ?? noUsage,
    isSlotTaken: (id: string): boolean => taken.has(id),
  }
  const chosen = chooseRequisite(pool.offer(wish), wish, now, occupancy)
  const verdicts = all.map((requisite) => ({
    requisite,
    refused: judgeRequisite(requisite, wish, now, occupancy) ?? null,
    hasOpenPayment: pool.hasOpenPayment(requisite.id),
    room: roomLeft(requisite, occupancy.usageOf(requisite.id)),
  }))
  return { chosenId: chosen?.id ?? null, verdicts }
}
