// One process at a time holds a lane, by a lease that is written in the row of the lane.
//
//   asleep    nobody holds it; `wake_at` is when its next delivery is due, null if nothing is waiting
//   free      nobody holds it, and `wake_at` has passed: any process with room leases it
//   held      leased; the holder renews the lease while it has something to send
//
// Queuing a delivery sets `wake_at`. The holder gives a lane back when it has nothing to send, is paused or disabled. If
// the holder dies, the lease runs out and the lane becomes free.
import type { Context } from '../../../context.ts'
import { type Instant, planBounds } from '../../../../rules/time.ts'
import { webhookKey } from '../../../../secrets/webhook-secret.ts'
import { endpointSecret } from '../../endpoints/endpoints.ts'
import { type Deliveries, isDown, type Lane, type LaneTarget, openLane, restartLane } from './lane.ts'
import { leaseLanes, releaseLanes, renewLanes, restartAheadLanes } from './store.ts'
import { longestGapMs } from '../../../../rules/notices/delivery.ts'

/** Most lanes that one process holds at a time. Lanes that are down wait long, and must not keep others out. */
const mostLanes = 2000
const mostLanesDown = 400

const keysOf = (context: Context, endpointId: string, target: LaneTarget): Lane['keys'] | undefined => {
  const { secretSealed, previousSecretSealed: previous, previousSecretUntil: until } = target
  const open = (sealed: string) => webhookKey(endpointSecret.open(context.vault, endpointId, sealed))
  try {
    const present = { key: open(secretSealed), until: Infinity }
    return previous === null || until === null ? [present] : [present, { key: open(previous), until }]
  } catch (error) {
    // The lane waits until the right master key is set; it must not hold up the others.
    context.log.error({ err: error, endpointId }, 'the secret of an endpoint cannot be opened')
    return undefined
  }
}

const withForward = (lane: Lane) => ({ ...lane, forwardSince: lane.forward?.since ?? null })

/** Drops a lane whose lease has run out: another process may have sent the waiting deliveries meanwhile. */
const dropLane = ({ lanes, ready }: Deliveries, lane: Lane): void => {
  lanes.delete(lane.endpointId)
  ready.delete(lane)
  lane.toSend.length = 0
  lane.target = { ...lane.target, enabled: false }
}

const countDown = (lanes: Deliveries['lanes']): number => {
  let count = 0
  for (const lane of lanes.values()) if (isDown(lane)) count++
  return count
}

const lease = async (deliveries: Deliveries): Promise<void> => {
  const { context, lanes, worker, leaseMs } = deliveries
  const down = countDown(lanes)
  const limit = Math.max(0, mostLanes - (lanes.size - down))
  const downLimit = Math.max(0, mostLanesDown - down)
  const leasedUntil = context.ticks() + leaseMs
  const rows = await context.query(leaseLanes, { now: context.clock(), leaseMs, worker, limit, downLimit })
  for (const row of rows) {
    // A lane that this process still had: it did not notice that the lease had run out.
    const former = lanes.get(row.endpointId)
    if (former) dropLane(deliveries, former)
    const keys = keysOf(context, row.endpointId, row)
    if (keys) lanes.set(row.endpointId, openLane(row, keys, leasedUntil))
  }
}

const renew = async (deliveries: Deliveries): Promise<void> => {
  const { context, lanes, worker, leaseMs, leaseTimes } = deliveries
  const ticks = context.ticks()
  if (lanes.size === 0 || ticks - deliveries.renewedAt < leaseTimes.renewEveryMs) return
  deliveries.renewedAt = ticks
  const held = [...lanes.values()].map(withForward)
  const renewed = await context.query(renewLanes, { rows: held, worker, leaseMs })
  const kept = new Map(renewed.map((row) => [row.endpointId, row]))
  for (const [id, lane] of lanes) {
    const row = kept.get(id)
    if (row) {
      const keys = row.enabled ? keysOf(context, id, row) : undefined
      if (row.url !== lane.target.url || (keys && !lane.target.enabled)) restartLane(lane)
      lane.keys = keys ?? lane.keys
      lane.target = { ...row, enabled: keys !== undefined }
      lane.leasedUntil = ticks + leaseMs
    } else {
      dropLane(deliveries, lane)
    }
  }
}

/** Whether a lane can send nothing at present, even if nothing is under way. */
const isIdle = (lane: Lane, now: Instant): boolean => {
  if (!lane.target.enabled || lane.pausedUntil > now) return true
  const bringsForward = lane.forward !== null && !isDown(lane)
  return lane.toSend.length === 0 && lane.isRead && !bringsForward
}

const release = async (deliveries: Deliveries, which: 'done' | 'all'): Promise<void> => {
  const { context, lanes, ready, worker } = deliveries
  const now = context.clock()
  const atRest = [...lanes.values()].filter((lane) => lane.underWay === 0 && lane.inHand.size === lane.toSend.length)
  const given = which === 'all' ? [...lanes.values()] : atRest.filter((lane) => isIdle(lane, now))
  if (given.length === 0) return
  // Before the query, so that no attempt starts in them meanwhile; if it fails, their leases run out.
  for (const lane of given) {
    lanes.delete(lane.endpointId)
    ready.delete(lane)
  }
  await context.query(releaseLanes, { rows: given.map(withForward), worker, now })
}

/** What a process does with lanes: lease free ones, renew its leases, release the finished lanes or all. */
export const holdLanes = { lease, renew, release }

/**
 * Wakes the lanes that would wait for times by a clock that was ahead; what it has queued or tried is then brought
 * forward. Returns how many.
 */
export const restartLanes = async (context: Context): Promise<number> => {
  const now = context.clock()
  const bounds = { ...planBounds(now), failedBefore: now - longestGapMs }
  return (await context.query(restartAheadLanes, bounds)).length
}
