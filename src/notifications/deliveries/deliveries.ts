import type { Context } from '../../context.ts'
import type { AttemptOutcome, Pace } from '../../domain/delivery.ts'
import type { Instant } from '../../domain/time.ts'
import type { DueDelivery, Lane, Latencies } from './lanes/lane.ts'
import type { DeliveryStatus } from './store.ts'

/** An attempt that has ended and is not written yet, and the state of its delivery from then on. */
export type EndedAttempt = {
  readonly lane: Lane
  readonly due: DueDelivery
  /** Where it was sent; the endpoint may have another address by now. */
  readonly url: string
  readonly outcome: AttemptOutcome
  readonly at: Instant
  readonly status: DeliveryStatus
  readonly step: number
  readonly dueAt: Instant
  readonly failedAt: Instant | null
  readonly notBefore: Instant | null
}

/** Times of the leases of one process, in milliseconds of real time. */
export type LeaseTimes = {
  /** A lease outlives the longest attempt by this much. */
  readonly reserveMs: number
  /** An attempt is over and written this long before its lease ends. */
  readonly marginMs: number
  /** How often leases are renewed. */
  readonly renewEveryMs: number
}

/** What one process delivers at present. */
export type Deliveries = {
  readonly context: Context
  /** This process, as its leases name it. */
  readonly worker: string
  readonly leaseMs: number
  readonly leaseTimes: LeaseTimes
  /** By the ids of their endpoints. */
  readonly lanes: Map<string, Lane>
  /** Lanes that have something to send, the one whose turn it is first. */
  readonly ready: Set<Lane>
  /** Of the endpoints that this process has delivered to, including those whose lanes it has given back. */
  readonly latencies: Latencies
  ended: EndedAttempt[]
  /** Attempts that are written; the next look at their lanes takes them out of hand. */
  written: EndedAttempt[]
  /** Free lanes that wait while this process has no room for them. */
  lanesWaiting: number
  underWay: number
  /** How many of these went to endpoints of each pace, as of their start. */
  readonly underWayOf: Record<Pace, number>
  /** In ticks. */
  renewedAt: number
  /** Wakes the waiting round when an attempt has ended. */
  wake: (() => void) | undefined
  isStopped: boolean
}

/** Deliveries of a process that holds no lane yet. */
export const startDeliveries = (context: Context, leaseTimes: LeaseTimes): Deliveries => ({
  context,
  worker: context.newId(),
  leaseMs: context.settings.notificationTimeoutMs + leaseTimes.reserveMs,
  leaseTimes,
  lanes: new Map(),
  ready: new Set(),
  latencies: new Map(),
  ended: [],
  written: [],
  lanesWaiting: 0,
  underWay: 0,
  underWayOf: { quick: 0, new: 0, slow: 0, failing: 0 },
  renewedAt: 0,
  wake: undefined,
  isStopped: false,
})
