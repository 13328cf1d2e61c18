import type { Context, Tx } from '../../context.ts'
import { requireRow } from '../../../rules/refusal.ts'
import { hour, type Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { requireEnabled } from '../endpoints/read.ts'
import { wakeLane } from './lanes/store.ts'
import { deliveriesKey } from './queueing/queue-deliveries.ts'
import { chooseEvents, findDelivery, restartChosen, markDeliveriesTurned } from './store.ts'
import type { ClockTurn } from '../../../rules/sandbox/clock-turn.ts'

/** Most events that one call redelivers to an endpoint. */
export const mostEvents = 10_000

type Key = { readonly merchantId: string; readonly endpointId: string }

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
  await tx.query(wakeLane, { ...key, now: tx.now })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return Number(row?.events ?? 0)
}

/**
 * Sends one event to an endpoint again: the same bytes under the same id, with all tries of the plan, before waiting
 * deliveries and even during a pause. Refusals: `resource_not_found`, `invalid_state` while the endpoint is disabled.
 */
export const redeliver = async (tx: Tx, key: Key, eventId: string): Promise<void> => {
  await requireEnabled(tx, key.merchantId, key.endpointId)
  const delivery = requireRow(await tx.query(findDelivery, { ...key, eventId }), 'delivery')
  await redeliverChosen(tx, key, [delivery.position], true)
}

/** Which events to send to an endpoint again: all conditions must hold; `null` means no condition. */
export type ChosenEvents = {
  readonly paymentIds: readonly string[] | null
  readonly kinds: readonly string[] | null
  /** When they happened: inclusive, exclusive. */
  readonly since: Instant | null
  readonly until: Instant | null
  readonly delivered: boolean
}

/**
 * The positions of the events that an endpoint would be sent again, the oldest first, as far back as deliveries are
 * kept (`keptSince`); at most `mostEvents`. Events before the endpoint existed were not missed. Refusals as `redeliver`.
 */
export const listChosen = async (
  context: Context,
  key: Key,
  events: ChosenEvents,
  keptSince: Instant,
): Promise<readonly bigint[]> => {
  await requireEnabled(context, key.merchantId, key.endpointId)
  // Allows for the clock differences between nodes.
  const sinceId = events.since === null ? null : leastIdAt(events.since - hour)
  const rows = await context.query(chooseEvents, { ...key, ...events, sinceId, keptSince, limit: mostEvents })
  return rows.map(({ position }) => position)
}

/**
 * Turns forward the planned tries of a sandbox merchant's notifications and the pauses of its endpoints. Returns how many
 * tries it moved.
 */
export const turnNotifications = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<number> => {
  const [moved] = await tx.query(markDeliveriesTurned, { merchantId, now, byMs: BigInt(byMs) })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return moved?.deliveries ?? 0
}
