import type { Context } from '../context.ts'
import {
  type AttemptOutcome,
  hasFailedTooLong,
  isDelivered,
  isGone,
  nextTry,
  readRetryAfter,
} from '../domain/delivery.ts'
import { repeatedAfterMs, simulatedFailures } from '../domain/simulation.ts'
import type { Instant } from '../domain/time.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import { openSecret } from '../endpoints/seal-secret.ts'
import { type DueDelivery, type Lane, type LaneTarget, noteOutcome, openLane, roomIn } from './open-lane.ts'
import { deliveriesKey } from './queue-deliveries.ts'
import {
  bringForward,
  type DeliveryStatus,
  leaseLanes,
  listDue,
  recordAttempts,
  releaseLanes,
  renewLanes,
} from './store.ts'

/** Delivers from this process. */
export type Courier = {
  /**
   * One round: writes what came of attempts, renews leases, takes lanes, fetches, sends, gives lanes back; waits for an
   * attempt to end while any is under way. Returns 0 when there was nothing to do.
   */
  round(): Promise<number>
  /** Lets attempts under way end for a moment, writes them and gives all lanes back. */
  stop(): Promise<void>
}

/** Lanes that one process holds at a time, and deliveries that it fetches for a lane: 100 000 bodies at most. */
const mostLanes = 500
const fetchSize = 200
/** Attempts that are written by one statement. */
const recordSize = 1000
/** How often a process looks for lanes and renews leases while attempts are under way. */
const lookEveryMs = 250
const renewEveryMs = 1000
/** A lease outlives an attempt by so much. */
const leaseReserveMs = 10_000
/** Endpoints that fail share this part of all attempts, so that those that work find room. */
const failingShare = 0.25
const stopWithinMs = 3000

type Ended = {
  readonly lane: Lane
  readonly due: DueDelivery
  readonly outcome: AttemptOutcome
  readonly at: Instant
  readonly status: DeliveryStatus
  readonly step: number
  readonly dueAt: Instant
}

const simulatedFailure: AttemptOutcome = {
  status: null,
  error: 'simulated',
  retryAfter: null,
  latencyMs: 0,
  excerpt: '',
}

/** What becomes of a delivery after an attempt. */
const decide = (due: DueDelivery, outcome: AttemptOutcome, now: Instant): Pick<Ended, 'status' | 'step' | 'dueAt'> => {
  if (isDelivered(outcome)) {
    return due.play === 'twice-out-of-order'
      ? { status: 'pending', step: due.step, dueAt: now + repeatedAfterMs }
      : { status: 'delivered', step: due.step, dueAt: now }
  }
  // The last digits of an id are random.
  const spread = Number.parseInt(due.eventId.slice(-4), 16) / 0xffff
  const next = isGone(outcome) ? null : nextTry(due.step, now, spread, readRetryAfter(outcome.retryAfter, now))
  return next
    ? { status: 'pending', step: next.step, dueAt: next.at }
    : { status: 'failed', step: due.step, dueAt: now }
}

/** Opens the courier of this process over a context. */
export const openCourier = (context: Context): Courier => {
  const { settings, clock, webhooks } = context
  const worker = context.newId()
  const leaseMs = settings.notificationTimeoutMs + leaseReserveMs
  const lanes = new Map<string, Lane>()
  let ended: Ended[] = []
  let underWay = 0
  let underWayFailing = 0
  let renewedAt = 0
  let lastLookAt = 0
  let wake: (() => void) | undefined
  let stopped = false

  const secretsOf = (lane: { endpointId: string }) => (target: LaneTarget) => {
    const open = (sealed: string): string => openSecret(context.vault, lane.endpointId, sealed)
    const { secretSealed, previousSecretSealed, previousSecretUntil } = target
    const present = { secret: open(secretSealed), until: Infinity }
    if (previousSecretSealed === null || previousSecretUntil === null) return [present]
    return [present, { secret: open(previousSecretSealed), until: previousSecretUntil }]
  }

  const health = (some: readonly Lane[]) => ({
    merchantIds: some.map((lane) => lane.merchantId),
    endpointIds: some.map((lane) => lane.endpointId),
    failures: some.map((lane) => lane.failures),
    failingSinces: some.map((lane) => lane.failingSince),
    pausedUntils: some.map((lane) => lane.pausedUntil),
  })

  const attempt = (lane: Lane, due: DueDelivery, at: Instant): Promise<AttemptOutcome> => {
    if (due.play === 'fails-twice' && due.attempts < simulatedFailures) return Promise.resolve(simulatedFailure)
    return webhooks.send({
      url: lane.target.url,
      reach: lane.target.mode === 'sandbox' && settings.notificationLoopback ? 'loopback' : 'public',
      secrets: lane.secrets.filter(({ until }) => until > at).map(({ secret }) => secret),
      id: due.eventId,
      body: due.body,
      // All tries of an event are spans of one trace.
      traceparent: `00-${due.eventId.replaceAll('-', '')}-${context.newId().replaceAll('-', '').slice(-16)}-01`,
    })
  }

  const launch = (lane: Lane, due: DueDelivery): void => {
    const { failures } = lane
    const at = clock()
    lane.underWay++
    underWay++
    if (failures > 0) underWayFailing++
    void attempt(lane, due, at).then((outcome) => {
      const now = clock()
      lane.underWay--
      underWay--
      if (failures > 0) underWayFailing--
      if (noteOutcome(lane, failures, outcome, now)) recovered.add(lane)
      ended.push({ lane, due, outcome, at, ...decide(due, outcome, now) })
      if (isGone(outcome)) lane.target = { ...lane.target, enabled: false }
      fillLane(lane, now)
      wake?.()
    })
  }
  const recovered = new Set<Lane>()

  const fillLane = (lane: Lane, now: Instant): void => {
    if (stopped) return
    const room = lane.failures > 0 ? settings.notificationsInFlight * failingShare - underWayFailing : Infinity
    const most = Math.min(
      roomIn(lane, now, settings.notificationsPerEndpoint),
      settings.notificationsInFlight - underWay,
      room,
    )
    for (let count = 0; count < most; count++) {
      const due = lane.window.shift()
      if (!due) return
      launch(lane, due)
    }
  }

  const record = async (): Promise<number> => {
    const batch = ended.slice(0, recordSize)
    if (batch.length === 0) return 0
    await context.query(recordAttempts, {
      merchantIds: batch.map(({ lane }) => lane.merchantId),
      endpointIds: batch.map(({ lane }) => lane.endpointId),
      positions: batch.map(({ due }) => due.position),
      attempts: batch.map(({ due }) => due.attempts),
      statuses: batch.map(({ status }) => status),
      steps: batch.map(({ step }) => step),
      dueAts: batch.map(({ dueAt }) => dueAt),
      ats: batch.map(({ at }) => at),
      answers: batch.map(({ outcome }) => outcome.status),
      errors: batch.map(({ outcome }) => outcome.error),
      latencies: batch.map(({ outcome }) => Math.min(outcome.latencyMs, 2 ** 31 - 1)),
      excerpts: batch.map(({ outcome }) => outcome.excerpt),
      now: clock(),
    })
    ended = ended.slice(batch.length)
    for (const { lane, due } of batch) {
      lane.held.delete(due.position)
      lane.more = true
    }
    await follow(batch)
    return batch.length
  }

  const follow = async (batch: readonly Ended[]): Promise<void> => {
    for (const { lane, outcome } of batch) {
      const reason = isGone(outcome) ? 'gone' : hasFailedTooLong(lane.failingSince, clock()) ? 'failing' : undefined
      if (!reason) continue
      lane.target = { ...lane.target, enabled: false }
      await disableEndpoint(context, lane.merchantId, lane.endpointId, reason)
    }
    for (const lane of recovered) {
      await context.query(bringForward, { merchantId: lane.merchantId, endpointId: lane.endpointId, now: clock() })
      recovered.delete(lane)
    }
  }

  const renew = async (): Promise<void> => {
    const now = clock()
    if (lanes.size === 0 || Math.abs(now - renewedAt) < renewEveryMs) return
    renewedAt = now
    const rows = await context.query(renewLanes, { ...health([...lanes.values()]), worker, until: now + leaseMs })
    const kept = new Map(rows.map((row) => [row.endpointId, row]))
    for (const [id, lane] of lanes) {
      const row = kept.get(id)
      if (!row) {
        // Another worker has it: what waits here is its now.
        lanes.delete(id)
        lane.window.length = 0
        lane.target = { ...lane.target, enabled: false }
      } else {
        if (row.enabled) lane.secrets = secretsOf(lane)(row)
        lane.target = row
      }
    }
  }

  const lease = async (): Promise<void> => {
    const now = clock()
    lastLookAt = now
    const limit = mostLanes - lanes.size
    if (limit <= 0) return
    const rows = await context.query(leaseLanes, { now, until: now + leaseMs, worker, limit })
    // One whose lease ran out while it was busy here is taken anew and goes on.
    for (const row of rows) if (!lanes.has(row.endpointId)) lanes.set(row.endpointId, openLane(row, secretsOf(row)))
  }

  const refill = async (): Promise<void> => {
    const now = clock()
    const low = [...lanes.values()].filter(
      (lane) => lane.more && lane.target.enabled && lane.pausedUntil <= now && lane.window.length < fetchSize / 4,
    )
    if (low.length === 0) return
    const held = low.flatMap((lane) => [...lane.held].map((position) => ({ id: lane.endpointId, position })))
    for (const lane of low) lane.more = false
    const rows = await context.query(listDue, {
      merchantIds: low.map((lane) => lane.merchantId),
      endpointIds: low.map((lane) => lane.endpointId),
      heldEndpointIds: held.map(({ id }) => id),
      heldPositions: held.map(({ position }) => position),
      now,
      limit: fetchSize,
    })
    const counts = new Map<string, number>()
    for (const row of rows) {
      const lane = lanes.get(row.endpointId)
      if (!lane) continue
      lane.window.push(row)
      lane.held.add(row.position)
      counts.set(row.endpointId, (counts.get(row.endpointId) ?? 0) + 1)
    }
    for (const lane of low) if (counts.get(lane.endpointId) === fetchSize) lane.more = true
  }

  const release = async (every: boolean): Promise<void> => {
    const now = clock()
    const idle = [...lanes.values()].filter((lane) => {
      const isAtRest = lane.underWay === 0 && lane.held.size === lane.window.length
      const hasNothing = lane.window.length === 0 && !lane.more
      return isAtRest && (every || hasNothing || !lane.target.enabled || lane.pausedUntil > now)
    })
    if (idle.length === 0) return
    await context.query(releaseLanes, { ...health(idle), worker })
    for (const lane of idle) lanes.delete(lane.endpointId)
  }

  const somethingHappens = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        unsubscribe()
        wake = undefined
        resolve()
      }
      const look = (): void => {
        for (const lane of lanes.values()) if (lane.window.length === 0) lane.more = true
        lastLookAt = 0
        done()
      }
      const timer = setTimeout(look, ms)
      const unsubscribe = context.changes.subscribe(deliveriesKey, look)
      // What has ended in the same turn of the event loop is written together.
      wake = () => setImmediate(done)
      if (ended.length > 0) wake()
    })

  return {
    round: async () => {
      const recorded = await record()
      await renew()
      if (lastLookAt === 0 || Math.abs(clock() - lastLookAt) >= lookEveryMs || underWay === 0) await lease()
      await refill()
      const now = clock()
      for (const lane of lanes.values()) fillLane(lane, now)
      await release(false)
      if (underWay === 0 && ended.length === 0) return recorded
      await somethingHappens(lookEveryMs)
      return 1
    },
    stop: async () => {
      stopped = true
      for (let waited = 0; underWay > 0 && waited < stopWithinMs; waited += lookEveryMs) {
        await somethingHappens(lookEveryMs)
      }
      while ((await record()) > 0);
      await release(true)
    },
  }
}
