import type { Tx, Context } from '../context.ts'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import type { Requisite, RequisiteWish } from '../../rules/requisites/requisite.ts'
import { type Instant, day } from '../../rules/time.ts'
import { type RequisitePool, requisitePool } from './requisite-pool.ts'
import { type Allocation, startAllocation } from './start-allocation.ts'
import { insertSharer, insertSlot, markReleased, markSharersReleased, markTurned, archiveSlotRows } from './store.ts'

/** How often to try the next candidate after another node has taken a slot. */
const maxTries = 6

/**
 * Takes a slot for an existing payment, on a requisite that fits the wish, until the time that `heldUntil` gives for it;
 * shares one if none is free and the wish allows it; else `undefined`.
 */
export const takeSlot = async (
  tx: Tx,
  pool: RequisitePool,
  wish: RequisiteWish,
  holder: { readonly paymentId: string; readonly heldUntil: (requisite: Requisite) => Instant },
): Promise<Pick<Allocation, 'requisite' | 'sharesSlot'> | undefined> => {
  const allocator = await startAllocation(pool, [wish], tx.now, tx)
  await allocator.learnTaken(tx, [wish])
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const allocation = allocator.allocate(wish) ?? allocator.share(wish)
    if (!allocation) return undefined
    const { requisite, sharesSlot } = allocation
    const { merchantId, amount, mayShare: shares = false } = wish
    const { paymentId } = holder
    const held = { takenAt: tx.now, heldUntil: holder.heldUntil(requisite), shares }
    const slot = { requisiteId: requisite.id, amount, merchantId, paymentId, ...held }
    if ((await tx.query(sharesSlot ? insertSharer : insertSlot, slot)).length > 0) return allocation
    allocator.uncount(requisite, wish)
  }
  return undefined
}

type Release = Parameters<typeof markReleased.encode>[0]['rows'][number] & { readonly sharesSlot: boolean }

/** Sets until when payments hold their slots; slots that others hold by now stay as they are. */
export const releaseSlots = async (tx: Tx, slots: readonly Release[]): Promise<void> => {
  if (slots.length === 0) return
  // With all slots, so that they are locked in one order.
  if (slots.some((slot) => slot.sharesSlot)) await tx.query(markSharersReleased, { now: tx.now, rows: slots })
  await tx.query(markReleased, { rows: slots })
}

/** Turns the ends of the slots that some payments of a sandbox merchant hold forward. */
export const turnSlots = async (
  tx: Tx,
  merchantId: string,
  { byMs, now }: ClockTurn,
  paymentIds: readonly string[],
): Promise<void> => {
  await tx.query(markTurned, { merchantId, paymentIds, now, byMs: BigInt(byMs) })
}

/** How long an ended slot stays in place, so that a late decision can still extend it. */
const keepEndedMs = 7 * day
const requisitesAtOnce = 100
const slotsAtOnce = 5000

/**
 * Moves slots that ended a week ago to the past ones, where money that is reported late can still find them: the table
 * that every transfer reads stays as small as the held slots. Works requisite by requisite, because an index by end
 * time would slow every create.
 */
export const archiveSlots = async (context: Context): Promise<number> => {
  const { byId } = await context.catalog.get(requisitePool)
  const ids = [...byId.keys()]
  for (let from = 0; from < ids.length; from += requisitesAtOnce) {
    const requisiteIds = ids.slice(from, from + requisitesAtOnce)
    const parameters = { requisiteIds, endedBefore: context.clock() - keepEndedMs, limit: slotsAtOnce }
    while ((await context.query(archiveSlotRows, parameters)).length === slotsAtOnce);
  }
  // Whatever is left after a round can wait for the next.
  return 0
}
