import type { Context } from '../../context.ts'
import { endpointsKey } from '../endpoints/endpoints.ts'
import { type Deliveries, type LeaseTimes, startDeliveries } from './deliveries.ts'
import { fillLanes } from './lanes/fill-lanes.ts'
import { holdLanes } from './lanes/hold-lanes.ts'
import { deliveriesKey } from './queueing/queue-deliveries.ts'
import { sendDue } from './send-due.ts'
import { writeAttempts } from './write-attempts.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { planBounds } from '../../../rules/time.ts'
import { isDown, type Lane, noteChanged } from './lanes/lane.ts'
import { bringForward } from './store.ts'

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
