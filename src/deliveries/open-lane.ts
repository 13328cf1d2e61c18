import type { Context } from '../context.ts'
import {
  type AttemptOutcome,
  attemptsAtOnce,
  downAfterFailures,
  isDelivered,
  pauseMs,
  readRetryAfter,
} from '../domain/delivery.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import type { NotificationPlay } from '../domain/simulation.ts'
import type { Instant } from '../domain/time.ts'
import type { DeliveryStatus } from './store.ts'

/** Where a lane leads, as it is set at present. */
export type LaneTarget = {
  readonly url: string
  readonly enabled: boolean
  readonly mode: MerchantMode
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly previousSecretUntil: Instant | null
}

/** A delivery that is due. */
export type DueDelivery = {
  readonly position: bigint
  readonly attempts: number
  readonly step: number
  readonly play: NotificationPlay | null
  readonly eventId: string
  readonly body: string
}

/** An endpoint that this process delivers to at present, and how it fares. */
export type Lane = {
  readonly merchantId: string
  readonly endpointId: string
  target: LaneTarget
  /** Opened secrets, the present one first, with the time at which each stops signing. */
  secrets: readonly { readonly secret: string; readonly until: Instant }[]
  failures: number
  successes: number
  failingSince: Instant | null
  pausedUntil: Instant
  /** What is sent next. */
  readonly window: DueDelivery[]
  /** Places in the window, under way, or not yet written. */
  readonly held: Set<bigint>
  underWay: number
  /** Whether the database may have more that is due. */
  more: boolean
}

/** An attempt that has ended and is not written yet, and what becomes of its delivery. */
export type EndedAttempt = {
  readonly lane: Lane
  readonly due: DueDelivery
  /** Where it went; the lane may lead elsewhere by now. */
  readonly url: string
  readonly outcome: AttemptOutcome
  readonly at: Instant
  readonly status: DeliveryStatus
  readonly step: number
  readonly dueAt: Instant
}

/** What one process delivers at present. */
export type Deliveries = {
  readonly context: Context
  /** This process, as it stands in its leases. */
  readonly worker: string
  readonly leaseMs: number
  /** By the ids of their endpoints. */
  readonly lanes: Map<string, Lane>
  readonly recovered: Set<Lane>
  ended: EndedAttempt[]
  underWay: number
  /** Of these, those to endpoints that were failing. */
  underWayFailing: number
  renewedAt: Instant
  /** Tells the round that waits that an attempt has ended. */
  wake: (() => void) | undefined
  stopped: boolean
}

/** Opens a lane that this process has leased. */
export const openLane = (
  row: Pick<Lane, 'merchantId' | 'endpointId' | 'failures' | 'failingSince'> & LaneTarget,
  secrets: Lane['secrets'],
): Lane => ({
  merchantId: row.merchantId,
  endpointId: row.endpointId,
  target: row,
  secrets,
  failures: row.failures,
  successes: 0,
  failingSince: row.failingSince,
  pausedUntil: 0,
  window: [],
  held: new Set(),
  underWay: 0,
  more: true,
})

/** How many more attempts may start in a lane now. */
export const roomIn = (lane: Lane, now: Instant, most: number): number =>
  lane.target.enabled && lane.pausedUntil <= now
    ? Math.max(0, attemptsAtOnce(lane.successes, lane.failures, most) - lane.underWay)
    : 0

/**
 * Notes in a lane what came of an attempt that started when it had `failures`; returns whether the endpoint works again
 * after it was down.
 */
export const noteOutcome = (lane: Lane, failures: number, outcome: AttemptOutcome, now: Instant): boolean => {
  // The sandbox only pretends; its endpoint is as well as before.
  if (outcome.error === 'simulated') return false
  if (isDelivered(outcome)) {
    const wasDown = lane.failures >= downAfterFailures
    lane.failures = 0
    lane.failingSince = null
    lane.pausedUntil = 0
    lane.successes++
    return wasDown
  }
  // Attempts that were under way together fail together, and count once.
  lane.failures = Math.max(lane.failures, failures + 1)
  lane.successes = 0
  lane.failingSince ??= now
  const asked = outcome.status === 429 || outcome.status === 503 ? readRetryAfter(outcome.retryAfter, now) : 0
  lane.pausedUntil = Math.max(lane.pausedUntil, now + pauseMs(lane.failures), now + asked)
  return false
}
