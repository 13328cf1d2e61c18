import type { Context } from '../../context.ts'
import { endpointsKey, disableEndpoint } from '../endpoints/endpoints.ts'
import {
  type Deliveries,
  type LeaseTimes,
  startDeliveries,
  isDown,
  type Lane,
  noteChanged,
  type EndedAttempt,
} from './lanes/lane.ts'
import { fillLanes } from './lanes/fill-lanes.ts'
import { holdLanes } from './lanes/hold-lanes.ts'
import { deliveriesKey } from './queueing/queue-deliveries.ts'
import { sendDue } from './lanes/send-due.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { planBounds } from '../../../rules/time.ts'
import { bringForward, recordAttempts } from './store.ts'
import { hasFailedTooLong, isGone } from '../../../rules/notices/delivery.ts'

const couriers = new WeakMap<Context, Courier>()

/** Delivers what is due from this process, one round per call; returns 0 when nothing is due or under way. */
export const deliverNotifications = (context: Context): Promise<number> => {
  const courier = couriers.get(context) ?? openCourier(context)
  couriers.set(context, courier)
  return courier.round()
}

/** Stops delivering in this process, so that another one takes over immediately. */
export const stopDelivering = async (context: Context): Promise<void> => {
  await couriers.get(context)?.stop()
  couriers.delete(context)
}

/** Delivers from this process. */
type Courier = {
  /**
   * One round: renews leases, leases lanes, writes results while it fetches, sends, brings forward, releases lanes;
   * then waits for an attempt to end if any is under way. Returns 0 if there was nothing to do.
   */
  round(): Promise<number>
  /** Waits some seconds for attempts under way, writes their results and releases all lanes. */
  stop(): Promise<void>
}

/** How often a process looks for free lanes and new deliveries while attempts are under way. */
const lookEveryMs = 250
const usualLeaseTimes: LeaseTimes = { reserveMs: 10_000, marginMs: 2000, renewEveryMs: 1000 }
/** A longer attempt is cut off with the process; the next holder of its lane repeats it. */
const stopWithinMs = 7000

/** Waits until an attempt ends; returns whether it is time to check the database for more. */
const waitForMore = (deliveries: Deliveries): Promise<boolean> =>
  new Promise((resolve) => {
    const done = (look: boolean): void => {
      clearTimeout(timer)
      unsubscribe()
      deliveries.wake = undefined
      resolve(look)
    }
    const timer = setTimeout(() => done(true), lookEveryMs)
    const unsubscribe = deliveries.context.changes.subscribe(deliveriesKey, () => done(true))
    // Attempts that end in the same turn of the event loop are written together.
    deliveries.wake = () => setImmediate(() => done(false))
    if (deliveries.ended.length > 0) deliveries.wake()
  })

/** Waits for both, even if one fails: the next round must not start while the other still runs. */
const both = async <A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> => {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

/** Waits until no attempt is under way, up to a limit. */
const waitForEnd = (deliveries: Deliveries, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      deliveries.wake = undefined
      resolve()
    }
    const timer = setTimeout(done, ms)
    deliveries.wake = () => {
      if (deliveries.underWay === 0) done()
    }
    deliveries.wake()
  })

/** Opens the courier of this process over a context. */
export const openCourier = (context: Context, leaseTimes = usualLeaseTimes): Courier => {
  const deliveries = startDeliveries(context, leaseTimes)
  const { lanes } = deliveries
  let isChanged = true
  let lookedAt = 0
  // A changed endpoint, such as a new secret, applies from the next attempt on: renewing leases reads it.
  const unsubscribe = context.changes.subscribe(endpointsKey, () => {
    deliveries.renewedAt = -Infinity
    deliveries.wake?.()
  })
  return {
    round: async () => {
      await holdLanes.renew(deliveries)
      // Attempts that keep ending cut every wait short, so the time since the last check counts, too.
      if (isChanged || context.ticks() - lookedAt >= lookEveryMs) {
        lookedAt = context.ticks()
        await holdLanes.lease(deliveries)
        for (const lane of lanes.values()) if (lane.toSend.length === 0) lane.isRead = false
      }
      const [written, hasMore] = await both(writeAttempts(deliveries), fillLanes(deliveries))
      sendDue(deliveries)
      // Only failures that are already written can be brought forward.
      const forwarded = await forwardDeliveries(deliveries)
      await holdLanes.release(deliveries, 'done')
      if (hasMore || forwarded > 0 || written > 0) return 1
      const isBusy = deliveries.underWay > 0 || deliveries.ended.length > 0
      isChanged = isBusy ? await waitForMore(deliveries) : true
      return isBusy ? 1 : 0
    },
    stop: async () => {
      unsubscribe()
      deliveries.isStopped = true
      await waitForEnd(deliveries, stopWithinMs)
      while ((await writeAttempts(deliveries)) > 0);
      await holdLanes.release(deliveries, 'all')
    },
  }
}

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

/** The result of an attempt, by the state that it gives the delivery. */
const results = { delivered: 'delivered', pending: 'retried', failed: 'given-up' } as const

const attemptsPerQuery = 1000

const disableFailed = async ({ context }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  for (const { lane, url, outcome } of batch) {
    const isOver = hasFailedTooLong(lane.failingSince, context.clock())
    const reason = isGone(outcome) ? 'gone' : isOver ? 'failing' : undefined
    if (!reason) continue
    if (lane.target.url === url) lane.target = { ...lane.target, enabled: false }
    const { merchantId, endpointId: id } = lane
    try {
      await disableEndpoint(context, { merchantId, id, url }, reason)
    } catch (error) {
      // The database is unreachable: the next round disables the endpoint.
      if (error instanceof Refusal) throw error
      context.log.error({ err: error, endpointId: id }, 'an endpoint cannot be disabled')
    }
  }
}

type Rows = Parameters<typeof recordAttempts.encode>[0]['rows']

/** Writes attempts, again while somebody else changes their deliveries. */
const write = async (context: Context, rows: Rows): Promise<void> => {
  const left = await context.query(recordAttempts, { rows, now: context.clock() })
  const isLeft = (row: Rows[number]): boolean =>
    left.some(({ endpointId, position }) => row.endpointId === endpointId && row.position === position)
  if (left.length > 0) await write(context, rows.filter(isLeft))
}

const record = async ({ context, written }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  const rows = batch.map(({ lane, due, outcome, ...ended }) => ({
    ...ended,
    merchantId: lane.merchantId,
    endpointId: lane.endpointId,
    position: due.position,
    attempts: due.attempts,
    queuedAt: due.queuedAt,
    httpStatus: outcome.httpStatus,
    error: outcome.error,
    latencyMs: Math.min(outcome.latencyMs, 2 ** 31 - 1),
    excerpt: outcome.excerpt,
  }))
  await write(context, rows)
  written.push(...batch)
  for (const { status, outcome } of batch) {
    context.meter.count('payin_delivery_attempts_total', { result: results[status] })
    context.meter.observe('payin_delivery_attempt_duration_seconds', {}, outcome.latencyMs / 1000)
  }
  context.changes.announce('deliveries', [...new Set(batch.map(({ lane }) => lane.merchantId))])
}

/** The excerpt is written by the receiver, so it is the part that the database may refuse. */
const withoutExcerpt = (ended: EndedAttempt): EndedAttempt => ({ ...ended, outcome: { ...ended.outcome, excerpt: '' } })

/**
 * Writes attempts. If the database refuses them, it halves the batch until the refused attempt is alone, and writes
 * that one without its excerpt. An attempt that cannot be written at all stays in hand, so that it is not sent again
 * and again.
 */
const recordEach = async (deliveries: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  try {
    await record(deliveries, batch)
  } catch (error) {
    const [first] = batch
    // The database is unreachable: the next round writes everything.
    if (error instanceof Refusal || !first) throw error
    const { eventId } = first.due
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2)
      await recordEach(deliveries, batch.slice(0, middle))
      await recordEach(deliveries, batch.slice(middle))
    } else if (first.outcome.excerpt === '') {
      deliveries.context.log.error({ err: error, eventId }, 'an attempt of a delivery cannot be written')
    } else {
      deliveries.context.log.error({ err: error, eventId }, 'an attempt of a delivery is written without its answer')
      await recordEach(deliveries, [withoutExcerpt(first)])
    }
  }
}

/**
 * Writes the results of attempts that have ended, and logs them; disables endpoints that are gone or have failed for
 * too long. Returns how many attempts were written.
 */
const writeAttempts = async (deliveries: Deliveries): Promise<number> => {
  const batch = deliveries.ended.slice(0, attemptsPerQuery)
  if (batch.length === 0) return 0
  await recordEach(deliveries, batch)
  // If this fails, the next round writes the batch again, which changes nothing that is already written.
  await disableFailed(deliveries, batch)
  deliveries.ended = deliveries.ended.slice(batch.length)
  return batch.length
}
