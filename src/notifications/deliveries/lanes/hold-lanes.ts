import type { Context } from '../../../context.ts'
import type { Instant } from '../../../domain/time.ts'
import { openSigningKey } from '../../endpoints/seal-secret.ts'
import {
  type Deliveries,
  firstPlace,
  isDown,
  type Lane,
  type LaneTarget,
  lookAgain,
  openLane,
  resetLane,
} from './open-lane.ts'
import { knownLatency } from './remember-latency.ts'
import { countWaiting, leaseLanes, listDue, listNewest, releaseLanes, renewLanes } from './store.ts'

/**
 * Lanes that one process holds at a time, of those that work and of those that fail, and deliveries that it fetches for a
 * lane at a time: 180 000 bodies at most. Lanes that fail wait long for a turn, and must not keep others from being held.
 */
const mostLanes = 500
const mostFailingLanes = 100
const mostFetched = 200
const fewestFetched = 20

/** Where there is no room for lanes that wait, one that works is given back after this long. */
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

const withForward = (lane: Lane) => ({ ...lane, forwardSince: lane.forward?.since ?? null })

/** Forgets what waits in a lane that another worker may have served meanwhile. */
const forgetWindow = ({ lanes, ready }: Deliveries, lane: Lane): void => {
  lanes.delete(lane.endpointId)
  ready.delete(lane)
  lane.window.length = 0
  lane.target = { ...lane.target, enabled: false }
}

const countFailing = (lanes: Deliveries['lanes']): number => {
  let count = 0
  for (const lane of lanes.values()) if (isDown(lane)) count++
  return count
}

const isFull = (lanes: Deliveries['lanes']): boolean => lanes.size - countFailing(lanes) >= mostLanes

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
  const [waiting] = isFull(lanes) ? await context.query(countWaiting, { now: context.clock(), most: mostLanes }) : []
  deliveries.waiting = waiting?.lanes ?? 0
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
      if (row.url !== lane.target.url || (keys && !lane.target.enabled)) resetLane(lane)
      lane.keys = keys ?? lane.keys
      lane.target = { ...row, enabled: keys !== undefined }
      lane.leasedUntil = ticks + leaseMs
    } else {
      // Another worker has it, and sends what waits here.
      forgetWindow(deliveries, lane)
    }
  }
}

/** How many deliveries to fetch for a lane: more as it gets through them, as what is left at the end was fetched in vain. */
const fetchSize = ({ fetched, window }: Lane): number =>
  Math.min(fewestFetched + 2 * (fetched - window.length), mostFetched)

const isLow = (lane: Lane, now: Instant): boolean =>
  lane.more && lane.target.enabled && lane.pausedUntil <= now && lane.window.length < fetchSize(lane) / 2

type DueRow = ReturnType<typeof listDue.decode>

const takeDue = (lane: Lane, size: number, rows: readonly DueRow[]): void => {
  for (const { eventId, body, ...due } of rows) {
    if (eventId === null || body === null || lane.held.has(due.position)) continue
    const delivery = { ...due, eventId, body }
    lane.held.set(due.position, delivery)
    lane.window.push(delivery)
  }
  const last = rows.at(-1)
  lane.fetched += rows.length
  const isWhole = rows.length === size && last !== undefined
  lane.after = isWhole ? last : firstPlace
  lane.more = isWhole || lane.again
  if (!isWhole) lane.again = false
}

/** Lets go of what was written before this look: an earlier look may still have found it due, and must not bring it back. */
const letGo = (deliveries: Deliveries): void => {
  for (const { lane, due } of deliveries.written.splice(0)) {
    // Not one that was fetched again since: where a round was cut off, some are written twice.
    if (lane.held.get(due.position) === due) lane.held.delete(due.position)
    lookAgain(lane)
  }
}

/**
 * Puts the newest delivery that was never tried before the one that has waited longest: an endpoint that is down gets one
 * at a time with long pauses, and must not be judged by the same ones forever.
 */
const putNewest = async ({ context, lanes, ready }: Deliveries, now: Instant): Promise<void> => {
  const asked = [...lanes.values()].filter((lane) => lane.newestFirst && lane.target.enabled && lane.pausedUntil <= now)
  if (asked.length === 0) return
  const rows = await context.query(listNewest, { rows: asked, now })
  for (const lane of asked) {
    lane.newestFirst = false
    const due = rows.find((row) => row.endpointId === lane.endpointId)
    if (!due || lane.held.has(due.position)) continue
    lane.held.set(due.position, due)
    lane.window.unshift(due)
    ready.add(lane)
  }
}

const refill = async (deliveries: Deliveries): Promise<boolean> => {
  const { context } = deliveries
  letGo(deliveries)
  const now = context.clock()
  await putNewest(deliveries, now)
  const low = [...deliveries.lanes.values()].filter((lane) => isLow(lane, now))
  if (low.length === 0) return false
  const wanted = low.map((lane) => ({
    lane,
    merchantId: lane.merchantId,
    endpointId: lane.endpointId,
    afterDueAt: lane.after.dueAt,
    afterPosition: lane.after.position,
    size: fetchSize(lane),
  }))
  const due = await context.query(listDue, { rows: wanted, now: context.clock() })
  const found = Map.groupBy(due, (row) => row.endpointId)
  for (const { lane, size } of wanted) {
    takeDue(lane, size, found.get(lane.endpointId) ?? [])
    if (lane.window.length > 0) deliveries.ready.add(lane)
  }
  return low.some((lane) => isLow(lane, now))
}

/**
 * Lanes that work and have had a turn, as many as others wait for, the one held longest first; and marks those that start
 * no more: with many places a lane with a long queue never comes to rest.
 */
const endTurns = ({ context, lanes, waiting }: Deliveries, busy: ReadonlySet<Lane>): Lane[] => {
  for (const lane of lanes.values()) lane.isTurnOver = false
  if (waiting === 0) return []
  const endsBefore = context.ticks() - turnMs
  const had = [...lanes.values()].filter((lane) => !isDown(lane) && lane.started > 0)
  const longest = had.toSorted((one, other) => one.takenAt - other.takenAt)
  for (const lane of longest.slice(0, waiting)) lane.isTurnOver = lane.takenAt <= endsBefore
  return longest.filter((lane) => busy.has(lane)).slice(0, waiting)
}

const release = async (deliveries: Deliveries, every: boolean): Promise<void> => {
  const { context, lanes, ready, worker } = deliveries
  const now = context.clock()
  const atRest = [...lanes.values()].filter((lane) => lane.underWay === 0 && lane.held.size === lane.window.length)
  const isIdle = (lane: Lane): boolean => {
    const hasNothing = lane.window.length === 0 && !lane.more && (lane.forward === null || isDown(lane))
    return hasNothing || !lane.target.enabled || lane.pausedUntil > now
  }
  const busy = atRest.filter((lane) => !isIdle(lane))
  // They wait for their next turn in the database, after the others.
  const served = endTurns(deliveries, new Set(busy))
  deliveries.waiting -= served.length
  const queued = [...served, ...busy.filter(isDown).slice(mostFailingLanes)]
  for (const lane of queued) lane.pausedUntil = now
  const given = new Set(every ? lanes.values() : [...atRest.filter(isIdle), ...queued])
  if (given.size === 0) return
  // First, so that no attempt starts in them meanwhile; if they cannot be given back, their leases run out.
  for (const lane of given) {
    lanes.delete(lane.endpointId)
    ready.delete(lane)
  }
  await context.query(releaseLanes, { rows: [...given].map(withForward), worker, now })
}

/**
 * What a process does with lanes: take free ones, renew its leases, fetch what is due (true where there is more to fetch at
 * once), give back those that have nothing or for which there is no room.
 */
export const holdLanes = { lease, renew, refill, release }
