import type { Context } from '../context.ts'
import { heldBackMs, notificationPlay } from '../domain/simulation.ts'
import { placeEvents } from '../notifications/place-events.ts'
import { insertDeliveries, updatePlays } from './store.ts'

/** Most events of one round. */
const batchSize = 2000

/** Key of the bus of changes that tells of new deliveries. */
export const deliveriesKey = 'deliveries'

/**
 * Gives new events their places and queues each for the endpoints that hear of it, in one transaction; returns how many
 * places were given.
 */
export const queueDeliveries = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const placed = await placeEvents(tx, batchSize)
    if (placed.length === 0) return 0
    const queued = await tx.query(insertDeliveries, {
      merchantIds: placed.map((each) => each.merchantId),
      firsts: placed.map((each) => each.first),
      lasts: placed.map((each) => each.last),
      now: tx.now,
    })
    const played = queued.flatMap((row) => {
      const play = notificationPlay(row.amount, row.currency)
      return play === null ? [] : [{ ...row, play }]
    })
    if (played.length > 0) {
      const isHeldBack = (row: (typeof played)[number]): boolean =>
        row.play === 'twice-out-of-order' && row.kind === 'payment.processing'
      await tx.query(updatePlays, {
        merchantIds: played.map((row) => row.merchantId),
        endpointIds: played.map((row) => row.endpointId),
        positions: played.map((row) => row.position),
        plays: played.map((row) => row.play),
        dueAts: played.map((row) => (isHeldBack(row) ? tx.now + heldBackMs : tx.now)),
      })
    }
    tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
    return placed.reduce((sum, each) => sum + Number(each.last - each.first) + 1, 0)
  })
