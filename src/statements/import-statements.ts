import type { Context, Tx } from '../context.ts'
import type { Statement } from '../domain/statement-import.ts'
import { hour } from '../domain/time.ts'
import { type ReportedTransfer, sameBookingMs } from '../domain/transfer.ts'
import { recordStatementBalances } from '../ledger/record-statement-balances.ts'
import { maxTransfersAtOnce, recordTransfers } from '../transfers/record-transfers.ts'
import { reverseTransfers } from '../transfers/reversals/reverse-transfers.ts'
import { findToldOtherwise } from './entries/store.ts'
import { toldInStatement } from './repeats/find-row-repeats.ts'
import { rowDetails } from './row-details.ts'
import {
  changeStatement,
  deleteRows,
  deleteStatement,
  findUndoing,
  listKnownRows,
  listReversalRows,
  listRows,
  listUnderWay,
  lockStatement,
  updateRows,
} from './store.ts'
import { undoNext } from './undo-statement.ts'

/** Each looks for its transfer by itself. */
const reversalsAtOnce = 100

type StoredRow = ReturnType<typeof listRows.decode>

/** A reading that has taken so long was cut off by the end of its process. */
const givenUpAfterMs = 6 * hour

const toReported = (tx: Tx, statement: Statement, row: StoredRow): ReportedTransfer => {
  const { payerNumber, senderBank, text } = rowDetails(tx.vault, statement.id, row.position, row.detailsSealed)
  return {
    requisiteId: row.requisiteId,
    currency: row.currency,
    amount: row.amount,
    // A bare date stands for the end of its day, which may not have come yet.
    bookedAt: Math.min(row.bookedAt, tx.now),
    source: `statement:${statement.id}`,
    bankReference: row.bankReference,
    sender: payerNumber,
    ...(senderBank === null ? {} : { senderBank }),
    ...(text === null ? {} : { text }),
    dedupeKey: row.dedupeKey,
    ...(row.channel === null ? {} : { channel: row.channel }),
    ...(row.referenceKind === null ? {} : { referenceKind: row.referenceKind }),
  }
}

/** Records the next rows of a statement. */
const recordRows = async (tx: Tx, statement: Statement, rows: readonly StoredRow[]): Promise<void> => {
  const booked = rows.filter((row) => row.kind === 'booked')
  const found = await tx.query(listKnownRows, {
    positions: booked.map((row) => row.position),
    requisiteIds: booked.map((row) => row.requisiteId),
    dedupeKeys: booked.map((row) => row.dedupeKey),
  })
  const known = new Map(found.map((row) => [row.position, row.bookedAt]))
  const reported = booked.map((row): ReportedTransfer => {
    const transfer = toReported(tx, statement, row)
    const earlier = known.get(row.position)
    if (earlier === undefined || Math.abs(earlier - transfer.bookedAt) <= sameBookingMs) return transfer
    // The reference came for another day since the file was read. The file is taken as a whole, and no money of it
    // may be swallowed: this row counts as one without a reference.
    return { ...transfer, bankReference: null, dedupeKey: `statement:${statement.id}:${row.position}` }
  })
  // What it may be is looked for anew: much may have come since the file was read.
  const recorded = await recordTransfers(tx, reported, toldInStatement(tx, statement.id, { paired: false }))
  await tx.query(updateRows, {
    statementId: statement.id,
    positions: booked.map((row) => row.position),
    requisiteIds: recorded.map((transfer) => transfer.requisiteId),
    transferIds: recorded.map((transfer) => transfer.id),
    repeated: recorded.map((transfer) => transfer.repeated),
  })
  await tx.query(changeStatement, { ...statement, importedTo: rows.at(-1)?.position ?? statement.importedTo })
}

/** What the bank took back goes after all that it gave: files are in either order of time. */
const recordReversals = async (tx: Tx, statement: Statement, rows: readonly StoredRow[]): Promise<void> => {
  const recorded = await reverseTransfers(
    tx,
    rows.map((row) => ({ ...toReported(tx, statement, row), dedupeKey: row.dedupeKey })),
  )
  await tx.query(updateRows, {
    statementId: statement.id,
    positions: rows.map((row) => row.position),
    requisiteIds: rows.map((row) => row.requisiteId),
    transferIds: recorded.map((each) => each.transferId),
    repeated: recorded.map((each) => each.repeated),
  })
}

/**
 * Whether another statement tells of a booking in another form, which confirming did not see: earlier releases passed over
 * what was being undone. Nothing has been recorded then, and the statement is to be looked at again.
 */
const isToldOtherwise = async (tx: Tx, statement: Statement): Promise<boolean> => {
  const [otherwise] = await tx.query(findToldOtherwise, { statementId: statement.id })
  if (!otherwise) return false
  await tx.query(changeStatement, { ...statement, state: 'ready', confirmedBy: null, confirmedAt: null })
  tx.afterCommit(() => tx.changes.publish(['statements']))
  return true
}

/**
 * Imports the next set of rows of a statement; returns how many rows it took, at least 1 until the import has ended, but
 * none while another one is undone.
 */
const importNext = async (tx: Tx, id: string): Promise<number> => {
  const [statement] = await tx.query(lockStatement, { id })
  if (statement?.state !== 'importing') return 0
  // A row that repeats a transfer which is just taken back would be lost. The own lock comes first, see `undoNext`.
  if ((await tx.query(findUndoing, {})).length > 0) return 0
  if (statement.importedTo === 0 && (await isToldOtherwise(tx, statement))) return 1
  const rows = await tx.query(listRows, {
    statementId: id,
    after: statement.importedTo,
    limit: maxTransfersAtOnce,
  })
  if (rows.length > 0) {
    await recordRows(tx, statement, rows)
    return rows.length
  }
  const reversals = await tx.query(listReversalRows, { statementId: id, limit: reversalsAtOnce })
  if (reversals.length > 0) await recordReversals(tx, statement, reversals)
  else {
    await tx.query(changeStatement, { ...statement, state: 'imported', importedAt: tx.now })
    await recordStatementBalances(tx, statement)
  }
  return Math.max(1, reversals.length)
}

/**
 * Records the rows of confirmed statements, a set of each, takes back those of statements that are undone, and clears away
 * readings that were cut off. Returns how much it did; safe on any number of processes, and after any crash it goes on
 * where it was.
 */
export const importStatements = async (context: Context): Promise<number> => {
  let done = 0
  let failure: unknown
  for (const { id, state } of await context.query(listUnderWay, { startedBefore: context.clock() - givenUpAfterMs })) {
    if (state === 'importing' || state === 'undoing') {
      // One that fails must not keep the others waiting.
      done += await context
        .transaction((tx) => (state === 'importing' ? importNext(tx, id) : undoNext(tx, id)))
        .catch((error: unknown) => {
          failure = error
          context.log.warn({ err: error, statement: id }, `${state} a statement is not possible at the moment`)
          return 0
        })
      continue
    }
    await context.query(deleteRows, { statementId: id })
    await context.query(deleteStatement, { id })
    done++
  }
  if (done === 0 && failure !== undefined) throw failure
  return done
}
