import type { Context } from '../../../context.ts'
import { day, type Instant } from '../../../domain/time.ts'
import { removeListeners } from '../../listeners/remove-listeners.ts'
import { deleteLanes, deleteFinished, deleteWaiting } from './store.ts'

/** Most deliveries, and most lanes, that one round deletes. */
const batchSize = 1000

/** The time from which on deliveries and their attempts are kept; older ones are deleted. */
export const keptSince = ({ clock, settings }: Pick<Context, 'clock' | 'settings'>): Instant =>
  clock() - settings.notificationRetentionDays * day

/**
 * Deletes deliveries older than `keptSince` with their attempts, unless they wait for an enabled endpoint. Of removed
 * endpoints it also deletes what was never tried, and the lane; listeners that are silent it removes first. Notifications
 * stay. Returns how many rows it deleted.
 */
export const cleanDeliveries = async (context: Context): Promise<number> => {
  await removeListeners(context)
  const old = { before: keptSince(context), limit: batchSize }
  const [finished] = await context.query(deleteFinished, old)
  const [waiting] = await context.query(deleteWaiting, old)
  const lanes = await context.query(deleteLanes, { now: context.clock(), limit: batchSize })
  return Number(finished?.deleted ?? 0) + Number(waiting?.deleted ?? 0) + lanes.length
}
