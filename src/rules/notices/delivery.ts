import { day, hour, type Instant, minute, second } from '../time.ts'

/** Whether an event has reached an endpoint; `failed` after the last attempt. */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Most attempts returned per delivery. */
export const mostAttempts = 100

/** Pauses before each try of a delivery; the first is immediate, and the last after 75.6 hours (docs/domain.md §9). */
export const retryDelaysMs: readonly number[] = [
  0,
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** A pause is lengthened by up to this fraction, so that deliveries that failed together are not retried together. */
export const jitter = 0.1

/** The longest wait that a receiver may request by `Retry-After`. */
export const longestRetryAfterMs = day

/** An endpoint that fails for this long without a success is disabled. */
const disableAfterMs = 5 * day

/** A longer time without a failure ends a period of failing: the longest pause of the plan, and some hours. */
export const longestGapMs = 30 * hour

/** After this many failures in a row, an endpoint counts as down: one attempt at a time, with pauses. */
export const downAfterFailures = 3
const longestPauseMs = minute

/** The result of an attempt: an HTTP status, or why there was none. */
export type AttemptOutcome = {
  readonly httpStatus: number | null
  readonly error: DeliveryError | null
  /** Value of the `Retry-After` header. */
  readonly retryAfter: string | null
  readonly latencyMs: number
  /** Start of the answer's body, printable characters only. */
  readonly excerpt: string
}

/** Why an attempt got no answer. */
export type DeliveryError =
  | 'address_refused'
  | 'dns_failed'
  | 'connection_failed'
  | 'connection_lost'
  | 'tls_failed'
  | 'timeout'
  | 'answer_malformed'
  | 'simulated'
  | 'failed'

/** Whether the receiver has accepted the notification: any 2xx, whatever its body. */
export const isDelivered = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

/**
 * Whether an answer concerns only this notification, which the receiver does not want: it is retried as planned, and no
 * other waits for it.
 */
export const isAboutOne = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean =>
  httpStatus !== null && [400, 409, 413, 415, 422].includes(httpStatus)

/** Whether the receiver wants no more notifications: 410. */
export const isGone = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean => httpStatus === 410

/**
 * The wait in milliseconds that `Retry-After` requests (RFC 9110 §10.2.3: seconds or a date), at most a day; 0 if there
 * is none, or it is past or unreadable.
 */
export const readRetryAfter = (header: string | null, now: Instant): number => {
  const text = header?.trim() ?? ''
  if (text.length > 40) return 0
  const wait = /^\d+$/.test(text) ? Number(text) * second : /[a-z]/i.test(text) ? Date.parse(text) - now : 0
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestRetryAfterMs)
}

/**
 * The longest time that a whole endpoint waits for the `Retry-After` of one answer; the answered delivery waits for all
 * of it.
 */
export const longestRequestedPauseMs = 5 * minute

const longestEarlyWaitMs = hour

/** Where a delivery is in the plan of its tries. */
export type PlanStep = {
  /** Tries of this plan so far, including those that were brought forward. */
  readonly attempts: number
  /** Number of the planned try, from 0. */
  readonly step: number
  /** The planned time of that try, if it was brought forward because the endpoint worked again. */
  readonly plannedAt: Instant | null
}

/**
 * The minimum wait before a delivery may be brought forward after `earlyTries` that failed, so that one that always
 * fails is not sent forever.
 */
export const earlyWaitMs = (earlyTries: number): number =>
  earlyTries <= 0 ? 0 : Math.min(minute * 2 ** Math.min(earlyTries - 1, 10), longestEarlyWaitMs)

/**
 * When a failed delivery is tried again (`at`), and before when it is not brought forward (`notBefore`); `null` if its
 * plan has ended. A try before its planned time uses no step, so an intermittent receiver has the whole time of the
 * plan. `spread` (0–1) chooses the jitter.
 */
export const nextTry = (
  { attempts, step, plannedAt }: PlanStep,
  now: Instant,
  spread: number,
  retryAfterMs: number,
): { readonly step: number; readonly at: Instant; readonly notBefore: Instant } | null => {
  const earliest = now + retryAfterMs
  // A restarted delivery is at the start of its plan, whatever was planned before.
  if (step > 0 && plannedAt !== null && plannedAt > now) {
    const notBefore = Math.max(earliest, now + earlyWaitMs(attempts + 1 - step))
    return { step, at: Math.max(plannedAt, earliest), notBefore }
  }
  const delay = retryDelaysMs[step + 1]
  if (delay === undefined) return null
  const at = Math.max(now + Math.ceil(delay * (1 + jitter * spread)), earliest)
  return { step: step + 1, at, notBefore: Math.max(earliest, now + earlyWaitMs(attempts - step)) }
}

/** How long an endpoint is paused after a number of failures in a row; never longer than its deliveries wait anyway. */
export const pauseMs = (failures: number): number =>
  failures < downAfterFailures ? 0 : Math.min(second * 2 ** Math.min(failures - downAfterFailures, 10), longestPauseMs)

/** How many concurrent attempts an endpoint gets after `successes` and `failures` in a row; at most `most`. */
export const attemptsAtOnce = (successes: number, failures: number, most: number): number => {
  if (failures >= downAfterFailures) return 1
  // A new or recovering endpoint starts with few, so that endpoints that hang take little of the shared room.
  const grown = Math.min(most, 4 + successes)
  return failures === 0 ? grown : Math.max(1, Math.min(grown, 4) - failures)
}

/** An endpoint with this average latency counts as slow. */
const slowFromMs = second

/**
 * How an endpoint currently takes deliveries. One that has not answered yet is `new`, or counts as slow; one that is
 * down is `failing`.
 */
export type Pace = 'quick' | 'new' | 'slow' | 'failing'

/** The pace of an endpoint by its failures in a row and the average latency of its answers, if there is one. */
export const paceOf = (failures: number, latencyMs: number | undefined): Pace =>
  failures >= downAfterFailures ? 'failing' : latencyMs === undefined || latencyMs >= slowFromMs ? 'slow' : 'quick'

/** Since when an endpoint has been failing, given one more failure and the one before it. */
export const failingFrom = (failingSince: Instant | null, lastFailedAt: Instant | null, now: Instant): Instant =>
  failingSince === null || (lastFailedAt !== null && now - lastFailedAt > longestGapMs) ? now : failingSince

/** Whether an endpoint has failed for too long. */
export const hasFailedTooLong = (failingSince: Instant | null, now: Instant): boolean =>
  failingSince !== null && now - failingSince >= disableAfterMs
