import type { Context, Tx } from '../../context.ts'
import { heldBackMs, notificationPlay } from '../../domain/simulation.ts'
import { numberNotifications } from '../number-notifications.ts'
import { findUnnumbered } from '../store.ts'
import { insertDeliveries, updatePlays } from './store.ts'

/** Most notifications per round. */
const batchSize = 2000

/** The key on the change bus that announces new deliveries. */
export const deliveriesKey = 'deliveries'

/**
 * After this many rounds have found the lock taken, a round waits in line for it; otherwise steady changes would starve
 * it.
 */
const missesBeforeWait = 3
const misses = new WeakMap<Context, number>()

/**
 * Numbers new notifications and queues each for the endpoints that subscribe to it, in one transaction; returns how
 * many it numbered.
 */
export const queueDeliveries = async (context: Context): Promise<number> => {
  // Mostly there is none, and looking needs one round trip instead of four.
  if ((await context.query(findUnnumbered, {})).length === 0) return 0
  const missed = misses.get(context) ?? 0
  const numbered = await context.transaction((tx) => numberAndQueue(tx, missed >= missesBeforeWait))
  misses.set(context, numbered === 'taken' ? missed + 1 : 0)
  return numbered === 'taken' ? 0 : numbered
}

const numberAndQueue = async (tx: Tx, wait: boolean): Promise<number | 'taken'> => {
  const numbered = await numberNotifications(tx, batchSize, wait)
  if (numbered === 'taken') return numbered
  if (numbered.length === 0) return 0
  const queued = await tx.query(insertDeliveries, { rows: numbered, now: tx.now })
  const played = queued.flatMap((row) => {
    const play = notificationPlay(row.amount, row.currency)
    const isHeldBack = play === 'twice-out-of-order' && row.kind === 'payment.processing'
    return play === null ? [] : [{ ...row, play, dueAt: isHeldBack ? tx.now + heldBackMs : tx.now }]
  })
  if (played.length > 0) await tx.query(updatePlays, { rows: played })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return numbered.reduce((sum, each) => sum + Number(each.last - each.first) + 1, 0)
}
