import type { Context } from '../../context.ts'
import { endpointsKey } from '../endpoints/announce-endpoints.ts'
import { type Deliveries, type LeaseTimes, startDeliveries } from './deliveries.ts'
import { forwardDeliveries } from './forward-deliveries.ts'
import { fillLanes } from './lanes/fill-lanes.ts'
import { holdLanes } from './lanes/hold-lanes.ts'
import { noteReading } from './lanes/lane.ts'
import { deliveriesKey } from './queue-deliveries.ts'
import { sendDue } from './send-due.ts'
import { writeAttempts } from './write-attempts.ts'

/** Delivers from this process. */
export type Courier = {
  /**
   * One round: renews leases, takes lanes, writes the results of attempts while it fetches, sends, brings forward, gives lanes
   * back; waits for an attempt to end while any is under way. Returns 0 when there was nothing to do.
   */
  round(): Promise<number>
  /** Lets attempts under way end for some seconds, writes them and gives all lanes back. */
  stop(): Promise<void>
}

/** How often a process looks for free lanes and new deliveries while attempts are under way. */
const lookEveryMs = 250
const usualLeaseTimes: LeaseTimes = { reserveMs: 10_000, marginMs: 2000, renewEveryMs: 1000 }
/** An attempt that takes longer is cut off with the process, and made again by the next one. */
const stopWithinMs = 7000

/** Waits until an attempt ends; returns whether it is time to look for more in the database. */
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
    // What has ended in the same turn of the event loop is written together.
    deliveries.wake = () => setImmediate(() => done(false))
    if (deliveries.ended.length > 0) deliveries.wake()
  })

/** Waits for both, also where one fails: nothing of a round overlaps the next one. */
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
  let hinted = true
  let lookedAt = 0
  // What has changed of an endpoint, such as its secret, holds for the next attempt.
  const unsubscribe = context.changes.subscribe(endpointsKey, () => {
    deliveries.renewedAt = -Infinity
    deliveries.wake?.()
  })
  return {
    round: async () => {
      await holdLanes.renew(deliveries)
      // While attempts end all the time no wait is long enough to look for more, so the clock says when.
      if (hinted || context.ticks() - lookedAt >= lookEveryMs) {
        lookedAt = context.ticks()
        await holdLanes.lease(deliveries)
        for (const lane of lanes.values()) if (lane.toSend.length === 0) noteReading(lane, 'looked')
      }
      const [written, hasMore] = await both(writeAttempts(deliveries), fillLanes(deliveries))
      sendDue(deliveries)
      // After what has failed is written.
      const forwarded = await forwardDeliveries(deliveries)
      await holdLanes.release(deliveries, 'done')
      if (hasMore || forwarded > 0 || written > 0) return 1
      const isBusy = deliveries.underWay > 0 || deliveries.ended.length > 0
      hinted = isBusy ? await waitForMore(deliveries) : true
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
