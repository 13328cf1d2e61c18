import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { requireEnabled } from '../endpoints/read.ts'
import { wakeLane } from './lanes/store.ts'
import { deliveriesKey } from './queue-deliveries.ts'
import { findDelivery, restartDeliveries, restartDelivery } from './store.ts'

/** Most events that one call redelivers. */
const mostEvents = 10_000

type Key = { readonly merchantId: string; readonly endpointId: string }

const wake = async (tx: Tx, key: Key): Promise<void> => {
  await tx.query(wakeLane, { ...key, now: tx.now })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
}

/**
 * Sends one event to an endpoint again, the same bytes under the same id, with all tries of the plan, before what waits
 * there and also in a pause. Refusals: `resource_not_found`, `invalid_state` while the endpoint is disabled.
 */
export const redeliver = async (tx: Tx, key: Key, eventId: string): Promise<void> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const [delivery] = await tx.query(findDelivery, { ...key, eventId })
  if (!delivery) throw new Refusal('resource_not_found', 'There is no such delivery.')
  await tx.query(restartDelivery, { ...key, position: delivery.position, now: tx.now })
  await wake(tx, key)
}

/**
 * Sends an endpoint all events since a time that have failed or that it missed while it was disabled, the oldest first,
 * and returns how many; `more` when there are still others. Nothing was missed before the endpoint was there, nor before
 * `keptSince`, from when on deliveries are kept. Refusals as `redeliver`.
 */
export const redeliverSince = async (
  tx: Tx,
  key: Key,
  times: { readonly since: Instant; readonly keptSince: Instant },
): Promise<{ events: number; more: boolean }> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const [row] = await tx.query(restartDeliveries, { ...key, ...times, now: tx.now, limit: mostEvents })
  const events = Number(row?.events ?? 0)
  await wake(tx, key)
  return { events, more: events === mostEvents }
}
