import type { Context } from '../context.ts'
import { day } from '../domain/time.ts'
import { requisitePool } from './requisite-pool.ts'
import { archiveSlotRows } from './store.ts'

/** How long an ended slot stays in place: until then a late decision can still prolong it. */
const keepEndedMs = 7 * day
const requisitesAtOnce = 100
const slotsAtOnce = 5000

/**
 * Moves slots that ended a week ago to those of the past, where money that is reported late still finds them: what is
 * read for every transfer stays as small as what is held. Goes by requisite, because an index in the order of their ends
 * would cost every create.
 */
export const archiveSlots = async (context: Context): Promise<number> => {
  const { byId } = await context.catalog.get(requisitePool)
  const ids = [...byId.keys()]
  for (let from = 0; from < ids.length; from += requisitesAtOnce) {
    const requisiteIds = ids.slice(from, from + requisitesAtOnce)
    const parameters = { requisiteIds, endedBefore: context.clock() - keepEndedMs, limit: slotsAtOnce }
    while ((await context.query(archiveSlotRows, parameters)).length === slotsAtOnce);
  }
  // After a round nothing is left that could not wait for the next.
  return 0
}
