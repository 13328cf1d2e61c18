import type { Tx } from '../context.ts'
import { ackReminderDelaysMs } from '../domain/notification.ts'
import { day, second } from '../domain/time.ts'
import { placeEvents as place, tryLockPlacing } from './store.ts'

/** Events of a merchant that have just got their places, `first` to `last`. */
export type PlacedEvents = { readonly merchantId: string; readonly first: bigint; readonly last: bigint }

/** Credits that are older than the last reminder are not asked for: they were there before reminders were. */
const oldestRemindedMs = day

/**
 * Gives up to `limit` committed events, the oldest first, the next places of their merchants, so that each merchant's
 * events have one order without gaps that never changes once it is seen. Nothing while another process does it.
 */
export const placeEvents = async (tx: Tx, limit: number): Promise<PlacedEvents[]> => {
  if ((await tx.query(tryLockPlacing, {})).length === 0) return []
  // A statement of its own: only one that starts under the lock sees all that the last holder has placed.
  return tx.query(place, {
    limit,
    remindSince: tx.now - oldestRemindedMs,
    remindAfterSeconds: (ackReminderDelaysMs[0] ?? 0) / second,
  })
}
