import type { Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { postReceipt, postReturn } from '../../rules/money/ledger.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findDuplicateOf, selectFurtherReport } from './duplicates/store.ts'
import { returnGaveWay } from './lone-reports/give-way.ts'
import type { TransferKey } from './transfer-parts.ts'
import { listUndecided, lockTransfers, withdrawParts } from './store.ts'

/** How many of the transfers nobody has decided on. */
export const countUndecided = async (sql: Queryable, transfers: readonly TransferKey[]): Promise<number> =>
  (await sql.query(listUndecided, { rows: transfers })).length

/** A possible or certain duplicate of one of the transfers: without the original, its money would be lost. */
export const findDuplicate = async (sql: Queryable, transfers: readonly TransferKey[]) =>
  (await sql.query(findDuplicateOf, { rows: transfers }))[0]

/** One of the transfers that a feed or an operator also reported; they would not report it again. */
export const findFurtherReport = async (sql: Queryable, transfers: readonly TransferKey[]) =>
  (await sql.query(selectFurtherReport, { rows: transfers }))[0]

/** Locks transfers against every decision without waiting; `false` if a decision on one of them is under way. */
export const tryToLock = async (tx: Tx, transfers: readonly TransferKey[]): Promise<boolean> =>
  (await tx.query(lockTransfers, { rows: transfers })).length === transfers.length

/**
 * Takes undecided transfers out of the inbox as if they had never been reported: posts reversing entries, closes their
 * cases, and lets the same transfer be reported again. What gave way to them returns to the inbox. They must be locked or
 * otherwise unreachable.
 */
export const withdrawTransfers = async (tx: Tx, transfers: readonly TransferKey[]): Promise<void> => {
  const rows = await tx.query(listUndecided, { rows: transfers })
  if (rows.length < transfers.length) throw new Error('a transfer to be withdrawn was decided on')
  await returnGaveWay(tx, transfers)
  await tx.query(withdrawParts, { rows: transfers, now: tx.now })
  await postEntries(
    tx,
    rows.map(({ id: transferId, requisiteId, currency, amount, isDuplicate }) => {
      const money = { transferId, requisiteId, amount }
      const returned = postReturn(null, currency, money)
      // A duplicate never entered the ledger: posting both keeps the rule that every withdrawn transfer came and went.
      return isDuplicate ? [postReceipt(null, currency, money), returned] : [returned]
    }),
  )
}
