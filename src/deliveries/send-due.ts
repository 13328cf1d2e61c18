import { type AttemptOutcome, isDelivered, isGone, nextTry, readRetryAfter } from '../domain/delivery.ts'
import { repeatedAfterMs, simulatedFailures } from '../domain/simulation.ts'
import type { Instant } from '../domain/time.ts'
import { type Deliveries, type DueDelivery, type EndedAttempt, type Lane, noteOutcome, roomIn } from './open-lane.ts'

/** Endpoints that fail share this part of all attempts, so that those that work find room. */
const failingShare = 0.25

const simulatedFailure: AttemptOutcome = {
  status: null,
  error: 'simulated',
  retryAfter: null,
  latencyMs: 0,
  excerpt: '',
}

/** What becomes of a delivery after an attempt. */
const decide = (
  due: DueDelivery,
  outcome: AttemptOutcome,
  now: Instant,
): Pick<EndedAttempt, 'status' | 'step' | 'dueAt'> => {
  if (isDelivered(outcome)) {
    return due.play === 'twice-out-of-order'
      ? { status: 'pending', step: due.step, dueAt: now + repeatedAfterMs }
      : { status: 'delivered', step: due.step, dueAt: now }
  }
  // The last digits of an id are random.
  const spread = Number.parseInt(due.eventId.slice(-4), 16) / 0xffff
  const next = isGone(outcome) ? null : nextTry(due.step, now, spread, readRetryAfter(outcome.retryAfter, now))
  return next
    ? { status: 'pending', step: next.step, dueAt: next.at }
    : { status: 'failed', step: due.step, dueAt: now }
}

const attempt = (
  { context }: Deliveries,
  { target, secrets }: Lane,
  due: DueDelivery,
  at: Instant,
): Promise<AttemptOutcome> => {
  if (due.play === 'fails-twice' && due.attempts < simulatedFailures) return Promise.resolve(simulatedFailure)
  return context.webhooks.send({
    url: target.url,
    reach: target.mode === 'sandbox' && context.settings.notificationLoopback ? 'loopback' : 'public',
    secrets: secrets.filter(({ until }) => until > at).map(({ secret }) => secret),
    id: due.eventId,
    body: due.body,
    // All tries of an event are spans of one trace.
    traceparent: `00-${due.eventId.replaceAll('-', '')}-${context.newId().replaceAll('-', '').slice(-16)}-01`,
  })
}

const launch = (deliveries: Deliveries, lane: Lane, due: DueDelivery): void => {
  const { clock } = deliveries.context
  const { failures } = lane
  const { url } = lane.target
  const failing = failures > 0 ? 1 : 0
  const at = clock()
  lane.underWay++
  deliveries.underWay++
  deliveries.underWayFailing += failing
  void attempt(deliveries, lane, due, at).then((outcome) => {
    const now = clock()
    lane.underWay--
    deliveries.underWay--
    deliveries.underWayFailing -= failing
    if (noteOutcome(lane, failures, outcome, now)) deliveries.recovered.add(lane)
    if (isGone(outcome) && lane.target.url === url) lane.target = { ...lane.target, enabled: false }
    deliveries.ended.push({ lane, due, url, outcome, at, ...decide(due, outcome, now) })
    sendDue(deliveries, lane, now)
    deliveries.wake?.()
  })
}

/** Sends what waits in a lane, as much at a time as it and the process may; each attempt that ends makes room for the next. */
export const sendDue = (deliveries: Deliveries, lane: Lane, now: Instant): void => {
  if (deliveries.stopped) return
  const { notificationsInFlight, notificationsPerEndpoint } = deliveries.context.settings
  const room = Math.min(
    roomIn(lane, now, notificationsPerEndpoint),
    notificationsInFlight - deliveries.underWay,
    lane.failures > 0 ? notificationsInFlight * failingShare - deliveries.underWayFailing : Infinity,
  )
  for (let count = 0; count < room; count++) {
    const due = lane.window.shift()
    if (!due) return
    launch(deliveries, lane, due)
  }
}
