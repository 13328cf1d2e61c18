import type { Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { postReceipt, postReturn } from '../domain/ledger.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findDuplicateOf, selectFurtherReport } from './duplicates/store.ts'
import type { TransferKey } from './lock-transfer.ts'
import { listUndecided, lockTransfers, withdrawParts } from './store.ts'

/** How many of the transfers nothing was decided on. */
export const countUndecided = async (sql: Queryable, transfers: readonly TransferKey[]): Promise<number> =>
  (await sql.query(listUndecided, { rows: transfers })).length

/** A possible or certain duplicate of one of the transfers: without the original, its money would be lost. */
export const findDuplicate = async (
  sql: Queryable,
  transfers: readonly TransferKey[],
): Promise<{ readonly id: string; readonly duplicateOf: string | null } | undefined> =>
  (await sql.query(findDuplicateOf, { rows: transfers }))[0]

/** One of the transfers that a feed or an operator reported too, which would not report it again. */
export const findFurtherReport = async (
  sql: Queryable,
  transfers: readonly TransferKey[],
): Promise<{ readonly id: string; readonly channel: string } | undefined> =>
  (await sql.query(selectFurtherReport, { rows: transfers }))[0]

/** Locks transfers against every decision without waiting; `false` where one of them is being decided on. */
export const tryToLock = async (tx: Tx, transfers: readonly TransferKey[]): Promise<boolean> =>
  (await tx.query(lockTransfers, { rows: transfers })).length === transfers.length

/**
 * Takes transfers about which nobody decided out of the inbox as if they had not been reported: reversing entries, their
 * cases closed, and a report of the same transfer counts again. They must be locked, or else out of reach.
 */
export const withdrawTransfers = async (tx: Tx, transfers: readonly TransferKey[]): Promise<void> => {
  const rows = await tx.query(listUndecided, { rows: transfers })
  if (rows.length < transfers.length) throw new Error('a transfer to be withdrawn was decided on')
  await tx.query(withdrawParts, { rows: transfers, now: tx.now })
  await postEntries(
    tx,
    rows.map(({ id: transferId, requisiteId, currency, amount, isDuplicate }) => {
      const money = { transferId, requisiteId, amount }
      const returned = postReturn(null, currency, money)
      // The ledger has not received a duplicate: every transfer that was withdrawn came and went.
      return isDuplicate ? [postReceipt(null, currency, money), returned] : [returned]
    }),
  )
}
