import type { Context, Tx } from '../context.ts'
import { bookedTimeOf, listedFor } from '../domain/booked-time.ts'
import type { OtherForm } from '../domain/booking.ts'
import type { Statement, StatementState } from '../domain/statement-import.ts'
import { hour } from '../domain/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../domain/transfer.ts'
import { recordStatementBalances } from '../ledger/closing-balances/record-closing-balance.ts'
import { recordOutgoing } from '../transfers/outgoing/record-outgoing.ts'
import { replaceOutgoing } from '../transfers/outgoing/replace-outgoing.ts'
import { maxTransfersAtOnce, recordTransfers } from '../transfers/record-transfers.ts'
import { replaceSums } from '../transfers/replace-sums.ts'
import { recordReversals } from '../transfers/reversals/reversals.ts'
import { separateMoney } from './duplicates/separate-money.ts'
import { checkRecorded } from './totals/check-recorded.ts'
import { findNeighbours } from './totals/find-neighbours.ts'
import { findOtherForms, type OtherForms, type ReplacedSum } from './duplicates/find-other-forms.ts'
import { findProven } from './totals/find-proven.ts'
import { findSameTotals } from './totals/find-same-totals.ts'
import { listOfOtherAmount } from './totals/store.ts'
import { reportedInStatement } from './duplicates/reported-in-statement.ts'
import { lockForms } from './duplicates/store.ts'
import { rowDetails } from './row-details.ts'
import { sourcesOfSameMoney } from './sources/sources.ts'
import {
  changeStatement,
  countRecorded,
  deleteRows,
  deleteStatement,
  findWithdrawing,
  listOutgoingRows,
  listReversalRows,
  listRows,
  listUnderWay,
  selectStatementForUpdate,
  type StoredRow,
  updateRows,
} from './store.ts'
import { withdrawNext } from './withdraw-statement.ts'

/** Most reversals per set: each needs separate queries to find its transfer. */
const reversalsAtOnce = 100

/** A reading that takes longer was cut off when its process ended. */
const givenUpAfterMs = 6 * hour

type Report = ReportedTransfer & { readonly dedupeKey: string }

/** A further booking under one reference may be a repetition: only the first one keeps the reference. */
const withOwnReference = (report: Report): Report =>
  firstKeyOf(report.dedupeKey) === undefined ? report : { ...report, bankReference: null }

const toReport = (tx: Tx, statement: Statement, row: StoredRow): Report => {
  const { requisiteId, currency, amount, bankReference, referenceKind, channel, dedupeKey, likeness } = row
  const { payerNumber, payerName, senderBank, text } = rowDetails(
    tx.vault,
    statement.id,
    row.position,
    row.detailsSealed,
  )
  return {
    ...{ requisiteId, currency, amount, bankReference, referenceKind, channel, dedupeKey, likeness },
    ...{ source: `statement:${statement.id}`, sender: payerNumber, senderName: payerName, senderBank, text },
    ...bookedTimeOf(row, tx.now),
  }
}

/** Finds rows whose money other reports have in another form; much may have come since the file was read. */
const findForms = async (
  tx: Tx,
  statement: Statement,
  rows: readonly StoredRow[],
  reports: readonly Report[],
): Promise<OtherForms> => {
  await tx.query(lockForms, { requisiteIds: rows.map((row) => row.requisiteId) })
  const compared = rows.flatMap((row, index) => {
    const { sender = null, senderName = null } = reports[index] ?? {}
    return row.alreadyKnown ? [] : [{ ...row, isNamed: sender !== null || senderName !== null }]
  })
  return findOtherForms(tx, statement.id, compared, { first: rows[0]?.position ?? 0, replaced: new Set() })
}

/** Finds what `findSameTotals` finds, now or when the file was read: much may have come since. */
const findDivided = async (
  tx: Tx,
  { id: statementId, importedTo }: Statement,
  neighbours: readonly string[],
  rows: readonly StoredRow[],
): Promise<ReadonlyMap<number, string>> => {
  const fresh = rows.filter((row) => !row.alreadyKnown)
  const asked = fresh.flatMap(({ position, requisiteId, amount, duplicateOf: id, duplicateCertain }) =>
    id === null || duplicateCertain ? [] : [{ position, requisiteId, amount, id }],
  )
  const before = asked.length > 0 ? await tx.query(listOfOtherAmount, { rows: asked }) : []
  const found = new Map(before.map(({ position, id }) => [position, id]))
  if (importedTo > 0 || rows.length >= maxTransfersAtOnce) return found
  const left = fresh.filter(
    ({ duplicateOf, amount, bookingAmount }) => duplicateOf === null && (bookingAmount ?? amount) === amount,
  )
  return new Map([...found, ...(await findSameTotals(tx, { statementId, neighbours }, left))])
}

/** The sums that were replaced, each with the transfer of its first new part; those whose parts are known stay. */
const replacedBy = (
  replaced: readonly ReplacedSum[],
  rows: readonly StoredRow[],
  recorded: readonly { readonly id: string; readonly alreadyKnown: boolean }[],
) =>
  replaced.flatMap(({ parts, ...sum }) => {
    const by = recorded.find((each, index) => !each.alreadyKnown && parts.includes(rows[index]?.position ?? 0))
    return by ? [{ ...sum, duplicateOf: by.id }] : []
  })

const replacedNote = ({ id }: Statement): string => `Statement ${id} reports the payments that it is the sum of.`

const withReplaced = ({ counts }: Statement, more: number): Statement['counts'] => ({
  ...counts,
  replaced: counts.replaced + more,
})

const recordRows = async (tx: Tx, statement: Statement, rows: readonly StoredRow[]): Promise<void> => {
  const booked = rows.filter((row) => row.kind === 'booked')
  const related = await sourcesOfSameMoney(tx, booked[0]?.channel ?? '')
  const listed = new Map(
    statement.accounts.flatMap(({ requisiteId, listed: own }) => (own ? [[requisiteId, own] as const] : [])),
  )
  const read = booked.map((row) => toReport(tx, statement, row))
  // Much may have come since the file was read.
  const separate = await separateMoney(
    tx,
    { statementId: statement.id, neighbours: [], first: 0 },
    booked.flatMap((row, index) => {
      const report = read[index]
      if (!report || row.bankReference === null) return []
      const payer = { number: report.sender, name: report.senderName ?? null }
      return [{ ...row, payer, text: report.text ?? null }]
    }),
  )
  const { forms, replaced } = await findForms(tx, statement, booked, read)
  const proven = await findProven(tx, statement.id, statement.accounts, booked)
  const neighbours = await findNeighbours(tx, statement.id, statement.accounts)
  const divided = await findDivided(tx, statement, neighbours.all, booked)
  const dividedAt = (row: StoredRow | undefined): OtherForm | undefined => {
    const id = divided.get(row?.position ?? 0)
    return id === undefined ? undefined : { id, isCertain: false, how: 'unclear' }
  }
  const reports = read.map((report, index): Report => {
    const otherForm = forms.get(booked[index]?.position ?? 0) ?? dividedAt(booked[index])
    const dedupeKey = separate.get(booked[index]?.position ?? 0) ?? report.dedupeKey
    const own = withOwnReference({ ...report, dedupeKey })
    return {
      ...own,
      sameMoneySources: related,
      ...listedFor(listed, report.requisiteId),
      ...(otherForm && { otherForm }),
      isProven: proven.has(booked[index]?.position ?? 0),
    }
  })
  const file = { statementId: statement.id, neighbours: neighbours.certain, paired: false }
  const recorded = await recordTransfers(tx, reports, reportedInStatement(tx, file))
  const replacing = replacedBy(replaced, booked, recorded)
  await replaceSums(tx, replacing, { actor: 'service', note: replacedNote(statement) })
  await tx.query(updateRows, {
    statementId: statement.id,
    rows: recorded.map(({ requisiteId, id, alreadyKnown, kind, duplicateOf }, index) => ({
      position: booked[index]?.position ?? 0,
      requisiteId,
      transferId: id,
      added: !alreadyKnown,
      duplicateOf: alreadyKnown ? null : duplicateOf,
      duplicateCertain: !alreadyKnown && kind === 'duplicate',
    })),
  })
  // The preview has counted what it would replace.
  const before = statement.importedTo === 0 ? { ...statement, counts: { ...statement.counts, replaced: 0 } } : statement
  const counts = withReplaced(before, replacing.length)
  const importedTo = rows.at(-1)?.position ?? statement.importedTo
  await tx.query(changeStatement, { ...statement, importedTo, counts })
}

/** Records outgoing money, and money that the bank gave back. */
const recordOutgoingRows = async (tx: Tx, statement: Statement, rows: readonly StoredRow[]): Promise<void> => {
  const read = rows.map((row) => toReport(tx, statement, row))
  const { forms, replaced } = await findForms(tx, statement, rows, read)
  const recorded = await recordOutgoing(
    tx,
    rows.flatMap((row, index) => {
      const report = read[index]
      if (!report) return []
      const { sender, senderName: name = null, text = null } = report
      const { channel, referenceKind, likeness } = row
      const otherForm = forms.get(row.position)
      return {
        ...{ ...report, channel, referenceKind, likeness },
        givenBack: row.kind === 'outgoing-reversal',
        payee: { number: sender, name, text },
        ...(otherForm && { otherForm }),
      }
    }),
    reportedInStatement(tx, { statementId: statement.id, neighbours: [], paired: false }),
  )
  const replacing = replacedBy(replaced, rows, recorded)
  await replaceOutgoing(tx, replacing, { actor: 'service', reason: replacedNote(statement) })
  await tx.query(updateRows, {
    statementId: statement.id,
    rows: recorded.map(({ requisiteId, id, alreadyKnown, duplicateOf, isDuplicate }, index) => ({
      position: rows[index]?.position ?? 0,
      requisiteId,
      transferId: id,
      added: !alreadyKnown,
      ...{ duplicateOf, duplicateCertain: isDuplicate },
    })),
  })
  if (replacing.length > 0)
    await tx.query(changeStatement, { ...statement, counts: withReplaced(statement, replacing.length) })
}

/** Records what the bank reversed, after all incoming money: files may be in any order. */
const recordReversalRows = async (tx: Tx, statement: Statement, rows: readonly StoredRow[]): Promise<void> => {
  const recorded = await recordReversals(
    tx,
    rows.map((row) => toReport(tx, statement, row)),
  )
  await tx.query(updateRows, {
    statementId: statement.id,
    rows: rows.map(({ position, requisiteId }, index) => {
      const { transferId = null, alreadyKnown = false } = recorded[index] ?? {}
      const none = { duplicateOf: null, duplicateCertain: false }
      return { position, requisiteId, transferId, added: !alreadyKnown, ...none }
    }),
  })
}

/**
 * Imports the next set of rows of a statement. Returns how many rows it took: at least 1 until the import has ended,
 * but 0 while another statement is being withdrawn.
 */
const importNext = async (tx: Tx, id: string): Promise<number> => {
  const [statement] = await tx.query(selectStatementForUpdate, { id })
  if (statement?.state !== 'importing') return 0
  tx.afterCommit(() => tx.changes.announce('statements'))
  // A row whose transfer is being withdrawn would be lost. The statement's own lock comes first; see `withdrawNext`.
  if ((await tx.query(findWithdrawing, {})).length > 0) return 0
  const page = { statementId: id, after: statement.importedTo, limit: maxTransfersAtOnce }
  const rows = await tx.query(listRows, page)
  if (rows.length > 0) {
    await recordRows(tx, statement, rows)
    return rows.length
  }
  const outgoing = await tx.query(listOutgoingRows, { statementId: id, limit: maxTransfersAtOnce })
  if (outgoing.length > 0) {
    await recordOutgoingRows(tx, statement, outgoing)
    return outgoing.length
  }
  const reversals = await tx.query(listReversalRows, { statementId: id, limit: reversalsAtOnce })
  if (reversals.length > 0) {
    await recordReversalRows(tx, statement, reversals)
    return reversals.length
  }
  const [{ added, known } = { added: 0, known: 0 }] = await tx.query(countRecorded, { statementId: id })
  const counts = { ...statement.counts, new: added, alreadyKnown: known }
  await tx.query(changeStatement, { ...statement, state: 'imported', importedAt: tx.now, counts })
  await recordStatementBalances(tx, statement)
  await checkRecorded(tx, statement)
  return 1
}

const dropReading = async (tx: Tx, id: string): Promise<number> => {
  await tx.query(deleteRows, { statementId: id })
  await tx.query(deleteStatement, { id })
  return 1
}

const steps: Readonly<Partial<Record<StatementState, (tx: Tx, id: string) => Promise<number>>>> = {
  reading: dropReading,
  importing: importNext,
  withdrawing: withdrawNext,
}

/**
 * Imports a set of rows of each confirmed statement, withdraws a set of each statement being withdrawn, and removes
 * interrupted readings. Returns how much it did. Any number of processes may run it; after a crash it continues where
 * it stopped.
 */
export const importStatements = async (context: Context): Promise<number> => {
  let done = 0
  let failure: unknown
  for (const { id, state } of await context.query(listUnderWay, { startedBefore: context.clock() - givenUpAfterMs })) {
    // One failing statement must not hold up the others.
    done += await context
      .transaction(async (tx) => (await steps[state]?.(tx, id)) ?? 0)
      .catch((error: unknown) => {
        failure = error
        context.log.warn({ err: error, statementId: id }, `${state} a statement is not possible at the moment`)
        return 0
      })
  }
  if (done === 0 && failure !== undefined) throw failure
  return done
}
