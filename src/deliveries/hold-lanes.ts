import type { Context } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { openSigningKey } from '../endpoints/seal-secret.ts'
import { type Deliveries, firstPlace, isDown, type Lane, type LaneTarget, openLane, startAnew } from './open-lane.ts'
import { knownLatency } from './remember-latency.ts'
import { leaseLanes, listDue, releaseLanes, renewLanes } from './store.ts'

/**
 * Lanes that one process holds at a time, of those that work and of those that fail, and deliveries that it fetches for a
 * lane: 120 000 bodies at most. Lanes that fail wait long for a turn, and must not keep others from being held.
 */
const mostLanes = 500
const mostFailingLanes = 100
const fetchSize = 200
const renewEveryMs = 1000

/** Where there is no room for further lanes, one that works is given back after so long. */
const turnMs = 2000

const keysOf = (context: Context, endpointId: string, target: LaneTarget): Lane['keys'] | undefined => {
  const { secretSealed, previousSecretSealed: previous, previousSecretUntil: until } = target
  try {
    const present = { key: openSigningKey(context.vault, endpointId, secretSealed), until: Infinity }
    if (previous === null || until === null) return [present]
    return [present, { key: openSigningKey(context.vault, endpointId, previous), until }]
  } catch (error) {
    // It waits for the right keys, and must not hold up the others.
    context.log.error({ err: error, endpointId }, 'the secret of an endpoint cannot be opened')
    return undefined
  }
}

const health = (lanes: readonly Lane[]) => ({
  merchantIds: lanes.map((lane) => lane.merchantId),
  endpointIds: lanes.map((lane) => lane.endpointId),
  failures: lanes.map((lane) => lane.failures),
  failingSinces: lanes.map((lane) => lane.failingSince),
  pausedUntils: lanes.map((lane) => lane.pausedUntil),
  forwardSinces: lanes.map((lane) => lane.forward?.since ?? null),
})

/** Forgets what waits in a lane that another worker may have served meanwhile. */
const forgetWindow = ({ lanes, ready }: Deliveries, lane: Lane): void => {
  lanes.delete(lane.endpointId)
  ready.delete(lane)
  lane.window.length = 0
  lane.target = { ...lane.target, enabled: false }
}

const countFailing = (lanes: Deliveries['lanes']): number => {
  let count = 0
  for (const { failures } of lanes.values()) if (failures > 0) count++
  return count
}

const lease = async (deliveries: Deliveries): Promise<void> => {
  const { context, lanes, worker, leaseMs } = deliveries
  const failing = countFailing(lanes)
  const limit = Math.max(0, mostLanes - (lanes.size - failing))
  const failingLimit = Math.max(0, mostFailingLanes - failing)
  const takenAt = context.ticks()
  const leasedUntil = takenAt + leaseMs
  const rows = await context.query(leaseLanes, { now: context.clock(), leaseMs, worker, limit, failingLimit })
  for (const row of rows) {
    // Its lease had run out here before this was noticed.
    const former = lanes.get(row.endpointId)
    if (former) forgetWindow(deliveries, former)
    const keys = keysOf(context, row.endpointId, row)
    const latencyMs = knownLatency(deliveries.latencies, row.endpointId, row.url)
    if (keys) lanes.set(row.endpointId, openLane(row, keys, { takenAt, leasedUntil }, latencyMs))
  }
}

const renew = async (deliveries: Deliveries): Promise<void> => {
  const { context, lanes, worker, leaseMs } = deliveries
  const ticks = context.ticks()
  if (lanes.size === 0 || ticks - deliveries.renewedAt < renewEveryMs) return
  deliveries.renewedAt = ticks
  const rows = await context.query(renewLanes, { ...health([...lanes.values()]), worker, leaseMs })
  const kept = new Map(rows.map((row) => [row.endpointId, row]))
  for (const [id, lane] of lanes) {
    const row = kept.get(id)
    if (row) {
      const keys = row.enabled ? keysOf(context, id, row) : undefined
      if (row.url !== lane.target.url || (keys && !lane.target.enabled)) startAnew(lane)
      lane.keys = keys ?? lane.keys
      lane.target = { ...row, enabled: keys !== undefined }
      lane.leasedUntil = ticks + leaseMs
    } else {
      // Another worker has it: what waits here is its now.
      forgetWindow(deliveries, lane)
    }
  }
}

const isLow = (lane: Lane, now: Instant): boolean =>
  lane.more && lane.target.enabled && lane.pausedUntil <= now && lane.window.length < fetchSize / 4

const takeDue = (lane: Lane, rows: Awaited<ReturnType<typeof fetchDue>>): void => {
  for (const { eventId, body, ...due } of rows) {
    if (eventId === null || body === null || lane.held.has(due.position)) continue
    lane.held.add(due.position)
    lane.window.push({ ...due, eventId, body })
  }
  const last = rows.at(-1)
  const isFull = rows.length === fetchSize && last !== undefined
  lane.after = isFull ? last : firstPlace
  lane.more = isFull || lane.again
  if (!isFull) lane.again = false
}

const fetchDue = ({ context }: Deliveries, lanes: readonly Lane[]) =>
  context.query(listDue, {
    merchantIds: lanes.map((lane) => lane.merchantId),
    endpointIds: lanes.map((lane) => lane.endpointId),
    afterDueAts: lanes.map((lane) => lane.after.dueAt),
    afterPositions: lanes.map((lane) => lane.after.position),
    now: context.clock(),
    limit: fetchSize,
  })

const refill = async (deliveries: Deliveries): Promise<boolean> => {
  const now = deliveries.context.clock()
  const low = [...deliveries.lanes.values()].filter((lane) => isLow(lane, now))
  if (low.length === 0) return false
  const found = Map.groupBy(await fetchDue(deliveries, low), (row) => row.endpointId)
  for (const lane of low) {
    takeDue(lane, found.get(lane.endpointId) ?? [])
    if (lane.window.length > 0) deliveries.ready.add(lane)
  }
  return low.some((lane) => isLow(lane, now))
}

const release = async ({ context, lanes, ready, worker }: Deliveries, every: boolean): Promise<void> => {
  const now = context.clock()
  const atRest = [...lanes.values()].filter((lane) => lane.underWay === 0 && lane.held.size === lane.window.length)
  const isIdle = (lane: Lane): boolean => {
    const hasNothing = lane.window.length === 0 && !lane.more && (lane.forward === null || isDown(lane))
    return hasNothing || !lane.target.enabled || lane.pausedUntil > now
  }
  const busy = atRest.filter((lane) => !isIdle(lane))
  // Without room for others those that have had a turn wait for the next one in the database, behind these others.
  const isFull = lanes.size - countFailing(lanes) >= mostLanes
  const endsBefore = context.ticks() - turnMs
  // With many places a lane with a long queue never comes to rest by itself.
  for (const lane of lanes.values()) {
    lane.isTurnOver = isFull && lane.failures === 0 && lane.started > 0 && lane.takenAt <= endsBefore
  }
  const served = isFull ? busy.filter((lane) => lane.failures === 0 && lane.started > 0) : []
  const queued = [...served, ...busy.filter((lane) => lane.failures > 0).slice(mostFailingLanes)]
  for (const lane of queued) lane.pausedUntil = now
  const given = new Set(every ? lanes.values() : [...atRest.filter(isIdle), ...queued])
  if (given.size === 0) return
  // First, so that no attempt starts in them meanwhile; if they cannot be given back, their leases run out.
  for (const lane of given) {
    lanes.delete(lane.endpointId)
    ready.delete(lane)
  }
  await context.query(releaseLanes, { ...health([...given]), worker, now })
}

/**
 * What a process does with lanes: take free ones, renew its leases, fetch what is due (true where there is more to fetch at
 * once), give back those that have nothing or for which there is no room.
 */
export const holdLanes = { lease, renew, refill, release }
