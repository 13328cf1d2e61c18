import type { Context } from '../../../context.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { day, type Instant } from '../../../../rules/time.ts'
import { removeEndpoint } from '../../endpoints/endpoints.ts'
import { selectSilentListeners } from '../../endpoints/store.ts'
import { deleteFinished, deleteLanes, deleteWaiting } from '../store.ts'

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
  await removeListeners(context)
  const old = { before: keptSince(context), limit: batchSize }
  const [finished] = await context.query(deleteFinished, old)
  const [waiting] = await context.query(deleteWaiting, old)
  const lanes = await context.query(deleteLanes, { now: context.clock(), limit: batchSize })
  return Number(finished?.deleted ?? 0) + Number(waiting?.deleted ?? 0) + lanes.length
}

/** Most listeners removed per round. */
const listenersAtOnce = 100

/** Removes listeners that have been silent for too long; returns how many. */
const removeListeners = async (context: Context): Promise<number> => {
  const silent = await context.query(selectSilentListeners, { now: context.clock(), limit: listenersAtOnce })
  for (const { merchantId, id } of silent) {
    try {
      await context.transaction((tx) => removeEndpoint(tx, merchantId, id, 'operator'))
    } catch (error) {
      // Its program has removed it meanwhile.
      if (!(error instanceof Refusal)) throw error
    }
  }
  return silent.length
}
