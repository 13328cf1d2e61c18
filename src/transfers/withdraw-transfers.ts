import type { Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { account, postReceipt, postReturn } from '../domain/ledger.ts'
import { postUnbooked, postUnsent } from '../domain/outgoing.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findDuplicateOf, selectFurtherReport } from './duplicates/store.ts'
import type { TransferKey } from './transfer-parts.ts'
import { findDuplicateOfOutgoing } from './outgoing/duplicates/store.ts'
import { deleteOutgoingKeys, listOutgoingUndecided, lockOutgoing, markUnbooked } from './outgoing/store.ts'
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
 * cases, and lets the same transfer be reported again. They must be locked or otherwise unreachable.
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
      // A duplicate never entered the ledger: posting both keeps the rule that every withdrawn transfer came and went.
      return isDuplicate ? [postReceipt(null, currency, money), returned] : [returned]
    }),
  )
}

/** How many of the outgoing transfers no operator has decided on. */
export const countOutgoingUndecided = async (sql: Queryable, outgoing: readonly TransferKey[]): Promise<number> =>
  outgoing.length === 0 ? 0 : (await sql.query(listOutgoingUndecided, { rows: outgoing })).length

/** An outgoing transfer that is, or may be, the money of one of these. */
export const findOutgoingDuplicate = async (sql: Queryable, outgoing: readonly TransferKey[]) =>
  outgoing.length === 0 ? undefined : (await sql.query(findDuplicateOfOutgoing, { rows: outgoing }))[0]

/** Keeps everyone from deciding on outgoing transfers until the transaction ends. */
export const holdOutgoing = async (tx: Tx): Promise<void> => {
  await tx.query(lockOutgoing, {})
}

/**
 * Withdraws outgoing transfers that no operator has decided on, as if they had never been reported: money announced
 * before the bank's report leaves the ledger's bank account by its own posting again.
 */
export const withdrawOutgoing = async (tx: Tx, outgoing: readonly TransferKey[]): Promise<void> => {
  if (outgoing.length === 0) return
  await holdOutgoing(tx)
  const rows = await tx.query(listOutgoingUndecided, { rows: outgoing })
  if (rows.length < outgoing.length) throw new Error('an outgoing transfer to be withdrawn was decided on')
  await tx.query(markUnbooked, { state: 'withdrawn', rows: outgoing })
  await tx.query(deleteOutgoingKeys, { rows: outgoing })
  await postEntries(
    tx,
    rows.map((each) => [
      ...(each.bookedOn === null ? [] : [postUnbooked(each, account.bank(each.bookedOn))]),
      postUnsent(each),
    ]),
  )
}
