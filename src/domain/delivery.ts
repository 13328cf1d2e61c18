import { day, hour, type Instant, minute, second } from './time.ts'

/** Pauses before each try of a delivery, the first one at once: 75.6 hours in all (docs/domain.md §9). */
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

/** A pause is longer by up to this part, so that what failed together is not tried together. */
export const jitter = 0.1

/** The longest wait that a receiver may ask for by `Retry-After`. */
export const longestRetryAfterMs = day

/** An endpoint that fails for this long without one success is disabled. */
export const disableAfterMs = 5 * day

/** A longer time without a failure ends a time of failing: the longest pause of the plan, and some hours. */
export const longestGapMs = 30 * hour

/** From this many failures in a row on, an endpoint counts as down: one attempt at a time, with pauses. */
export const downAfterFailures = 3
const longestPauseMs = minute

/** The result of an attempt: an HTTP status, or why there was none. */
export type AttemptOutcome = {
  readonly httpStatus: number | null
  readonly error: DeliveryError | null
  /** Value of the header `Retry-After`. */
  readonly retryAfter: string | null
  readonly latencyMs: number
  /** Start of the answer's body, printable. */
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

/** Whether the receiver has taken the notification: any 2xx, whatever its body. */
export const isDelivered = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

/**
 * Whether an answer is about the one notification, which the receiver does not want, and says nothing of the others: it is
 * tried again as planned, and no other waits for it.
 */
export const isAboutOne = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean =>
  httpStatus !== null && [400, 409, 413, 415, 422].includes(httpStatus)

/** Whether the receiver wants no more notifications: 410. */
export const isGone = ({ httpStatus }: Pick<AttemptOutcome, 'httpStatus'>): boolean => httpStatus === 410

/**
 * The wait in milliseconds that `Retry-After` asks for (RFC 9110 §10.2.3: seconds or a date), at most a day; 0 for none,
 * one that is past or one that cannot be read.
 */
export const readRetryAfter = (header: string | null, now: Instant): number => {
  const text = header?.trim() ?? ''
  if (text.length > 40) return 0
  const wait = /^\d+$/.test(text) ? Number(text) * second : /[a-z]/i.test(text) ? Date.parse(text) - now : 0
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestRetryAfterMs)
}

/** The longest that all of an endpoint waits for what one answer asks by `Retry-After`; that delivery waits for it all. */
export const longestRequestedPauseMs = 5 * minute

const longestEarlyWaitMs = hour

/** Where a delivery is in the plan of its tries. */
export type PlanStep = {
  /** Tries of this plan so far, with those that were brought forward. */
  readonly attempts: number
  /** Number of the planned try, from 0. */
  readonly step: number
  /** When the plan has that try, where it was brought forward because the endpoint worked again. */
  readonly plannedAt: Instant | null
}

/**
 * How long a delivery waits at least before it may be brought forward after `earlyTries` that were in vain: so that what
 * fails whenever its endpoint works is not sent for ever.
 */
export const earlyWaitMs = (earlyTries: number): number =>
  earlyTries <= 0 ? 0 : Math.min(minute * 2 ** Math.min(earlyTries - 1, 10), longestEarlyWaitMs)

/**
 * When a delivery that has failed is tried again, and before when it is not brought forward; `null` when the plan is at its
 * end. A try before its planned time uses no step: a receiver that comes and goes has all the time of the plan. `spread`
 * (0–1) chooses the jitter.
 */
export const nextTry = (
  { attempts, step, plannedAt }: PlanStep,
  now: Instant,
  spread: number,
  retryAfterMs: number,
): { readonly step: number; readonly at: Instant; readonly notBefore: Instant } | null => {
  const earliest = now + retryAfterMs
  // One that was restarted is at the start of its plan, whatever it was planned for before.
  if (step > 0 && plannedAt !== null && plannedAt > now) {
    const notBefore = Math.max(earliest, now + earlyWaitMs(attempts + 1 - step))
    return { step, at: Math.max(plannedAt, earliest), notBefore }
  }
  const delay = retryDelaysMs[step + 1]
  if (delay === undefined) return null
  const at = Math.max(now + Math.ceil(delay * (1 + jitter * spread)), earliest)
  return { step: step + 1, at, notBefore: Math.max(earliest, now + earlyWaitMs(attempts - step)) }
}

/** How long an endpoint is left alone after a number of failures in a row; never longer than its deliveries wait anyway. */
export const pauseMs = (failures: number): number =>
  failures < downAfterFailures ? 0 : Math.min(second * 2 ** Math.min(failures - downAfterFailures, 10), longestPauseMs)

/** How many attempts an endpoint gets at a time after `successes` and `failures` in a row; `most` is the limit set. */
export const attemptsAtOnce = (successes: number, failures: number, most: number): number => {
  if (failures >= downAfterFailures) return 1
  // A new or recovering endpoint is met carefully, so that those that hang take little of what all share.
  const grown = Math.min(most, 4 + successes)
  return failures === 0 ? grown : Math.max(1, Math.min(grown, 4) - failures)
}

/** An endpoint whose answers take this long on average counts as slow. */
export const slowFromMs = second

/** How an endpoint takes what it is sent at present; one that has not answered yet is `new`, or counts as slow; one that is down is `failing`. */
export type Pace = 'quick' | 'new' | 'slow' | 'failing'

/** The pace of an endpoint by its failures in a row and the average latency of its answers. */
export const paceOf = (failures: number, latencyMs: number | null): Pace =>
  failures >= downAfterFailures ? 'failing' : latencyMs === null || latencyMs >= slowFromMs ? 'slow' : 'quick'

/** Since when an endpoint has been failing, one more failure included, by the last one before it. */
export const failingFrom = (failingSince: Instant | null, lastFailedAt: Instant | null, now: Instant): Instant =>
  failingSince === null || (lastFailedAt !== null && now - lastFailedAt > longestGapMs) ? now : failingSince

/** Whether an endpoint has failed for too long. */
export const hasFailedTooLong = (failingSince: Instant | null, now: Instant): boolean =>
  failingSince !== null && now - failingSince >= disableAfterMs
