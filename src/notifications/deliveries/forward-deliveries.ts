import { Refusal } from '../../domain/refusal.ts'
import type { Deliveries } from './deliveries.ts'
import { type Lane, noteReading } from './lanes/lane.ts'
import { bringForward } from './store.ts'

/** Lanes that one round brings deliveries forward in, and how many it looks at in each: leases are renewed in between. */
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
    now: context.clock(),
    limit: batchSize,
  })
  // Meanwhile it may have been down and up again; then all of it is looked at again.
  if (lane.forward !== forward) return
  lane.forward = last ? { since, cursor: last } : null
  noteReading(lane, 'changed')
}

/**
 * Brings forward what failed while endpoints were down that work again; what fails again keeps its step in the plan. Lanes
 * take turns. Returns in how many lanes it did so.
 */
export const forwardDeliveries = async (deliveries: Deliveries): Promise<number> => {
  const { lanes, context } = deliveries
  const waiting = [...lanes.values()].filter(
    (lane) => lane.forward !== null && lane.health !== 'down' && lane.target.enabled,
  )
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
      // A lock or a lack of time passes: it has its next turn after the others, which must not wait for it.
      if (error instanceof Refusal) break
      // They are tried as planned.
      lane.forward = null
    }
  }
  return done
}
