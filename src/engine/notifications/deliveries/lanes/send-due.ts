import type { Context } from '../../../context.ts'
import {
  type AttemptOutcome,
  attemptsAtOnce,
  isDelivered,
  isGone,
  nextTry,
  type Pace,
  paceOf,
  readRetryAfter,
} from '../../../../rules/notices/delivery.ts'
import { sentAgainAfterMs, simulatedFailures } from '../../../../rules/sandbox/simulation.ts'
import type { Instant } from '../../../../rules/time.ts'
import { type Deliveries, type EndedAttempt, type DueDelivery, type Lane, noteOutcome } from './lane.ts'

/**
 * The largest share of all attempts for endpoints of each pace. Those that are not quick use at most `shareOfOthers`
 * together, so that quick ones find room immediately.
 */
const shares: Record<Pace, number> = { failing: 0.25, slow: 0.5, new: 0.5, quick: 1 }
const shareOfOthers = 0.875

/** Endpoints whose latency is remembered: a few megabytes. */
const mostRemembered = 20_000

/** The result of a try that the sandbox lets fail without sending. */
export const simulatedFailure: AttemptOutcome = {
  httpStatus: null,
  error: 'simulated',
  retryAfter: null,
  latencyMs: 0,
  excerpt: '',
}

/** The state of a delivery after an attempt. */
export const decideAttempt = (
  due: DueDelivery,
  outcome: AttemptOutcome,
  now: Instant,
): Pick<EndedAttempt, 'status' | 'step' | 'dueAt' | 'failedAt' | 'notBefore'> => {
  const { step } = due
  if (isDelivered(outcome)) {
    return due.play === 'twice-out-of-order'
      ? { status: 'pending', step, dueAt: now + sentAgainAfterMs, failedAt: null, notBefore: null }
      : { status: 'delivered', step, dueAt: now, failedAt: null, notBefore: null }
  }
  // The last digits of an id are random.
  const spread = Number.parseInt(due.eventId.slice(-4), 16) / 0xffff
  const progress = { ...due, attempts: due.attempts - due.attemptsBefore }
  const next = isGone(outcome) ? null : nextTry(progress, now, spread, readRetryAfter(outcome.retryAfter, now))
  if (!next) return { status: 'failed', step, dueAt: now, failedAt: null, notBefore: null }
  const failedAt = outcome.error === 'simulated' ? null : now
  return { status: 'pending', step: next.step, dueAt: next.at, failedAt, notBefore: next.notBefore }
}

/** Logs an attempt as a call to the receiver, under the id of the endpoint: its address may contain a secret. */
const noteAttempt = async (
  spans: NonNullable<Context['spans']>,
  sent: Promise<AttemptOutcome>,
  of: { readonly endpointId: string; readonly due: DueDelivery; readonly traceparent: string },
): Promise<AttemptOutcome> => {
  const outcome = await sent
  const { httpStatus, error, latencyMs: ms } = outcome
  const attributes = {
    'payin.event.id': of.due.eventId,
    'payin.endpoint.id': of.endpointId,
    'payin.delivery.attempt': of.due.attempts + 1,
    ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
  }
  const failure = isDelivered(outcome) ? {} : { failure: error ?? `status_${httpStatus}` }
  spans.note('deliver notification', attributes, { ms, traceparent: of.traceparent, ...failure })
  return outcome
}

const attempt = (
  { context }: Deliveries,
  { target, keys, endpointId }: Lane,
  due: DueDelivery,
  at: Instant,
): Promise<AttemptOutcome> => {
  if (due.play === 'fails-twice' && due.attempts < simulatedFailures) return Promise.resolve(simulatedFailure)
  // All tries of an event are spans of one trace, which belongs to the receiver; our trace links to it.
  const span = context.newId().replaceAll('-', '').slice(-16)
  const traceparent = `00-${due.eventId.replaceAll('-', '')}-${span}-01`
  const sent = context.webhooks.send({
    url: target.url,
    reach: target.mode === 'sandbox' && context.settings.notificationLoopback ? 'loopback' : 'public',
    keys: keys.filter(({ until }) => until > at).map(({ key }) => key),
    id: due.eventId,
    body: due.body,
    traceparent,
  })
  return context.spans ? noteAttempt(context.spans, sent, { endpointId, due, traceparent }) : sent
}

/** The pace of the lane; only the first attempt at an endpoint is `new`. */
const paceNow = ({ latencies }: Deliveries, lane: Lane): Pace => {
  const latencyMs = latencies.get(lane.endpointId)
  const isFirst = latencyMs === undefined && lane.failures === 0 && lane.underWay === 0
  return isFirst ? 'new' : paceOf(lane.failures, latencyMs)
}

const noteAnswer = ({ latencies }: Deliveries, { endpointId }: Lane, { latencyMs }: AttemptOutcome): void => {
  const before = latencies.get(endpointId) ?? latencyMs
  if (latencies.size >= mostRemembered) latencies.clear()
  latencies.set(endpointId, (before * 3 + latencyMs) / 4)
}

const launch = (deliveries: Deliveries, lane: Lane, due: DueDelivery): void => {
  const { clock } = deliveries.context
  const { failures, pauses } = lane
  const { url } = lane.target
  const pace = paceNow(deliveries, lane)
  const at = clock()
  lane.underWay++
  deliveries.underWay++
  deliveries.underWayOf[pace]++
  void attempt(deliveries, lane, due, at).then((outcome) => {
    const now = clock()
    lane.underWay--
    deliveries.underWay--
    deliveries.underWayOf[pace]--
    // An answer from a former address does not count for the present one, nor does what the sandbox only pretends.
    if (lane.target.url === url && outcome.error !== 'simulated') {
      noteOutcome(lane, { failures, pauses }, outcome, now)
      noteAnswer(deliveries, lane, outcome)
      if (isGone(outcome)) lane.target = { ...lane.target, enabled: false }
    }
    deliveries.ended.push({ lane, due, url, outcome, at, ...decideAttempt(due, outcome, now) })
    sendDue(deliveries)
    deliveries.wake?.()
  })
}

const findsRoom = (deliveries: Deliveries, lane: Lane): boolean => {
  const { context, underWay, underWayOf } = deliveries
  const most = context.settings.notificationsInFlight
  const pace = paceNow(deliveries, lane)
  if (underWayOf[pace] >= most * shares[pace]) return false
  return pace === 'quick' || underWay - underWayOf.quick < most * shareOfOthers
}

const mayStart = (deliveries: Deliveries, lane: Lane, now: Instant, ticks: number): boolean => {
  const { context, leaseTimes } = deliveries
  const { notificationsPerEndpoint, notificationTimeoutMs } = context.settings
  return (
    lane.target.enabled &&
    lane.pausedUntil <= now &&
    lane.underWay < attemptsAtOnce(lane.successes, lane.failures, notificationsPerEndpoint) &&
    // An attempt must end before the lease does: otherwise the next holder would send the same delivery.
    ticks + notificationTimeoutMs + leaseTimes.marginMs <= lane.leasedUntil &&
    findsRoom(deliveries, lane)
  )
}

/**
 * Starts as many attempts as each lane and the process may have at a time; each one that ends makes room for the next.
 * Lanes take turns, so that a long queue in one does not hold up the others.
 */
export const sendDue = (deliveries: Deliveries): void => {
  const { context, ready } = deliveries
  const { notificationsInFlight } = context.settings
  if (deliveries.isStopped || deliveries.underWay >= notificationsInFlight || ready.size === 0) return
  const now = context.clock()
  const ticks = context.ticks()
  // A lane that is re-added at the end is visited again in this loop, until no lane may start another attempt.
  for (const lane of ready) {
    if (!mayStart(deliveries, lane, now, ticks)) continue
    ready.delete(lane)
    const due = lane.toSend.shift()
    if (due) launch(deliveries, lane, due)
    if (lane.toSend.length > 0) ready.add(lane)
    if (deliveries.underWay >= notificationsInFlight) return
  }
}
