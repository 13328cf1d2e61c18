// A lane is the queue of deliveries to one endpoint. One process at a time holds it and sends from it (hold-lanes.ts).
// The holder keeps two states of it, which change independently of each other.
//
// Health: how the endpoint has answered. It decides how much is sent at a time.
//
//   working   no failure since the last success: four attempts at a time, and one more after each success
//   failing   one or two failures in a row: fewer attempts at a time
//   down      three failures in a row: one attempt at a time, with pauses; a success brings forward what failed since
//
// Reading: how far its deliveries that are due have been fetched from the database, page by page in the order of their
// times.
//
//   unread    from the start: the next page is the first one
//   partial   up to the cursor
//   outdated  up to the cursor, and something before it may have become due: after the last page it starts again
//   read      to the end: there is nothing to fetch until something changes
//
// A lane whose endpoint is disabled, or that is paused, keeps both states; nothing is sent, and it is given back.
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
} from '../../../../rules/notices/delivery.ts'
import type { MerchantMode } from '../../../../rules/merchants/merchant.ts'
import type { NotificationPlay } from '../../../../rules/sandbox/simulation.ts'
import type { Instant } from '../../../../rules/time.ts'
import type { WebhookKey } from '../../../../secrets/webhook-secret.ts'

type Health = 'working' | 'failing' | 'down'

type HealthEvent =
  | 'delivered'
  /** The receiver does not want this one notification; that says nothing about the others. */
  | 'rejected'
  | 'failed'
  /** The third or a later failure in a row. */
  | 'failed-often'
  /** The endpoint has another address or was enabled again. */
  | 'restarted'

type HealthAction = 'count-success' | 'note-failure' | 'count-failure' | 'pause' | 'bring-forward' | 'forget'

type HealthChange = readonly [next: Health, ...actions: readonly HealthAction[]]

const healthChanges: Readonly<Record<Health, Readonly<Record<HealthEvent, HealthChange>>>> = {
  working: {
    delivered: ['working', 'count-success'],
    rejected: ['working', 'note-failure'],
    failed: ['failing', 'note-failure', 'count-failure', 'pause'],
    'failed-often': ['down', 'note-failure', 'count-failure', 'pause'],
    restarted: ['working', 'bring-forward', 'forget'],
  },
  failing: {
    delivered: ['working', 'count-success'],
    rejected: ['failing', 'note-failure'],
    failed: ['failing', 'note-failure', 'count-failure', 'pause'],
    'failed-often': ['down', 'note-failure', 'count-failure', 'pause'],
    restarted: ['working', 'bring-forward', 'forget'],
  },
  down: {
    delivered: ['working', 'bring-forward', 'count-success'],
    rejected: ['down', 'note-failure'],
    failed: ['down', 'note-failure', 'count-failure', 'pause'],
    'failed-often': ['down', 'note-failure', 'count-failure', 'pause'],
    restarted: ['working', 'bring-forward', 'forget'],
  },
}

type Reading = 'unread' | 'partial' | 'outdated' | 'read'

type ReadingEvent =
  /** As many deliveries as requested: there may be more. */
  | 'full-page'
  | 'last-page'
  /** New deliveries may have come after the last page. */
  | 'looked'
  /** Something before the cursor may have become due. */
  | 'changed'

const readingChanges: Readonly<Record<Reading, Readonly<Record<ReadingEvent, Reading>>>> = {
  unread: { 'full-page': 'partial', 'last-page': 'read', looked: 'unread', changed: 'unread' },
  partial: { 'full-page': 'partial', 'last-page': 'read', looked: 'partial', changed: 'outdated' },
  outdated: { 'full-page': 'outdated', 'last-page': 'unread', looked: 'outdated', changed: 'outdated' },
  read: { 'full-page': 'partial', 'last-page': 'read', looked: 'unread', changed: 'unread' },
}

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
  /** When this process took it, in ticks. */
  readonly takenAt: number
  /** When the lease ends, in ticks. */
  leasedUntil: number
  health: Health
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
  reading: Reading
  readCursor: DueCursor
  /** Deliveries fetched since this process took it. */
  fetched: number
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
  /** Attempts started since this process took it. */
  started: number
  /** No more attempts start here: the lane is being given back to make room for others. */
  isTurnOver: boolean
}

const healthOf = (failures: number): Health =>
  failures >= downAfterFailures ? 'down' : failures > 0 ? 'failing' : 'working'

/** Opens a lane that this process has leased. */
export const openLane = (
  row: Pick<Lane, 'merchantId' | 'endpointId' | 'failures' | 'failingSince' | 'lastFailedAt'> &
    LaneTarget & { readonly forwardSince: Instant | null; readonly isRequested: boolean },
  keys: Lane['keys'],
  { takenAt, leasedUntil }: Pick<Lane, 'takenAt' | 'leasedUntil'>,
): Lane => ({
  merchantId: row.merchantId,
  endpointId: row.endpointId,
  target: row,
  keys,
  takenAt,
  leasedUntil,
  health: healthOf(row.failures),
  failures: row.failures,
  successes: 0,
  failingSince: row.failingSince,
  lastFailedAt: row.lastFailedAt,
  pausedUntil: 0,
  pauses: 0,
  forward: row.forwardSince === null ? null : { since: row.forwardSince, cursor: beforeAll },
  reading: 'unread',
  readCursor: beforeAll,
  fetched: 0,
  toSend: [],
  newestFirst: row.isRequested || (healthOf(row.failures) === 'down' && row.failures % 2 === 1),
  inHand: new Map(),
  underWay: 0,
  started: 0,
  isTurnOver: false,
})

/** Notes that a fetch from the database begins, or that something has become due out of order, as after a result. */
export const noteReading = (lane: Lane, event: 'looked' | 'changed'): void => {
  lane.reading = readingChanges[lane.reading][event]
}

/** Notes the page that was fetched after the cursor: up to `size` deliveries. */
export const notePage = (lane: Lane, page: readonly DueCursor[], size: number): void => {
  const last = page.length === size ? page.at(-1) : undefined
  lane.fetched += page.length
  lane.readCursor = last ?? beforeAll
  lane.reading = readingChanges[lane.reading][last ? 'full-page' : 'last-page']
}

/**
 * What the actions need to know about a failure: the failures before its attempt started, and the pause that the
 * receiver requests.
 */
type Failure = { readonly now: Instant; readonly failuresBefore: number; readonly requestedPauseMs: number }
const noFailure: Failure = { now: 0, failuresBefore: 0, requestedPauseMs: 0 }

const endFailing = (lane: Lane): void => {
  lane.failures = 0
  lane.failingSince = null
  lane.pausedUntil = 0
}

/** Concurrent attempts that fail together count once. */
const failuresWith = (lane: Lane, { failuresBefore }: Failure): number => Math.max(lane.failures, failuresBefore + 1)

const healthActions: Readonly<Record<HealthAction, (lane: Lane, failure: Failure) => void>> = {
  'count-success': (lane) => {
    endFailing(lane)
    lane.successes++
  },
  'note-failure': (lane, { now }) => {
    lane.failingSince = failingFrom(lane.failingSince, lane.lastFailedAt, now)
    lane.lastFailedAt = now
  },
  'count-failure': (lane, failure) => {
    lane.failures = failuresWith(lane, failure)
    lane.successes = 0
  },
  pause: (lane, { now, requestedPauseMs }) => {
    const until = now + Math.max(pauseMs(lane.failures), Math.min(requestedPauseMs, longestRequestedPauseMs))
    if (until <= now || until <= lane.pausedUntil) return
    lane.pausedUntil = until
    lane.pauses++
  },
  'bring-forward': (lane) => {
    if (lane.failingSince === null) return
    lane.forward = { since: Math.min(lane.failingSince, lane.forward?.since ?? Infinity), cursor: beforeAll }
  },
  forget: (lane) => {
    endFailing(lane)
    lane.successes = 0
  },
}

const changeHealth = (lane: Lane, event: HealthEvent, failure = noFailure): void => {
  const [next, ...actions] = healthChanges[lane.health][event]
  lane.health = next
  for (const action of actions) healthActions[action](lane, failure)
}

/**
 * Notes that the endpoint has another address or was enabled again: its health starts from the beginning, and what
 * failed is retried.
 */
export const restartLane = (lane: Lane): void => changeHealth(lane, 'restarted')

/** Notes the result of an attempt that started when the lane had `failures` and `pauses`. */
export const noteOutcome = (
  lane: Lane,
  { failures, pauses }: Pick<Lane, 'failures' | 'pauses'>,
  outcome: AttemptOutcome,
  now: Instant,
): void => {
  if (isDelivered(outcome)) {
    // If the endpoint was paused after this attempt was sent, its success says nothing about the time since.
    if (pauses === lane.pauses) changeHealth(lane, 'delivered')
    return
  }
  const requestsPause = outcome.httpStatus === 429 || outcome.httpStatus === 503
  const requestedPauseMs = requestsPause ? readRetryAfter(outcome.retryAfter, now) : 0
  const failure = { now, failuresBefore: failures, requestedPauseMs }
  const isOften = failuresWith(lane, failure) >= downAfterFailures
  changeHealth(lane, isAboutOne(outcome) ? 'rejected' : isOften ? 'failed-often' : 'failed', failure)
}
