import type { Context, Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { invalidState } from '../../rules/refusal.ts'
import type { Statement } from '../../rules/statements/statement-import.ts'
import { forgetStatementBalances } from '../ledger/closing-balances/record-closing-balance.ts'
import {
  countOutgoingUndecided,
  findOutgoingDuplicate,
  holdOutgoing,
  withdrawOutgoing,
} from '../transfers/outgoing/withdraw-outgoing.ts'
import {
  countUndecided,
  findDuplicate,
  findFurtherReport,
  tryToLock,
  withdrawTransfers,
} from '../transfers/withdraw-transfers.ts'
import type { Explainer } from '../transfers/outgoing/agree-on-purpose.ts'
import { lockStatement } from './confirm-or-discard.ts'
import {
  changeStatement,
  findImporting,
  findOtherStatement,
  findStatement,
  listAdded,
  lockImporting,
  selectStatementForUpdate,
  releaseContent,
} from './store.ts'
import { agreeOnWithdrawal } from './withdrawals/agree-on-withdrawal.ts'

const rowsAtOnce = 1000

type AddedRows = readonly ReturnType<typeof listAdded.decode>[]

const isOutgoing = ({ kind }: AddedRows[number]): boolean => kind === 'outgoing' || kind === 'outgoing-reversal'

const keysOf = (rows: AddedRows): { requisiteId: string; id: string }[] =>
  rows.flatMap(({ requisiteId, transferId }) => (transferId === null ? [] : [{ requisiteId, id: transferId }]))
const transfersOf = (rows: AddedRows) => keysOf(rows.filter((row) => !isOutgoing(row)))
const outgoingOf = (rows: AddedRows) => keysOf(rows.filter(isOutgoing))

/** Why a statement that has added these rows cannot be withdrawn; `undefined` if it can. */
const findObstacle = async (sql: Queryable, statementId: string, rows: AddedRows): Promise<string | undefined> => {
  if (rows.some((row) => row.kind === 'reversal'))
    return 'The bank took money back in this statement, so it cannot be withdrawn: decide about its transfers in the inbox one by one.'
  const transfers = transfersOf(rows)
  const undecided = (await countUndecided(sql, transfers)) + (await countOutgoingUndecided(sql, outgoingOf(rows)))
  const decided = rows.length - undecided
  if (decided > 0)
    return `Transfers of the statement were credited or decided about (at least ${decided}): return them to the inbox first (payin transfers unassign, payin outgoing unbook), or keep the statement and correct them one by one.`
  const duplicate = await findDuplicate(sql, transfers)
  if (duplicate)
    return `Transfer ${duplicate.id} is, or may be, the same money as transfer ${duplicate.duplicateOf} of this statement: first decide that it is other money, or withdraw the statement that reported it.`
  const sameMoney = await findOutgoingDuplicate(sql, outgoingOf(rows))
  if (sameMoney)
    return `Outgoing transfer ${sameMoney.id} is, or may be, the same money as ${sameMoney.duplicateOf} of this statement: first decide that it is other money, or withdraw the statement that reported it.`
  const report = await findFurtherReport(sql, transfers)
  if (report)
    return `Transfer ${report.id} was also reported by ${report.channel}, which will not report it again, so its money would be lost: keep the statement, and decide about what is wrong in the inbox.`
  const [other] = await sql.query(findOtherStatement, { statementId, rows: keysOf(rows) })
  return other && `Statement ${other.id} reports the same transfers: withdraw it first.`
}

/**
 * Refuses `invalid_state` for a statement that cannot be withdrawn: something was decided about its transfers, or
 * somebody else reports them, too. Checks the whole statement, set by set and without a lock, before the withdrawal
 * begins.
 */
export const checkWithdrawal = async (context: Context, id: string): Promise<void> => {
  const [statement] = await context.query(findStatement, { id })
  if (statement?.state !== 'imported') return
  for (let after = 0; ; ) {
    const rows = await context.query(listAdded, { statementId: id, after, limit: rowsAtOnce })
    const last = rows.at(-1)
    if (!last) return
    const obstacle = await findObstacle(context, id, rows)
    if (obstacle !== undefined) throw invalidState(obstacle)
    after = last.position
  }
}

/**
 * Begins to withdraw an import about which nothing was decided; see `checkWithdrawal`. From now on nobody can decide
 * about its transfers, and a job withdraws them, set by set. Beginning again changes nothing. If more money left by it than
 * one person may explain, it stays imported, as a proposal, until another operator withdraws it, too. Refuses
 * `resource_not_found`, `invalid_state`, `second_person_required`.
 */
export const withdrawStatement = async (
  tx: Tx,
  id: string,
  by: Explainer & { readonly reason: string },
): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['imported', 'withdrawing'])
  if (before.state === 'withdrawing') return before
  const [other] = await tx.query(findImporting, {})
  if (other) {
    const message = `Statement ${other.id} is being imported and may report the same transfers: wait until it is imported, and try again.`
    throw invalidState(message)
  }
  const agreed = await agreeOnWithdrawal(tx, before, by)
  const wanted = { ...before, withdrawnBy: agreed ?? by.actor, withdrawalReason: by.reason, withdrawalFailure: null }
  const after: Statement =
    agreed === null ? wanted : { ...wanted, state: 'withdrawing', withdrawalCheckedTo: 0, withdrawnTo: 0 }
  await tx.query(changeStatement, after)
  tx.afterCommit(() => {
    tx.changes.publish(['statements'])
    tx.changes.announce('statements')
  })
  return after
}

/** Checks a set of what the statement has added; returns how many rows it took, 0 if a decision is under way. */
const checkNext = async (tx: Tx, statement: Statement, rows: AddedRows): Promise<number> => {
  // Imports wait for withdrawals; an import that had not seen this one has ended after this, and what it reports is
  // known.
  if (statement.withdrawalCheckedTo === 0) await tx.query(lockImporting, {})
  // A decision locks the transfer and then checks: it has either been made by now, or it sees the withdrawal.
  if (!(await tryToLock(tx, transfersOf(rows)))) return 0
  await holdOutgoing(tx)
  const obstacle = await findObstacle(tx, statement.id, rows)
  const kept = { ...statement, state: 'imported', withdrawnBy: null, withdrawalReason: null } as const
  const after: Statement =
    obstacle === undefined
      ? { ...statement, withdrawalCheckedTo: rows.at(-1)?.position ?? statement.withdrawalCheckedTo }
      : { ...kept, withdrawalFailure: obstacle }
  await tx.query(changeStatement, after)
  return rows.length
}

/**
 * Withdraws the next set of a statement. First every set is checked, before anything moves, and the withdrawal is given
 * up if something was decided meanwhile; then each set is withdrawn. Returns how many rows it took: at least 1 until it
 * has ended, but 0 while a decision is under way.
 */
export const withdrawNext = async (tx: Tx, id: string): Promise<number> => {
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
    await withdrawTransfers(tx, transfersOf(rows))
    await withdrawOutgoing(tx, outgoingOf(rows))
    await tx.query(changeStatement, { ...statement, withdrawnTo: last.position })
    return rows.length
  }
  await forgetStatementBalances(tx, id)
  await tx.query(changeStatement, { ...statement, state: 'withdrawn', withdrawnAt: tx.now })
  await tx.query(releaseContent, { statementId: id, contentHash: statement.contentHash ?? '' })
  return 1
}
