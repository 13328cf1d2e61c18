import type { Context, Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { invalidState } from '../../rules/refusal.ts'
import { forgetStatementBalances } from '../ledger/reconciliation/record-closing-balance.ts'
import { agreeWithinBound, type Explainer } from '../transfers/outgoing/agree-on-purpose.ts'
import { findObstacle, tryToHold, withdrawTransfers } from '../transfers/withdraw-transfers.ts'
import { lockStatement, writeStatement } from './confirm-or-discard.ts'
import type { Statement } from './read.ts'
import {
  changeStatement,
  findInState,
  findOtherStatement,
  findStatement,
  listAdded,
  lockImporting,
  selectStatementForUpdate,
  sumMissedRows,
  sumWithdrawnAlone,
} from './store.ts'

const rowsAtOnce = 1000

type AddedRows = readonly ReturnType<typeof listAdded.decode>[]

const keysOf = (rows: AddedRows): { requisiteId: string; id: string }[] =>
  rows.flatMap(({ requisiteId, transferId }) => (transferId === null ? [] : [{ requisiteId, id: transferId }]))

const broughtBy = (rows: AddedRows) => {
  const [transfers = [], outgoing = []] = [false, true].map((isOutgoing) =>
    keysOf(rows.filter(({ kind }) => kind.startsWith('outgoing') === isOutgoing)),
  )
  return { transfers, outgoing }
}

const findReason = async (sql: Queryable, statementId: string, rows: AddedRows): Promise<string | undefined> => {
  if (rows.some((row) => row.kind === 'reversal'))
    return 'The bank took money back in this statement, so it cannot be withdrawn: decide about its transfers in the inbox one by one.'
  const obstacle = await findObstacle(sql, broughtBy(rows))
  if (obstacle !== undefined) return obstacle
  const [other] = await sql.query(findOtherStatement, { statementId, rows: keysOf(rows) })
  return other && `Statement ${other.id} reports the same transfers: withdraw it first.`
}

/** Refuses `invalid_state` if a statement cannot be withdrawn; set by set and without a lock, before that begins. */
export const checkWithdrawal = async (context: Context, id: string): Promise<void> => {
  const [statement] = await context.query(findStatement, { id })
  if (statement?.state !== 'imported') return
  for (let after = 0; ; ) {
    const rows = await context.query(listAdded, { statementId: id, after, limit: rowsAtOnce })
    const last = rows.at(-1)
    if (!last) return
    const obstacle = await findReason(context, id, rows)
    if (obstacle !== undefined) throw invalidState(obstacle)
    after = last.position
  }
}

/**
 * Begins to withdraw an import: from now on nobody can decide about its transfers, and a job withdraws them. Repeating
 * it changes nothing. If more money left by it than one person may explain, or came in by a file that two have agreed
 * on, this is a proposal until another operator withdraws it, too. Refuses `resource_not_found`, `invalid_state`,
 * `second_person_required`.
 */
export const withdrawStatement = async (
  tx: Tx,
  id: string,
  by: Explainer & { readonly reason: string },
): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['imported', 'withdrawing'])
  if (before.state === 'withdrawing') return before
  const [other] = await tx.query(findInState, { state: 'importing' })
  if (other)
    throw invalidState(
      `Statement ${other.id} is being imported and may report the same transfers: wait until it is imported, and try again.`,
    )
  const money = await tx.query(sumMissedRows, { statementId: id })
  const bounded = { acts: 'withdrawals', before: sumWithdrawnAlone, money, author: before.withdrawnBy }
  const agreed = await agreeWithinBound(tx, bounded, by)
  const wanted = { ...before, withdrawnBy: agreed ?? by.actor, withdrawalReason: by.reason, withdrawalFailure: null }
  const after: Statement =
    agreed === null ? wanted : { ...wanted, state: 'withdrawing', withdrawalCheckedTo: 0, withdrawnTo: 0 }
  return writeStatement(tx, after)
}

/** Checks a set of what the statement has added; returns how many rows it took, 0 if a decision is under way. */
const checkNext = async (tx: Tx, statement: Statement, rows: AddedRows): Promise<number> => {
  // Imports wait for withdrawals; an import that had not seen this one has ended after this, and what it reports is
  // known.
  if (statement.withdrawalCheckedTo === 0) await tx.query(lockImporting, {})
  // A decision locks the transfer and then checks: it has either been made by now, or it sees the withdrawal.
  if (!(await tryToHold(tx, broughtBy(rows).transfers))) return 0
  const obstacle = await findReason(tx, statement.id, rows)
  const kept = { ...statement, state: 'imported', withdrawnBy: null, withdrawalReason: null } as const
  const after: Statement =
    obstacle === undefined
      ? { ...statement, withdrawalCheckedTo: rows.at(-1)?.position ?? statement.withdrawalCheckedTo }
      : { ...kept, withdrawalFailure: obstacle }
  await tx.query(changeStatement, after)
  return rows.length
}

/** The bound of what one person withdraws; null without one. */
type Bounds = { readonly byRules: (tx: Tx, by: string) => Promise<bigint | null> }

/**
 * Withdraws the next set of a statement. Every set is checked before anything moves, and the withdrawal is given up if
 * something was decided meanwhile. Returns how many rows it took: at least 1 until the end, but 0 while a decision is
 * under way.
 */
export const withdrawNext = async (tx: Tx, id: string, { byRules }: Bounds): Promise<number> => {
  const [statement] = await tx.query(selectStatementForUpdate, { id })
  if (statement?.state !== 'withdrawing') return 0
  const next = (after: number) => tx.query(listAdded, { statementId: id, after, limit: rowsAtOnce })
  if (statement.withdrawnTo === 0) {
    const unchecked = await next(statement.withdrawalCheckedTo)
    if (unchecked.length > 0) return checkNext(tx, statement, unchecked)
  }
  const rows = await next(statement.withdrawnTo)
  const last = rows.at(-1)
  if (last) {
    await withdrawTransfers(tx, broughtBy(rows))
    await tx.query(changeStatement, { ...statement, withdrawnTo: last.position })
    return rows.length
  }
  // What two have agreed that the bank said is not forgotten because one of them withdraws it.
  const { withdrawnBy } = statement
  const isAlone = withdrawnBy !== null && !withdrawnBy.includes(', ') && (await byRules(tx, withdrawnBy)) !== null
  await forgetStatementBalances(tx, id, isAlone)
  await tx.query(changeStatement, { ...statement, state: 'withdrawn', withdrawnAt: tx.now })
  return 1
}
