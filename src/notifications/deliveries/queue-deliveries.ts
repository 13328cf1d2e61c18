import type { Context, Tx } from '../../context.ts'
import { heldBackMs, notificationPlay } from '../../domain/simulation.ts'
import { placeEvents } from '../place-events.ts'
import { insertDeliveries, updatePlays } from './store.ts'

/** Most events of one round. */
const batchSize = 2000

/** Key of the bus of changes that announces new deliveries. */
export const deliveriesKey = 'deliveries'

/** After this many rounds that found the lock taken, a round waits for it: steady changes of endpoints never let it go. */
const missesBeforeWait = 3
const misses = new WeakMap<Context, number>()

/**
 * Gives new events their places and queues each for the endpoints that hear of it, in one transaction; returns how many
 * places were given.
 */
export const queueDeliveries = async (context: Context): Promise<number> => {
  const missed = misses.get(context) ?? 0
  const placed = await context.transaction((tx) => placeAndQueue(tx, missed >= missesBeforeWait))
  misses.set(context, placed === 'taken' ? missed + 1 : 0)
  return placed === 'taken' ? 0 : placed
}

const placeAndQueue = async (tx: Tx, wait: boolean): Promise<number | 'taken'> => {
  const placed = await placeEvents(tx, batchSize, wait)
  if (placed === 'taken') return placed
  if (placed.length === 0) return 0
  const queued = await tx.query(insertDeliveries, { rows: placed, now: tx.now })
  const played = queued.flatMap((row) => {
    const play = notificationPlay(row.amount, row.currency)
    const isHeldBack = play === 'twice-out-of-order' && row.kind === 'payment.processing'
    return play === null ? [] : [{ ...row, play, dueAt: isHeldBack ? tx.now + heldBackMs : tx.now }]
  })
  if (played.length > 0) await tx.query(updatePlays, { rows: played })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return placed.reduce((sum, each) => sum + Number(each.last - each.first) + 1, 0)
}
