import type { Context, Tx } from '../context.ts'
import { lockAdding } from 'payin-database'
import type { OtherForm } from '../../rules/transfers/other-form.ts'
import type { RecordedRowKind, StatementState } from '../../rules/statements/statement-import.ts'
import { hour } from '../../rules/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { recordStatementBalances } from '../ledger/reconciliation/record-closing-balance.ts'
import { recordOutgoing } from '../transfers/outgoing/record-outgoing.ts'
import { bookReportByRules } from '../transfers/outgoing/rules/book-by-rules.ts'
import { maxTransfersAtOnce, recordTransfers } from '../transfers/record-transfers.ts'
import { replaceOutgoing, replaceSums } from '../transfers/replace-sums.ts'
import { returnListed } from '../transfers/return-listed.ts'
import { recordReversals } from '../transfers/reversals/reversals.ts'
import { assignKeys, doubtsOf } from './row-keys/assign-keys.ts'
import { checkRecorded } from './totals/check-recorded.ts'
import { findNeighbours, type Neighbours } from './totals/find-neighbours.ts'
import { findOtherForms, type ReplacedSum, reportedInStatement } from './duplicates/find-other-forms.ts'
import { findProven } from './totals/find-proven.ts'
import { markSameTotals } from './totals/mark-same-totals.ts'
import { listOfOtherAmount } from './totals/store.ts'
import { asOutgoing, asReport, asReports, type OpenRow, openRows } from './open-rows.ts'
import type { Statement } from './read.ts'
import {
  changeStatement,
  countRecorded,
  deleteStatement,
  findInState,
  listReversedAmounts,
  listRows,
  listUnderWay,
  listUnrecorded,
  selectStatementForUpdate,
  type StoredRow,
  updateRows,
} from './store.ts'
import { withdrawNext } from './withdraw-statement.ts'

/** Most reversals per set: each needs separate queries to find its transfer. */
const reversalsAtOnce = 100

/** A reading that takes longer was cut off when its process ended. */
const givenUpAfterMs = 6 * hour

/** A further booking under one reference may be a repetition: only the first one keeps the reference. */
const withOwnReference = <Row extends OpenRow>(row: Row): Row =>
  firstKeyOf(row.dedupeKey) === undefined ? row : { ...row, bankReference: null }

type Keyed = Awaited<ReturnType<typeof keyed>>[number]

/** Finds rows whose money other reports have in another form; much may have come since the file was read. */
const findForms = async (
  tx: Tx,
  { id, reportedBy: reporter }: Statement,
  rows: readonly Keyed[],
): Promise<{ readonly formOf: (row: OpenRow) => OtherForm | undefined; readonly replaced: readonly ReplacedSum[] }> => {
  const fresh = rows.filter(({ knownAt }) => knownAt === null)
  const { forms, replaced } = await findOtherForms(tx, id, fresh, {
    first: rows[0]?.position ?? 0,
    replaced: new Set(),
  })
  const marked = fresh.flatMap(({ position, requisiteId, amount, duplicateOf, duplicateCertain }) =>
    duplicateOf === null || duplicateCertain ? [] : [{ position, requisiteId, amount, id: duplicateOf }],
  )
  const ofOtherAmount = marked.length > 0 ? await tx.query(listOfOtherAmount, { rows: marked }) : []
  const sameTotals = new Map(
    ofOtherAmount.map((each): [number, OtherForm] => [
      each.position,
      { id: each.id, isCertain: false, how: 'unclear' },
    ]),
  )
  // The preview has shown these as known. If another row has become that money meanwhile, nobody has confirmed them as
  // new; and money out by the word of one person is not, because its bound was measured without them.
  const shownAsKnown = fresh.flatMap((row): [number, OtherForm][] => {
    const { position, kind, duplicateOf, duplicateCertain, alreadyKnown } = row
    if (duplicateOf === null || !(duplicateCertain || alreadyKnown)) return []
    return [[position, { id: duplicateOf, isCertain: kind !== 'booked' && reporter !== null, how: 'unclear' }]]
  })
  const doubts = new Map([...shownAsKnown, ...doubtsOf(fresh), ...sameTotals, ...forms])
  return { formOf: ({ position }) => doubts.get(position), replaced }
}

/** How many millionths of USDT one person may report, or explain, alone within 24 hours. */
export type Bounds = {
  readonly report: (tx: Tx, by: string) => Promise<bigint>
  readonly explain: (tx: Tx, by: string) => Promise<bigint>
  /** Of what a person's rules explain, or a person withdraws: null without a bound. */
  readonly byRules: (tx: Tx, by: string) => Promise<bigint | null>
}

/**
 * A statement whose rows nobody else records, nor any of its requisites; the statements next to it, and the bound of what
 * stands on the word of one person.
 */
type Importing = Statement & { readonly neighbours: Neighbours; readonly bounds: Bounds }

const keyed = (tx: Tx, { id: statementId, neighbours }: Importing, rows: readonly StoredRow[]) =>
  assignKeys(tx, { statementId, neighbours }, openRows(tx.vault, statementId, rows))

const reportedBy = (tx: Tx, { id: statementId, neighbours }: Importing) =>
  reportedInStatement(tx, { statementId, neighbours, paired: false })

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

const recordRows = async (tx: Tx, statement: Importing, stored: readonly StoredRow[]): Promise<void> => {
  const booked = await keyed(
    tx,
    statement,
    stored.filter((row) => row.kind === 'booked'),
  )
  const { formOf, replaced } = await findForms(tx, statement, booked)
  const proven = await findProven(tx, statement.id, statement.accounts, booked)
  const reports = (await asReports(tx, statement, booked.map(withOwnReference), tx.now)).map(
    (report): ReportedTransfer => {
      const otherForm = formOf(report)
      const isShownKnown = (report.alreadyKnown || report.duplicateCertain) && !report.replaces
      return { ...report, ...(otherForm && { otherForm }), isShownKnown, isProven: proven.has(report.position) }
    },
  )
  const { reportedBy: by } = statement
  const lone = by === null ? null : { by, above: await statement.bounds.report(tx, by) }
  const recorded = await recordTransfers(tx, reports, reportedBy(tx, statement), lone)
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
  const importedTo = stored.at(-1)?.position ?? statement.importedTo
  await tx.query(changeStatement, { ...statement, importedTo, counts })
}

const recordOutgoingRows = async (tx: Tx, statement: Importing, stored: readonly StoredRow[]): Promise<void> => {
  const rows = await keyed(tx, statement, stored)
  const { formOf, replaced } = await findForms(tx, statement, rows)
  const amounts = rows.map(({ amount }) => amount)
  const reversed = await tx.query(listReversedAmounts, { statementId: statement.id, amounts })
  const takenBack = new Set(reversed.map(({ amount }) => amount))
  const recorded = await recordOutgoing(
    tx,
    rows.map((row) => {
      const otherForm = formOf(row)
      const report = { ...asOutgoing(row, statement.id, tx.now), isBesideReversal: takenBack.has(row.amount) }
      return { ...report, ...(otherForm && { otherForm }) }
    }),
    reportedBy(tx, statement),
    (by) => statement.bounds.explain(tx, by),
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
const recordReversalRows = async (tx: Tx, statement: Importing, stored: readonly StoredRow[]): Promise<void> => {
  const rows = await keyed(tx, statement, stored)
  const recorded = await recordReversals(
    tx,
    rows.map((row) => asReport(row, statement.id, tx.now)),
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

/** Imports the next set of rows and returns how many: at least 1 until the end, but 0 while another is withdrawn. */
const importNext = async (tx: Tx, id: string, bounds: Bounds): Promise<number> => {
  const [locked] = await tx.query(selectStatementForUpdate, { id })
  if (locked?.state !== 'importing') return 0
  tx.afterCommit(() => tx.changes.announce('statements'))
  // A row whose transfer is being withdrawn would be lost. The statement's own lock comes first; see `withdrawNext`.
  if ((await tx.query(findInState, { state: 'withdrawing' })).length > 0) return 0
  // Of two imports for a requisite, the second one sees what the first one has recorded.
  const requisites = new Set(locked.accounts.map(({ requisiteId }) => requisiteId))
  await lockAdding(tx, ...[...requisites].toSorted().map((each) => `forms of bookings on ${each}`))
  const statement = { ...locked, bounds, neighbours: await findNeighbours(tx, id, locked.accounts) }
  if (statement.importedTo === 0) await markSameTotals(tx, statement)
  const page = { statementId: id, after: statement.importedTo, limit: maxTransfersAtOnce }
  const rows = await tx.query(listRows, page)
  if (rows.length > 0) {
    await recordRows(tx, statement, rows)
    return rows.length
  }
  const left = (kinds: readonly RecordedRowKind[], limit: number) =>
    tx.query(listUnrecorded, { statementId: id, kinds, limit })
  const outgoing = await left(['outgoing', 'outgoing-reversal'], maxTransfersAtOnce)
  if (outgoing.length > 0) {
    await recordOutgoingRows(tx, statement, outgoing)
    return outgoing.length
  }
  const reversals = await left(['reversal'], reversalsAtOnce)
  if (reversals.length > 0) {
    await recordReversalRows(tx, statement, reversals)
    return reversals.length
  }
  const [{ added, known } = { added: 0, known: 0 }] = await tx.query(countRecorded, { statementId: id })
  if (statement.reportedBy === null) await returnListed(tx, statement)
  const counts = { ...statement.counts, new: added, alreadyKnown: known }
  await tx.query(changeStatement, { ...statement, state: 'imported', importedAt: tx.now, counts })
  await recordStatementBalances(tx, statement)
  await checkRecorded(tx, statement)
  return 1
}

const dropReading = async (tx: Tx, id: string): Promise<number> => {
  await tx.query(deleteStatement, { id })
  return 1
}

type Step = (tx: Tx, id: string, bounds: Bounds) => Promise<number>

const steps: Readonly<Partial<Record<StatementState, Step>>> = {
  reading: dropReading,
  importing: importNext,
  withdrawing: withdrawNext,
}

/**
 * Imports a set of rows of each confirmed statement, withdraws a set of each that is being withdrawn, and removes
 * interrupted readings. Returns how much it did. Any number of processes may run it;
 * after a crash it continues where it stopped.
 */
export const importStatements = async (context: Context, bounds: Bounds): Promise<number> => {
  let done = 0
  let failure: unknown
  for (const { id, state } of await context.query(listUnderWay, { startedBefore: context.clock() - givenUpAfterMs })) {
    const step = async (): Promise<number> => {
      // Of what was recorded before: the last step ends the import. What no rule books is explained by an operator.
      if (state === 'importing')
        await bookReportByRules(context, `statement:${id}`, bounds.byRules).catch((error: unknown) => {
          if ((error as { code?: string }).code !== '57014') throw error
          context.log.warn({ err: error, statementId: id }, 'finding what the rules may book takes too long')
        })
      return context.transaction(async (tx) => (await steps[state]?.(tx, id, bounds)) ?? 0)
    }
    // One failing statement must not hold up the others.
    done += await step().catch((error: unknown) => {
      failure = error
      context.log.warn({ err: error, statementId: id }, `${state} a statement is not possible at the moment`)
      return 0
    })
  }
  if (done === 0 && failure !== undefined) throw failure
  return done
}
