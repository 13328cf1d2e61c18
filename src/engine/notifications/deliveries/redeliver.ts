import type { Context, Tx } from '../../context.ts'
import { noSuch } from '../../../rules/refusal.ts'
import { hour, type Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/uuid-bounds.ts'
import { requireEnabled } from '../endpoints/read.ts'
import { wakeLane } from './lanes/store.ts'
import { deliveriesKey } from './queueing/queue-deliveries.ts'
import { chooseEvents, findDelivery, restartChosen, restartDeliveries, restartDelivery } from './store.ts'

/** Most events that one call redelivers to an endpoint. */
export const mostEvents = 10_000

/** The id from which events since a time begin; allows for the clock differences between nodes. */
const leastEventId = (since: Instant): string => leastIdAt(since - hour)

type Key = { readonly merchantId: string; readonly endpointId: string }

const wake = async (tx: Tx, key: Key): Promise<void> => {
  await tx.query(wakeLane, { ...key, now: tx.now })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
}

/**
 * Sends one event to an endpoint again: the same bytes under the same id, with all tries of the plan, before waiting
 * deliveries and even during a pause. Refusals: `resource_not_found`, `invalid_state` while the endpoint is disabled.
 */
export const redeliver = async (tx: Tx, key: Key, eventId: string): Promise<void> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const [delivery] = await tx.query(findDelivery, { ...key, eventId })
  if (!delivery) throw noSuch('delivery')
  await tx.query(restartDelivery, { ...key, position: delivery.position, now: tx.now })
  await wake(tx, key)
}

/**
 * Sends an endpoint all events since a time that failed or that it missed while it was disabled, the oldest first.
 * Returns how many, and `more` if others remain. Events before the endpoint existed were not missed, nor were those
 * before `keptSince`, the time from which deliveries are kept. Refusals as `redeliver`.
 */
export const redeliverSince = async (
  tx: Tx,
  key: Key,
  times: { readonly since: Instant; readonly keptSince: Instant },
): Promise<{ events: number; more: boolean }> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const bounds = { ...times, sinceId: leastEventId(times.since), now: tx.now, limit: mostEvents }
  const [row] = await tx.query(restartDeliveries, { ...key, ...bounds })
  const events = Number(row?.events ?? 0)
  await wake(tx, key)
  return { events, more: events === mostEvents }
}

/** Which events to send to an endpoint again: all conditions must hold; `null` means no condition. */
export type ChosenEvents = {
  readonly paymentIds: readonly string[] | null
  readonly kinds: readonly string[] | null
  /** When they happened: inclusive, exclusive. */
  readonly since: Instant | null
  readonly until: Instant | null
  /** Whether to include delivered ones. */
  readonly delivered: boolean
}

/**
 * The positions of the events that an endpoint would be sent again, the oldest first, as far back as deliveries are
 * kept (`keptSince`); at most `mostEvents`. Refusals as `redeliver`.
 */
export const listChosen = async (
  context: Context,
  key: Key,
  events: ChosenEvents,
  keptSince: Instant,
): Promise<readonly bigint[]> => {
  await requireEnabled(context, key.merchantId, key.endpointId)
  const sinceId = events.since === null ? null : leastEventId(events.since)
  const rows = await context.query(chooseEvents, { ...key, ...events, sinceId, keptSince, limit: mostEvents })
  return rows.map(({ position }) => position)
}

/**
 * Sends an endpoint events again, and returns how many; without `delivered`, none that was delivered meanwhile.
 * Refusals as `redeliver`.
 */
export const redeliverChosen = async (
  tx: Tx,
  key: Key,
  positions: readonly bigint[],
  delivered: boolean,
): Promise<number> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const rows = positions.map((position) => ({ position }))
  const [row] = await tx.query(restartChosen, { ...key, delivered, rows, now: tx.now })
  await wake(tx, key)
  return Number(row?.events ?? 0)
}
