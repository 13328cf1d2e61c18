import type { Tx } from '../context.ts'
import { boundLockWait, findLastPosition, lockNumbering, numberOutbox, tryLockNumbering } from './store.ts'

/** The positions that a merchant's notifications have just got, `first` to `last`. */
type Numbered = { readonly merchantId: string; readonly first: bigint; readonly last: bigint }

/** How long numbering waits for its turn, in milliseconds; longer than any change of endpoints takes. */
const waitMs = 5000

/** Locks numbering: immediately or not at all, or with `wait` after everyone already in the queue. */
const lock = async (tx: Tx, wait: boolean): Promise<boolean> => {
  if (!wait) return (await tx.query(tryLockNumbering, {})).length > 0
  await tx.query(boundLockWait, { wait: `${waitMs}ms` })
  await tx.query(lockNumbering, {})
  return true
}

/**
 * Gives up to `limit` committed notifications, the oldest first, the next positions of their merchants, so that each
 * merchant's notifications have one order without gaps that never changes once it is visible. Returns `taken` if
 * another transaction has the lock; with `wait` it waits for its turn, and throws if the turn does not come.
 */
export const numberNotifications = async (tx: Tx, limit: number, wait: boolean): Promise<Numbered[] | 'taken'> => {
  if (!(await lock(tx, wait))) return 'taken'
  // A separate query: only one that starts under the lock sees everything that the last holder has numbered.
  return tx.query(numberOutbox, { limit })
}

/**
 * Holds numbering until the transaction ends, and returns the merchant's last position, `0` before the first one: a
 * change of who gets notifications applies from the next position on.
 */
export const holdNumbering = async (tx: Tx, merchantId: string): Promise<bigint> => {
  await tx.query(lockNumbering, {})
  return (await tx.query(findLastPosition, { merchantId }))[0]?.position ?? 0n
}
