import type { Tx } from '../context.ts'
import { lockAdding } from 'payin-database'
import { invalidState, Refusal, requireRow } from '../../rules/refusal.ts'
import { type LoneReport, secondPersonWindow } from '../../rules/money/settlement.ts'
import type { StatementState } from '../../rules/statements/statement-import.ts'
import { listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import { holdBindings } from '../requisites/bindings/binding.ts'
import { listBoundByIndex, listSharing, requisiteOffsets } from '../requisites/read.ts'
import { isBeyondBound, printBound } from '../transfers/lone-reports/hold-lone-reports.ts'
import type { Statement } from './read.ts'
import { findBookedElsewhere, keepNumbers, listNamedAccounts } from './account-numbers.ts'
import { findUnapproved } from './sources/sources.ts'
import { deleteNumbers, listAccountAuthors } from './sources/store.ts'
import type { StagedStatement } from './stage-statement.ts'
import {
  changeStatement,
  countLoneRows,
  deleteRows,
  deleteStatement,
  endReading,
  findOfContent,
  findRowBefore,
  findStatement,
  selectStatementForUpdate,
  sumLoneRows,
} from './store.ts'

const outdated = (change: string): Refusal =>
  invalidState(`${change} since the file was read: discard this preview, and upload the file again.`)

/** Compares the accounts of a statement with their bindings as they are now, and with what was imported meanwhile. */
const checkAccounts = async (
  tx: Tx,
  { accounts }: Statement,
  named: Awaited<ReturnType<typeof listNamedAccounts>>,
): Promise<void> => {
  await holdBindings(tx)
  for (const [index, { number, currency, requisiteId }] of accounts.entries()) {
    const numberIndexes = named[index]?.numberIndexes ?? []
    const [bound] = await listBoundByIndex(tx, numberIndexes)
    const first = (await listSharing(tx, [bound ?? requisiteId])).get(bound ?? requisiteId)?.[0] ?? bound ?? requisiteId
    if (first !== requisiteId) throw outdated(`The account ${number} was bound to other requisites`)
    if (bound !== undefined) continue
    if ((await findBookedElsewhere(tx, numberIndexes, { id: requisiteId, currency })) !== undefined)
      throw outdated(`The money of the account ${number} was booked on another requisite`)
  }
}

const checkZones = async (tx: Tx, { accounts }: Statement): Promise<void> => {
  const offsets = await requisiteOffsets(
    tx,
    accounts.map((each) => each.requisiteId),
  )
  const moved = accounts.find(
    ({ requisiteId, offsetMs }) => offsetMs !== undefined && offsetMs !== offsets.get(requisiteId),
  )
  if (!moved) return
  throw outdated(`The account ${moved.number} has got another time zone`)
}

const checkOpenings = async (tx: Tx, { id: statementId, accounts }: Statement): Promise<void> => {
  const openings = await listOpenings(
    tx,
    accounts.map((each) => each.requisiteId),
  )
  for (const [requisiteId, { day, beginsAt }] of openings) {
    if ((await tx.query(findRowBefore, { statementId, requisiteId, before: beginsAt })).length === 0) continue
    throw outdated(`The file has rows from before the opening balance of ${day}, which was set`)
  }
}

const isPickedUp = ({ uploadedBy }: Statement): boolean => uploadedBy.startsWith('source:')

/** Each row is compared with what waits on its account, where the bank's own reports wait for it meanwhile. */
export const mostLoneRows = 10_000

const refuseLone = async (tx: Tx, statementId: string, lone: LoneReport): Promise<void> => {
  if (await isBeyondBound(tx, lone, () => tx.query(sumLoneRows, { statementId })))
    throw new Refusal(
      'second_person_required',
      [
        `With this file, one person would have reported more money within 24 hours than one may (${printBound(lone)}): another operator than the one who uploaded it, changed its source or bound its account must confirm it.`,
        ...(lone.doubt === undefined ? [] : [lone.doubt]),
      ].join(' '),
    )
  const lately = { by: lone.by, ...secondPersonWindow(tx.now) }
  const [counted] = await tx.query(countLoneRows, { statementId, ...lately, limit: mostLoneRows + 1 })
  if ((counted?.rows ?? 0) > mostLoneRows)
    throw new Refusal(
      'second_person_required',
      `The file brings more rows than one person may report within 24 hours (${mostLoneRows}): another operator must confirm it.`,
    )
}

/**
 * Confirms a statement after its preview: a job then imports it completely, even if the
 * process stops meanwhile. Confirming it again changes nothing, but another operator cannot confirm what one alone has.
 * `judge` says whether it stands on the word of its confirmer alone, and up to which bound (docs/domain.md §6.1), given
 * who uploaded it, or alone determined how it is read and for whom.
 * Refuses `resource_not_found`, `second_person_required` beyond that bound, and `invalid_state`, also if bindings, time
 * zones or opening balances have changed since the file was read, or an account's money was booked on another requisite.
 */
export const confirmStatement = async (
  tx: Tx,
  id: string,
  by: string,
  {
    judge,
    isToken,
  }: {
    readonly judge: (author: string) => Promise<LoneReport | null>
    readonly isToken: (actor: string) => Promise<boolean>
  },
): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'importing', 'imported'])
  if (before.state === 'imported' && before.reportedBy !== null && by !== before.confirmedBy)
    throw invalidState(
      'It was imported on the word of one person. For two to agree: withdraw it, upload the file again, and let another operator confirm it.',
    )
  if (before.state !== 'ready') return before
  const named = await listNamedAccounts(tx, id)
  await checkAccounts(tx, before, named)
  await checkZones(tx, before)
  await checkOpenings(tx, before)
  const changers = [before.sourceChangedBy, await findUnapproved(tx, before.sourceId)].flatMap((each) => each ?? [])
  const isUploaded = !isPickedUp(before)
  const authors = isUploaded ? [...changers, before.uploadedBy] : changers
  for (const { author, isByAdding } of await tx.query(listAccountAuthors, { statementId: id, rows: named })) {
    // Whoever sets up a service adds its first requisites with a token, and then works with an account of the console.
    const isSetUp = isUploaded && isByAdding && author !== by && (await isToken(author))
    if (!isSetUp) authors.push(author)
  }
  let lone: LoneReport | null = null
  for (const author of new Set(authors)) lone ??= await judge(author)
  if (lone) await refuseLone(tx, id, lone)
  const reportedBy = lone?.by ?? null
  const after: Statement = { ...before, state: 'importing', confirmedBy: by, confirmedAt: tx.now, reportedBy }
  return writeStatement(tx, after)
}

/**
 * Discards a statement that was previewed or refused; repeating it changes nothing. Refuses `resource_not_found`,
 * `invalid_state`.
 */
export const discardStatement = async (tx: Tx, id: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'refused', 'discarded'])
  if (before.state === 'discarded') return before
  const after: Statement = { ...before, state: 'discarded' }
  await tx.query(changeStatement, after)
  await tx.query(deleteRows, { statementId: id })
  await tx.query(deleteNumbers, { statementId: id })
  return after
}

const nextSteps: Readonly<Record<StatementState, string>> = {
  reading: 'wait until it has been read',
  ready: 'import or discard it',
  refused: 'correct the file or how it is read, and upload it again',
  discarded: 'upload the file again',
  importing: 'wait until it is imported',
  imported: 'withdraw it if it is wrong',
  withdrawing: 'wait until it is withdrawn',
  withdrawn: 'upload the file again',
}

/** Locks a statement; refuses `resource_not_found`, and `invalid_state` unless it is in one of the states. */
export const lockStatement = async (tx: Tx, id: string, states: readonly StatementState[]): Promise<Statement> => {
  const statement = requireRow(await tx.query(selectStatementForUpdate, { id }), 'statement')
  if (!states.includes(statement.state))
    throw invalidState(
      `The statement is ${statement.state}, not ${states.join(' or ')}: ${nextSteps[statement.state]}.`,
    )
  return statement
}

/** Writes what a job goes on with. */
export const writeStatement = async (tx: Tx, after: Statement): Promise<Statement> => {
  await tx.query(changeStatement, after)
  tx.afterCommit(() => {
    tx.changes.publish(['statements'])
    tx.changes.announce('statements')
  })
  return after
}

/**
 * Ends the reading of a staged file: `ready` for its preview, or `refused` with its faults. A file whose content is
 * known, and neither refused, discarded nor withdrawn, adds nothing: the answer is the known statement.
 */
export const finishStatement = async (
  tx: Tx,
  { shape, names, ...staged }: StagedStatement,
): Promise<{ readonly statement: Statement; readonly alreadyKnown: boolean }> => {
  const { id, contentHash } = staged
  const isRefused = staged.faults.length > 0
  // Of two readings of one content, the second one finds the first.
  await lockAdding(tx, `statements of ${contentHash}`)
  const [known] = isRefused ? [] : await tx.query(findOfContent, { id, contentHash })
  if (known) {
    await tx.query(deleteStatement, { id })
    return { statement: known, alreadyKnown: true }
  }
  await tx.query(endReading, {
    ...staged,
    state: isRefused ? 'refused' : 'ready',
    format: shape?.format ?? null,
    charset: shape?.charset ?? null,
    mapping: shape?.mapping ?? null,
  })
  const [statement] = await tx.query(findStatement, { id })
  if (!statement)
    throw new Refusal('resource_not_found', 'Reading the file took too long and was given up: upload it again.')
  if (!isRefused) await keepNumbers(tx, id, staged.accounts, names)
  return { statement, alreadyKnown: false }
}
