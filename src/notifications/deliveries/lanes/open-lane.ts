import type { Context } from '../../../context.ts'
import {
  type AttemptOutcome,
  downAfterFailures,
  failingFrom,
  isAboutOne,
  isDelivered,
  longestAskedPauseMs,
  type Pace,
  pauseMs,
  type PlanStep,
  readRetryAfter,
} from '../../../domain/delivery.ts'
import type { MerchantMode } from '../../../domain/merchant.ts'
import type { NotificationPlay } from '../../../domain/simulation.ts'
import type { Instant } from '../../../domain/time.ts'
import type { WebhookKey } from '../../../secrets/webhook-secret.ts'
import type { Latencies } from './remember-latency.ts'
import type { DeliveryStatus } from '../store.ts'

/** The current settings of a lane's endpoint. */
export type LaneTarget = {
  readonly url: string
  readonly enabled: boolean
  readonly mode: MerchantMode
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Instant | null
}

/** A delivery that is due. */
export type DueDelivery = PlanStep & {
  readonly position: bigint
  /** Tries of former plans, before it was started again. */
  readonly attemptsBefore: number
  readonly queuedAt: Instant
  readonly play: NotificationPlay | null
  readonly eventId: string
  readonly body: string
}

/** A place among the deliveries of an endpoint in the order in which they are due. */
export type Place = { readonly dueAt: Instant; readonly position: bigint }

/** Before every delivery. */
export const firstPlace: Place = { dueAt: 0, position: 0n }

/** An endpoint that this process is delivering to, and its health. */
export type Lane = {
  readonly merchantId: string
  readonly endpointId: string
  target: LaneTarget
  /** Keys of its secrets, the present one first, with the time at which each stops signing. */
  keys: readonly { readonly key: WebhookKey; readonly until: Instant }[]
  /** When this process took it, in ticks. */
  readonly takenAt: number
  /** When the lease ends, in ticks. */
  leasedUntil: number
  failures: number
  successes: number
  failingSince: Instant | null
  lastFailedAt: Instant | null
  pausedUntil: Instant
  /** How many times this process has paused it. */
  pauses: number
  /** Average of its answers in which the last ones count most; `null` before the first. */
  latencyMs: number | null
  /** What has failed since `since` and waits after `after` is still to be brought forward. */
  forward: { readonly since: Instant; readonly after: Place } | null
  /** What is sent next. */
  readonly window: DueDelivery[]
  /** Whether the newest delivery is tried before the one that has waited longest. */
  newestFirst: boolean
  /** By position: deliveries in the window, under way, not yet written, or written since the last look. */
  readonly held: Map<bigint, DueDelivery>
  underWay: number
  /** No more attempts start here: the lane is given back to make room for others. */
  isTurnOver: boolean
  /** Attempts since this process holds it, and deliveries that it fetched. */
  started: number
  fetched: number
  /** Whether the database may have more that is due, after which position, and then again from the start. */
  more: boolean
  after: Place
  again: boolean
}

/** An attempt that has ended and is not written yet, and what becomes of its delivery. */
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
  /** Those in which something waits to be sent, the one whose turn it is first. */
  readonly ready: Set<Lane>
  /** Of the endpoints that this process has delivered to, including those that it no longer holds. */
  readonly latencies: Latencies
  ended: EndedAttempt[]
  /** Attempts that are written; the next look at their lanes lets them go. */
  written: EndedAttempt[]
  /** Free lanes that wait while this process has no room for them. */
  waiting: number
  underWay: number
  /** How many of these went to endpoints of each pace, as of their start. */
  readonly underWayOf: Record<Pace, number>
  /** In ticks. */
  renewedAt: number
  /** Wakes the waiting round when an attempt has ended. */
  wake: (() => void) | undefined
  stopped: boolean
}

/** Opens a lane that this process has leased, to an endpoint with this latency before. */
export const openLane = (
  row: Pick<Lane, 'merchantId' | 'endpointId' | 'failures' | 'failingSince' | 'lastFailedAt'> &
    LaneTarget & { readonly forwardSince: Instant | null; readonly asked: boolean },
  keys: Lane['keys'],
  { takenAt, leasedUntil }: Pick<Lane, 'takenAt' | 'leasedUntil'>,
  latencyMs: number | null,
): Lane => ({
  merchantId: row.merchantId,
  endpointId: row.endpointId,
  target: row,
  keys,
  takenAt,
  leasedUntil,
  failures: row.failures,
  successes: 0,
  failingSince: row.failingSince,
  lastFailedAt: row.lastFailedAt,
  pausedUntil: 0,
  pauses: 0,
  latencyMs,
  forward: row.forwardSince === null ? null : { since: row.forwardSince, after: firstPlace },
  window: [],
  newestFirst: row.asked || (row.failures >= downAfterFailures && row.failures % 2 === 1),
  held: new Map(),
  underWay: 0,
  isTurnOver: false,
  started: 0,
  fetched: 0,
  more: true,
  after: firstPlace,
  again: false,
})

/** Marks a lane to be looked through again: something may have become free there. */
export const lookAgain = (lane: Lane): void => {
  lane.more = true
  lane.again = lane.after !== firstPlace
}

/** Marks all that failed since the endpoint began to fail to be brought forward. */
const forwardFailed = (lane: Lane): void => {
  if (lane.failingSince === null) return
  lane.forward = { since: Math.min(lane.failingSince, lane.forward?.since ?? Infinity), after: firstPlace }
}

/** Clears the health of an endpoint that has another address or was enabled again; what has failed is tried again. */
export const resetLane = (lane: Lane): void => {
  forwardFailed(lane)
  lane.failures = 0
  lane.successes = 0
  lane.failingSince = null
  lane.pausedUntil = 0
  lane.latencyMs = null
}

/** Whether an endpoint counts as down. */
export const isDown = (lane: Lane): boolean => lane.failures >= downAfterFailures

const noteSuccess = (lane: Lane): void => {
  if (isDown(lane)) forwardFailed(lane)
  lane.failures = 0
  lane.failingSince = null
  lane.pausedUntil = 0
  lane.successes++
}

/** Notes in a lane the result of an attempt that started when it had `failures` and `pauses`. */
export const noteOutcome = (
  lane: Lane,
  { failures, pauses }: Pick<Lane, 'failures' | 'pauses'>,
  outcome: AttemptOutcome,
  now: Instant,
): void => {
  // The sandbox only pretends; its endpoint is as well as before.
  if (outcome.error === 'simulated') return
  lane.latencyMs = lane.latencyMs === null ? outcome.latencyMs : (lane.latencyMs * 3 + outcome.latencyMs) / 4
  if (isDelivered(outcome)) {
    // One that was sent before the endpoint was paused says nothing about it since then.
    if (pauses === lane.pauses) noteSuccess(lane)
    return
  }
  lane.failingSince = failingFrom(lane.failingSince, lane.lastFailedAt, now)
  lane.lastFailedAt = now
  if (isAboutOne(outcome)) return
  // Attempts that were under way together fail together, and count once.
  lane.failures = Math.max(lane.failures, failures + 1)
  lane.successes = 0
  const asked = outcome.status === 429 || outcome.status === 503 ? readRetryAfter(outcome.retryAfter, now) : 0
  const until = now + Math.max(pauseMs(lane.failures), Math.min(asked, longestAskedPauseMs))
  if (until <= now || until <= lane.pausedUntil) return
  lane.pausedUntil = until
  lane.pauses++
}
