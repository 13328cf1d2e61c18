import type { Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { postReturn } from '../domain/ledger.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findRepeatOf, findTelling } from './duplicates/store.ts'
import { listUndecided, lockTransfers, returnAllocations } from './store.ts'

type Keys = readonly { readonly requisiteId: string; readonly id: string }[]

const columnsOf = (keys: Keys) => ({
  requisiteIds: keys.map((key) => key.requisiteId),
  transferIds: keys.map((key) => key.id),
})

/** How many of the transfers nothing was decided on. */
export const countUndecided = async (sql: Queryable, transfers: Keys): Promise<number> =>
  (await sql.query(listUndecided, columnsOf(transfers))).length

/** A transfer of another channel that may be one of these, or was said to be: without them its money would be lost. */
export const findRepeat = async (
  sql: Queryable,
  transfers: Keys,
): Promise<{ readonly id: string; readonly repeatOf: string | null } | undefined> =>
  (await sql.query(findRepeatOf, columnsOf(transfers)))[0]

/** One of the transfers that a feed or an operator has told of, too: they would not tell of it again. */
export const findToldToo = async (
  sql: Queryable,
  transfers: Keys,
): Promise<{ readonly id: string; readonly channel: string } | undefined> =>
  (await sql.query(findTelling, columnsOf(transfers)))[0]

/** Locks transfers against every decision without waiting for any; `false` where one is just being decided on. */
export const tryToLock = async (tx: Tx, transfers: Keys): Promise<boolean> =>
  (await tx.query(lockTransfers, columnsOf(transfers))).length === transfers.length

/**
 * Takes transfers on which nothing was decided out of the inbox as if they had not been reported: reversing entries,
 * their cases closed, and a report of the same transfer counts again. They must be locked, or else out of reach.
 */
export const returnTransfers = async (tx: Tx, transfers: Keys): Promise<void> => {
  const rows = await tx.query(listUndecided, columnsOf(transfers))
  if (rows.length < transfers.length) throw new Error('a transfer that is to be returned was decided on')
  await tx.query(returnAllocations, { ...columnsOf(transfers), now: tx.now })
  await postEntries(
    tx,
    rows.map((row) => [
      postReturn(null, row.currency, { transferId: row.id, requisiteId: row.requisiteId, amount: row.amount }),
    ]),
  )
}
