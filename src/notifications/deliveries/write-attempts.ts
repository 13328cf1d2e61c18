import { hasFailedTooLong, isGone } from '../../domain/delivery.ts'
import { Refusal } from '../../domain/refusal.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import type { Deliveries, EndedAttempt } from './deliveries.ts'
import { recordAttempts } from './store.ts'

/** Attempts that are written by one query. */
const batchSize = 1000

const disableWhereOver = async ({ context }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  for (const { lane, url, outcome } of batch) {
    const isOver = hasFailedTooLong(lane.failingSince, context.clock())
    const reason = isGone(outcome) ? 'gone' : isOver ? 'failing' : undefined
    if (!reason) continue
    if (lane.target.url === url) lane.target = { ...lane.target, enabled: false }
    const { merchantId, endpointId: id } = lane
    try {
      await disableEndpoint(context, { merchantId, id, url }, reason)
    } catch (error) {
      // Out of reach: the round is done again once it is back.
      if (error instanceof Refusal) throw error
      context.log.error({ err: error, endpointId: id }, 'an endpoint cannot be disabled')
    }
  }
}

const record = async ({ context, written }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  const rows = batch.map(({ lane, due, outcome, ...ended }) => ({
    ...ended,
    merchantId: lane.merchantId,
    endpointId: lane.endpointId,
    position: due.position,
    attempts: due.attempts,
    queuedAt: due.queuedAt,
    answer: outcome.status,
    error: outcome.error,
    latencyMs: Math.min(outcome.latencyMs, 2 ** 31 - 1),
    excerpt: outcome.excerpt,
  }))
  await context.query(recordAttempts, { rows, now: context.clock() })
  written.push(...batch)
}

/** The excerpt is the only part of an attempt that the receiver has written. */
const withoutExcerpt = (ended: EndedAttempt): EndedAttempt => ({ ...ended, outcome: { ...ended.outcome, excerpt: '' } })

/**
 * Writes attempts. Those that the database refuses are written without their excerpt, and do not hold up the others. One
 * that cannot be written at all stays held, so that this process does not send it over and over.
 */
const recordEach = async (deliveries: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  try {
    await record(deliveries, batch)
  } catch (error) {
    const [first] = batch
    // Out of reach: all of it is written once it is back.
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
 * Writes the results of attempts that have ended, and logs them; disables endpoints that are gone or have failed for too long.
 * Returns how many attempts were written.
 */
export const writeAttempts = async (deliveries: Deliveries): Promise<number> => {
  const batch = deliveries.ended.slice(0, batchSize)
  if (batch.length === 0) return 0
  await recordEach(deliveries, batch)
  // Where this is interrupted all of it is done again; what is written already changes nothing then.
  await disableWhereOver(deliveries, batch)
  deliveries.ended = deliveries.ended.slice(batch.length)
  return batch.length
}
