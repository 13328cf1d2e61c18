import { Refusal } from '../domain/refusal.ts'
import { type Deliveries, isDown, type Lane, lookAgain } from './open-lane.ts'
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
  const { since, after } = forward
  const [last] = await context.query(bringForward, {
    merchantId,
    endpointId,
    since,
    afterDueAt: after.dueAt,
    afterPosition: after.position,
    now: context.clock(),
    limit: batchSize,
  })
  // Meanwhile it may have been down and up again; then all is looked at anew.
  if (lane.forward !== forward) return
  lane.forward = last ? { since, after: last } : null
  lookAgain(lane)
}

/**
 * Brings forward what failed while endpoints were down that work again; what fails anew keeps its place in the plan. Returns
 * in how many lanes it did so.
 */
export const forwardDeliveries = async (deliveries: Deliveries): Promise<number> => {
  let done = 0
  for (const lane of deliveries.lanes.values()) {
    const { forward } = lane
    if (forward === null || isDown(lane) || !lane.target.enabled) continue
    try {
      await forwardBatch(deliveries, lane, forward)
    } catch (error) {
      if (error instanceof Refusal) throw error
      // They are tried as planned; the other lanes must not wait for a mistake of ours.
      deliveries.context.log.error(
        { err: error, endpointId: lane.endpointId },
        'deliveries could not be brought forward',
      )
      lane.forward = null
    }
    done++
    if (done === lanesOfRound) break
  }
  return done
}
