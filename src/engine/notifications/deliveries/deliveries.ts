import type { Context } from '../../context.ts'
import type { AttemptOutcome, DeliveryStatus, Pace } from '../../../rules/notices/delivery.ts'
import type { Instant } from '../../../rules/time.ts'
import type { DueDelivery, Lane } from './lanes/lane.ts'

/** An attempt that has ended but is not written yet, and the resulting state of its delivery. */
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

/** Lease times of one process, in milliseconds of real time. */
export type LeaseTimes = {
  /** A lease lasts this much longer than the longest attempt. */
  readonly reserveMs: number
  /** An attempt has ended and is written this long before its lease ends. */
  readonly marginMs: number
  /** How often leases are renewed. */
  readonly renewEveryMs: number
}

/** What one process is delivering at present. */
export type Deliveries = {
  readonly context: Context
  /** The name of this process in its leases. */
  readonly worker: string
  readonly leaseMs: number
  readonly leaseTimes: LeaseTimes
  /** By the ids of their endpoints. */
  readonly lanes: Map<string, Lane>
  /** Lanes that have something to send, in the order of their turns. */
  readonly ready: Set<Lane>
  /** By endpoint, the average latency of its answers, in which the latest count most; kept when its lane is given back. */
  readonly latencies: Map<string, number>
  ended: EndedAttempt[]
  /** Attempts that are written; the next fetch for their lanes takes them out of `inHand`. */
  written: EndedAttempt[]
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
  underWay: 0,
  underWayOf: { quick: 0, new: 0, slow: 0, failing: 0 },
  renewedAt: 0,
  wake: undefined,
  isStopped: false,
})
