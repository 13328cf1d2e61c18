import type { Context } from '../context.ts'
import {
  chooseRequisite,
  chooseShared,
  judgeRequisite,
  type RequisiteVerdict,
  type RequisiteWish,
  roomLeft,
  sharersFor,
} from '../../rules/requisites/requisite.ts'
import { readOccupancy } from './read-occupancy.ts'
import { requisitePool } from './requisite-pool.ts'

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
