// A lane is the queue of deliveries to one endpoint. One process at a time holds it and sends from it (hold-lanes.ts).
//
// Its failures in a row decide how much is sent at a time: with none, four attempts, and one more after each success;
// with one or two, fewer; with three it is down: one attempt at a time, with pauses, and a success brings forward what
// failed since.
//
// Its deliveries that are due are fetched page by page in the order of their times, up to a cursor. If something before
// the cursor may have become due, it is read from the start again after the last page.
//
// A lane whose endpoint is disabled, or that is paused, keeps all this; nothing is sent, and it is given back.
import {
  type AttemptOutcome,
  downAfterFailures,
  failingFrom,
  isAboutOne,
  isDelivered,
  longestRequestedPauseMs,
  type PlanStep,
  pauseMs,
  readRetryAfter,
  type DeliveryStatus,
  type Pace,
} from '../../../../rules/notices/delivery.ts'
import type { MerchantMode } from '../../../../rules/merchants/merchant.ts'
import type { NotificationPlay } from '../../../../rules/sandbox/simulation.ts'
import type { Instant } from '../../../../rules/time.ts'
import type { WebhookKey } from '../../../../secrets/webhook-secret.ts'
import type { Context } from '../../../context.ts'

/** The current settings of a lane's endpoint. */
export type LaneTarget = {
  readonly url: string
  readonly enabled: boolean
  readonly mode: MerchantMode
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Instant | null
}

export type DueDelivery = PlanStep & {
  readonly position: bigint
  /** Tries of earlier plans, before it was started again. */
  readonly attemptsBefore: number
  readonly queuedAt: Instant
  readonly play: NotificationPlay | null
  readonly eventId: string
  readonly body: string
}

/** The last delivery that was read, in the order in which those of an endpoint are due. */
type DueCursor = { readonly dueAt: Instant; readonly position: bigint }

/** Before every delivery. */
const beforeAll: DueCursor = { dueAt: 0, position: 0n }

/** An endpoint that this process is delivering to. */
export type Lane = {
  readonly merchantId: string
  readonly endpointId: string
  target: LaneTarget
  /** The keys of its secrets, the current one first, each with the time at which it stops signing. */
  keys: readonly { readonly key: WebhookKey; readonly until: Instant }[]
  /** When the lease ends, in ticks. */
  leasedUntil: number
  /** In a row, like `successes`. */
  failures: number
  successes: number
  failingSince: Instant | null
  lastFailedAt: Instant | null
  pausedUntil: Instant
  /** How many times this process has paused it. */
  pauses: number
  /** Failures since `since` are to be brought forward, from the cursor on. */
  forward: { readonly since: Instant; readonly cursor: DueCursor } | null
  /** Whether it was read to the end, and nothing has changed since. */
  isRead: boolean
  /** Whether something before the cursor may have become due. */
  isOutdated: boolean
  readCursor: DueCursor
  /** Fetched deliveries that are sent next. */
  readonly toSend: DueDelivery[]
  /** Whether the newest delivery is tried before the one that has waited longest. */
  newestFirst: boolean
  /**
   * By position, the deliveries that must not be fetched again: to be sent, under way, not yet written, or written
   * since the last fetch.
   */
  readonly inHand: Map<bigint, DueDelivery>
  underWay: number
}

/** Whether the endpoint has failed so often in a row that it gets one attempt at a time. */
export const isDown = ({ failures }: Pick<Lane, 'failures'>): boolean => failures >= downAfterFailures

/** Opens a lane that this process has leased. */
export const openLane = (
  row: Pick<Lane, 'merchantId' | 'endpointId' | 'failures' | 'failingSince' | 'lastFailedAt'> &
    LaneTarget & { readonly forwardSince: Instant | null; readonly isRequested: boolean },
  keys: Lane['keys'],
  leasedUntil: number,
): Lane => ({
  merchantId: row.merchantId,
  endpointId: row.endpointId,
  target: row,
  keys,
  leasedUntil,
  failures: row.failures,
  successes: 0,
  failingSince: row.failingSince,
  lastFailedAt: row.lastFailedAt,
  pausedUntil: 0,
  pauses: 0,
  forward: row.forwardSince === null ? null : { since: row.forwardSince, cursor: beforeAll },
  isRead: false,
  isOutdated: false,
  readCursor: beforeAll,
  toSend: [],
  newestFirst: row.isRequested || (isDown(row) && row.failures % 2 === 1),
  inHand: new Map(),
  underWay: 0,
})

/** Notes that something may have become due out of order, as after a result. */
export const noteChanged = (lane: Lane): void => {
  lane.isOutdated = lane.readCursor !== beforeAll
  lane.isRead = false
}

/** Notes the page that was fetched after the cursor: up to `size` deliveries. */
export const notePage = (lane: Lane, page: readonly DueCursor[], size: number): void => {
  const last = page.length === size ? page.at(-1) : undefined
  lane.readCursor = last ?? beforeAll
  lane.isRead = last === undefined && !lane.isOutdated
  if (!last) lane.isOutdated = false
}

const bringForward = (lane: Lane): void => {
  if (lane.failingSince === null) return
  lane.forward = { since: Math.min(lane.failingSince, lane.forward?.since ?? Infinity), cursor: beforeAll }
}

const endFailing = (lane: Lane): void => {
  lane.failures = 0
  lane.failingSince = null
  lane.pausedUntil = 0
}

/**
 * Notes that the endpoint has another address or was enabled again: it starts from the beginning, and what failed is
 * retried.
 */
export const restartLane = (lane: Lane): void => {
  bringForward(lane)
  endFailing(lane)
  lane.successes = 0
}

/** Notes the result of an attempt that started when the lane had `failures` and `pauses`. */
export const noteOutcome = (
  lane: Lane,
  { failures, pauses }: Pick<Lane, 'failures' | 'pauses'>,
  outcome: AttemptOutcome,
  now: Instant,
): void => {
  if (isDelivered(outcome)) {
    // If the endpoint was paused after this attempt was sent, its success says nothing about the time since.
    if (pauses !== lane.pauses) return
    if (isDown(lane)) bringForward(lane)
    endFailing(lane)
    lane.successes++
    return
  }
  lane.failingSince = failingFrom(lane.failingSince, lane.lastFailedAt, now)
  lane.lastFailedAt = now
  if (isAboutOne(outcome)) return
  // Concurrent attempts that fail together count once.
  lane.failures = Math.max(lane.failures, failures + 1)
  lane.successes = 0
  const requestsPause = outcome.httpStatus === 429 || outcome.httpStatus === 503
  const requestedMs = requestsPause ? readRetryAfter(outcome.retryAfter, now) : 0
  const until = now + Math.max(pauseMs(lane.failures), Math.min(requestedMs, longestRequestedPauseMs))
  if (until <= now || until <= lane.pausedUntil) return
  lane.pausedUntil = until
  lane.pauses++
}

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
