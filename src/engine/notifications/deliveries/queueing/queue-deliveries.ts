import type { Context, Tx } from '../../../context.ts'
import { heldBackMs, notificationPlay } from '../../../../rules/sandbox/simulation.ts'
import {
  listUnqueued,
  tryHoldMerchants,
  holdMerchants,
  boundLockWait,
  holdMerchant,
  insertDeliveries,
  updatePlays,
} from './store.ts'

/** Most notifications per round. */
const batchSize = 2000

/** The key on the change bus that announces new deliveries. */
export const deliveriesKey = 'deliveries'

/**
 * After this many rounds have found a merchant locked, a round waits in line for it; otherwise steady changes of its
 * endpoints would starve it.
 */
const missesBeforeWait = 3
const misses = new WeakMap<Context, number>()

/** How long a round waits, in milliseconds; longer than any change of endpoints takes. */
const waitMs = 5000

type Merchants = readonly { readonly merchantId: string }[]

/**
 * Queues new notifications for the endpoints that subscribe to them; returns how many notifications it queued. A process
 * that finds a merchant locked mostly has nothing to do for it, because another one is queueing.
 */
export const queueDeliveries = async (context: Context): Promise<number> => {
  // Mostly there is none, and looking needs one round trip instead of four.
  const merchants = await context.query(listUnqueued, { limit: batchSize })
  if (merchants.length === 0) return 0
  const missed = misses.get(context) ?? 0
  const waits = missed >= missesBeforeWait
  // A round that waits in vain is followed by some that pass over whoever has the lock.
  misses.set(context, 0)
  const { held, queued } = await context.transaction((tx) => queueOf(tx, merchants, waits))
  if (held < merchants.length) misses.set(context, missed + 1)
  return queued
}

const hold = async (tx: Tx, merchants: Merchants, waits: boolean) => {
  if (!waits) return tx.query(tryHoldMerchants, { rows: merchants })
  await tx.query(boundLockWait, { wait: `${waitMs}ms` })
  return tx.query(holdMerchants, { rows: merchants })
}

const queueOf = async (
  tx: Tx,
  merchants: Merchants,
  waits: boolean,
): Promise<{ readonly held: number; readonly queued: number }> => {
  const held = await hold(tx, merchants, waits)
  // Each has its share of the round: a long queue of one delays no other.
  const share = BigInt(Math.ceil(batchSize / merchants.length))
  const spans = held.flatMap(({ merchantId, position, last }) => {
    const end = last - position > share ? position + share : last
    return end > position ? [{ merchantId, first: position + 1n, last: end }] : []
  })
  if (spans.length === 0) return { held: held.length, queued: 0 }
  // A separate query: only one that starts under the lock sees the endpoints that the last holder has changed.
  const sandboxed = await tx.query(insertDeliveries, { rows: spans, now: tx.now })
  const played = sandboxed.flatMap((row) => {
    const play = notificationPlay(row.amount, row.currency)
    const isHeldBack = play === 'twice-out-of-order' && row.kind === 'payment.processing'
    return play === null ? [] : [{ ...row, play, dueAt: isHeldBack ? tx.now + heldBackMs : tx.now }]
  })
  if (played.length > 0) await tx.query(updatePlays, { rows: played })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return { held: held.length, queued: spans.reduce((sum, { first, last }) => sum + Number(last - first) + 1, 0) }
}

/**
 * Holds the queueing of a merchant's notifications until the transaction ends, and returns the position of the last one
 * that is queued, `0` before the first: a change of who gets notifications applies from the next one on.
 */
export const holdQueueing = async (tx: Tx, merchantId: string): Promise<bigint> =>
  (await tx.query(holdMerchant, { merchantId }))[0]?.position ?? 0n
