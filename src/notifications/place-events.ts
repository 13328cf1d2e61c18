import type { Tx } from '../context.ts'
import { ackReminderDelaysMs } from '../domain/notification.ts'
import { day, second } from '../domain/time.ts'
import { boundLockWait, lockPlacing, placeEvents as place, tryLockPlacing } from './store.ts'

/** Events of a merchant that have just got their places, `first` to `last`. */
export type PlacedEvents = { readonly merchantId: string; readonly first: bigint; readonly last: bigint }

/** Credits that are older than the last reminder are not asked for: they were there before reminders were. */
const oldestRemindedMs = day

/** How long placing waits for its turn, in milliseconds; longer than any change of endpoints takes. */
const waitMs = 5000

/** The lock of placing: at once or not at all, or with `wait` in the queue of all who want it. */
const lock = async (tx: Tx, wait: boolean): Promise<boolean> => {
  if (!wait) return (await tx.query(tryLockPlacing, {})).length > 0
  await tx.query(boundLockWait, { wait: `${waitMs}ms` })
  await tx.query(lockPlacing, {})
  return true
}

/**
 * Gives up to `limit` committed events, the oldest first, the next places of their merchants, so that each merchant's
 * events have one order without gaps that never changes once it is seen. `taken` while another transaction has the lock;
 * with `wait` its turn is waited for, and an error when it does not come.
 */
export const placeEvents = async (tx: Tx, limit: number, wait: boolean): Promise<PlacedEvents[] | 'taken'> => {
  if (!(await lock(tx, wait))) return 'taken'
  // A query of its own: only one that starts under the lock sees all that the last holder has placed.
  return tx.query(place, {
    limit,
    remindSince: tx.now - oldestRemindedMs,
    remindAfterSeconds: (ackReminderDelaysMs[0] ?? 0) / second,
  })
}
