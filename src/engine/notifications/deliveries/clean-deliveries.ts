import type { Context } from '../../context.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { removeSilentListeners } from '../listeners.ts'
import { deleteFinished, deleteLanes, deleteWaiting } from './store.ts'

/** Most deliveries, and most lanes, deleted per round. */
const batchSize = 1000

/** Deliveries and their attempts are kept from this time on; older ones are deleted. */
export const keptSince = ({ clock, settings }: Pick<Context, 'clock' | 'settings'>): Instant =>
  clock() - settings.notificationRetentionDays * day

/**
 * Deletes deliveries older than `keptSince` with their attempts, unless they wait for an enabled endpoint. For removed
 * endpoints it also deletes deliveries that were never tried, and the lane; it removes silent listeners first.
 * Notifications stay. Returns how many rows it deleted.
 */
export const cleanDeliveries = async (context: Context): Promise<number> => {
  await removeSilentListeners(context)
  const old = { before: keptSince(context), limit: batchSize }
  const [finished] = await context.query(deleteFinished, old)
  const [waiting] = await context.query(deleteWaiting, old)
  const lanes = await context.query(deleteLanes, { now: context.clock(), limit: batchSize })
  return Number(finished?.deleted ?? 0) + Number(waiting?.deleted ?? 0) + lanes.length
}
