import { Refusal } from '../../../rules/refusal.ts'
import { planBounds } from '../../../rules/time.ts'
import type { Deliveries } from './deliveries.ts'
import { isDown, type Lane, noteChanged } from './lanes/lane.ts'
import { bringForward } from './store.ts'

/** Limits of one round, so that leases are renewed in between: lanes, and deliveries checked in each. */
const lanesOfRound = 20
const batchSize = 500

const forwardBatch = async (
  { context }: Deliveries,
  lane: Lane,
  forward: NonNullable<Lane['forward']>,
): Promise<void> => {
  const { merchantId, endpointId } = lane
  const { since, cursor } = forward
  const [last] = await context.query(bringForward, {
    merchantId,
    endpointId,
    since,
    afterDueAt: cursor.dueAt,
    afterPosition: cursor.position,
    ...planBounds(context.clock()),
    limit: batchSize,
  })
  // The endpoint went down and came up again meanwhile, which began a new search from the start.
  if (lane.forward !== forward) return
  lane.forward = last ? { since, cursor: last } : null
  noteChanged(lane)
}

/**
 * For endpoints that were down and work again: makes due now what failed meanwhile, at its step in the plan. Lanes take
 * turns. Returns in how many lanes it did so.
 */
export const forwardDeliveries = async (deliveries: Deliveries): Promise<number> => {
  const { lanes, context } = deliveries
  const waiting = [...lanes.values()].filter((lane) => lane.forward !== null && !isDown(lane) && lane.target.enabled)
  let done = 0
  for (const lane of waiting.slice(0, lanesOfRound)) {
    const { endpointId, forward } = lane
    if (forward === null) continue
    lanes.delete(endpointId)
    lanes.set(endpointId, lane)
    try {
      await forwardBatch(deliveries, lane, forward)
      done++
    } catch (error) {
      context.log.error({ err: error, endpointId }, 'deliveries could not be brought forward')
      // The database is busy or unreachable: a later round continues.
      if (error instanceof Refusal) break
      // The deliveries are tried as planned.
      lane.forward = null
    }
  }
  return done
}
