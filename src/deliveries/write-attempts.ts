import { hasFailedTooLong, isGone } from '../domain/delivery.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import type { Deliveries, EndedAttempt } from './open-lane.ts'
import { bringForward, recordAttempts } from './store.ts'

/** Attempts that are written by one statement. */
const batchSize = 1000

const disableWhereOver = async ({ context }: Deliveries, batch: readonly EndedAttempt[]): Promise<void> => {
  for (const { lane, url, outcome } of batch) {
    const isOver = hasFailedTooLong(lane.failingSince, context.clock())
    const reason = isGone(outcome) ? 'gone' : isOver ? 'failing' : undefined
    if (!reason) continue
    if (lane.target.url === url) lane.target = { ...lane.target, enabled: false }
    await disableEndpoint(context, { merchantId: lane.merchantId, id: lane.endpointId, url }, reason)
  }
}

const goOnWhereRecovered = async ({ context, recovered }: Deliveries): Promise<void> => {
  for (const lane of recovered) {
    const { merchantId, endpointId } = lane
    await context.query(bringForward, { merchantId, endpointId, now: context.clock() })
    recovered.delete(lane)
  }
}

/**
 * Writes what came of attempts that have ended, and logs them; disables endpoints that want no more or failed for too long,
 * and brings forward what waits for those that work again. Returns how many attempts were written.
 */
export const writeAttempts = async (deliveries: Deliveries): Promise<number> => {
  const { context } = deliveries
  const batch = deliveries.ended.slice(0, batchSize)
  if (batch.length === 0) return 0
  await context.query(recordAttempts, {
    merchantIds: batch.map(({ lane }) => lane.merchantId),
    endpointIds: batch.map(({ lane }) => lane.endpointId),
    positions: batch.map(({ due }) => due.position),
    attempts: batch.map(({ due }) => due.attempts),
    statuses: batch.map(({ status }) => status),
    steps: batch.map(({ step }) => step),
    dueAts: batch.map(({ dueAt }) => dueAt),
    ats: batch.map(({ at }) => at),
    answers: batch.map(({ outcome }) => outcome.status),
    errors: batch.map(({ outcome }) => outcome.error),
    latencies: batch.map(({ outcome }) => Math.min(outcome.latencyMs, 2 ** 31 - 1)),
    excerpts: batch.map(({ outcome }) => outcome.excerpt),
    now: context.clock(),
  })
  deliveries.ended = deliveries.ended.slice(batch.length)
  for (const { lane, due } of batch) {
    lane.held.delete(due.position)
    lane.more = true
  }
  await disableWhereOver(deliveries, batch)
  await goOnWhereRecovered(deliveries)
  return batch.length
}
