import type { Context } from '../../context.ts'
import { hasFailedTooLong, isGone } from '../../../rules/notices/delivery.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { disableEndpoint } from '../endpoints/endpoints.ts'
import type { Deliveries, EndedAttempt } from './deliveries.ts'
import { recordAttempts } from './store.ts'

/** The result of an attempt, by the state that it gives the delivery. */
const results = { delivered: 'delivered', pending: 'retried', failed: 'given-up' } as const

/** Attempts written per query. */
const batchSize = 1000

const disableFailed = async ({ context }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  for (const { lane, url, outcome } of batch) {
    const isOver = hasFailedTooLong(lane.failingSince, context.clock())
    const reason = isGone(outcome) ? 'gone' : isOver ? 'failing' : undefined
    if (!reason) continue
    if (lane.target.url === url) lane.target = { ...lane.target, enabled: false }
    const { merchantId, endpointId: id } = lane
    try {
      await disableEndpoint(context, { merchantId, id, url }, reason)
    } catch (error) {
      // The database is unreachable: the next round disables the endpoint.
      if (error instanceof Refusal) throw error
      context.log.error({ err: error, endpointId: id }, 'an endpoint cannot be disabled')
    }
  }
}

type Rows = Parameters<typeof recordAttempts.encode>[0]['rows']

/** Writes attempts, again while somebody else changes their deliveries. */
const write = async (context: Context, rows: Rows): Promise<void> => {
  const left = await context.query(recordAttempts, { rows, now: context.clock() })
  const isLeft = (row: Rows[number]): boolean =>
    left.some(({ endpointId, position }) => row.endpointId === endpointId && row.position === position)
  if (left.length > 0) await write(context, rows.filter(isLeft))
}

const record = async ({ context, written }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  const rows = batch.map(({ lane, due, outcome, ...ended }) => ({
    ...ended,
    merchantId: lane.merchantId,
    endpointId: lane.endpointId,
    position: due.position,
    attempts: due.attempts,
    queuedAt: due.queuedAt,
    httpStatus: outcome.httpStatus,
    error: outcome.error,
    latencyMs: Math.min(outcome.latencyMs, 2 ** 31 - 1),
    excerpt: outcome.excerpt,
  }))
  await write(context, rows)
  written.push(...batch)
  for (const { status, outcome } of batch) {
    context.meter.count('payin_delivery_attempts_total', { result: results[status] })
    context.meter.observe('payin_delivery_attempt_duration_seconds', {}, outcome.latencyMs / 1000)
  }
  context.changes.announce('deliveries', [...new Set(batch.map(({ lane }) => lane.merchantId))])
}

/** The excerpt is written by the receiver, so it is the part that the database may refuse. */
const withoutExcerpt = (ended: EndedAttempt): EndedAttempt => ({ ...ended, outcome: { ...ended.outcome, excerpt: '' } })

/**
 * Writes attempts. If the database refuses them, it halves the batch until the refused attempt is alone, and writes
 * that one without its excerpt. An attempt that cannot be written at all stays in hand, so that it is not sent again
 * and again.
 */
const recordEach = async (deliveries: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  try {
    await record(deliveries, batch)
  } catch (error) {
    const [first] = batch
    // The database is unreachable: the next round writes everything.
    if (error instanceof Refusal || !first) throw error
    const { eventId } = first.due
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2)
      await recordEach(deliveries, batch.slice(0, middle))
      await recordEach(deliveries, batch.slice(middle))
    } else if (first.outcome.excerpt === '') {
      deliveries.context.log.error({ err: error, eventId }, 'an attempt of a delivery cannot be written')
    } else {
      deliveries.context.log.error({ err: error, eventId }, 'an attempt of a delivery is written without its answer')
      await recordEach(deliveries, [withoutExcerpt(first)])
    }
  }
}

/**
 * Writes the results of attempts that have ended, and logs them; disables endpoints that are gone or have failed for
 * too long. Returns how many attempts were written.
 */
export const writeAttempts = async (deliveries: Deliveries): Promise<number> => {
  const batch = deliveries.ended.slice(0, batchSize)
  if (batch.length === 0) return 0
  await recordEach(deliveries, batch)
  // If this fails, the next round writes the batch again, which changes nothing that is already written.
  await disableFailed(deliveries, batch)
  deliveries.ended = deliveries.ended.slice(batch.length)
  return batch.length
}
