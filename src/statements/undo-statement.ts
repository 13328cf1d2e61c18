import type { Context, Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { forgetStatementBalances } from '../ledger/record-statement-balances.ts'
import { countUndecided, findRepeat, findToldToo, returnTransfers, tryToLock } from '../transfers/return-transfers.ts'
import { lockStatement } from './lock-statement.ts'
import {
  changeStatement,
  findImporting,
  findRepeating,
  findStatement,
  listBrought,
  lockImporting,
  lockStatement as lock,
  releaseContent,
} from './store.ts'

const setSize = 1000

type Brought = readonly ReturnType<typeof listBrought.decode>[]

const transfersOf = (rows: Brought): { requisiteId: string; id: string }[] =>
  rows.flatMap(({ requisiteId, transferId }) => (transferId === null ? [] : [{ requisiteId, id: transferId }]))

/** Why a statement with these rows cannot be undone; `undefined` where nothing stands against it. */
const obstacle = async (sql: Queryable, statementId: string, rows: Brought): Promise<string | undefined> => {
  if (rows.some((row) => row.kind === 'reversal'))
    return 'The statement took money back; what the bank has taken back cannot be undone.'
  const transfers = transfersOf(rows)
  const decided = rows.length - (await countUndecided(sql, transfers))
  if (decided > 0)
    return `Something was decided on ${decided} or more transfers of the statement; it can no longer be undone.`
  const repeat = await findRepeat(sql, transfers)
  if (repeat)
    return `Transfer ${repeat.id} may be the same money as transfer ${repeat.repeatOf}, or was said to be: say that it is other money, or undo it, first.`
  const told = await findToldToo(sql, transfers)
  if (told)
    return `Transfer ${told.id} was told of by ${told.channel}, too, which will not tell of it again; its money would be lost.`
  const [other] = await sql.query(findRepeating, {
    statementId,
    requisiteIds: transfers.map((transfer) => transfer.requisiteId),
    transferIds: transfers.map((transfer) => transfer.id),
  })
  return other && `Statement ${other.id} tells of the same transfers: undo it first.`
}

/**
 * Refuses `invalid_state` for a statement that could not be undone: something was decided on what it brought, or another
 * one repeats it. It looks at the whole statement, set by set and without a lock, before its undoing is begun.
 */
export const checkUndo = async (context: Context, id: string): Promise<void> => {
  const [statement] = await context.query(findStatement, { id })
  if (statement?.state !== 'imported') return
  for (let after = 0; ; ) {
    const rows = await context.query(listBrought, { statementId: id, after, limit: setSize })
    const last = rows.at(-1)
    if (!last) return
    const reason = await obstacle(context, id, rows)
    if (reason !== undefined) throw new Refusal('invalid_state', reason)
    after = last.position
  }
}

/**
 * Begins to undo an import of which nothing was decided; see `checkUndo`. From now on nobody decides about its transfers,
 * and a job takes them back, set by set. Again it changes nothing. Refuses `resource_not_found`, `invalid_state`.
 */
export const undoStatement = async (tx: Tx, id: string, by: string, reason: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['imported', 'undoing'])
  if (before.state === 'undoing') return before
  const [other] = await tx.query(findImporting, {})
  if (other)
    throw new Refusal('invalid_state', `Statement ${other.id} is being imported and may repeat this one: wait for it.`)
  const after: Statement = {
    ...before,
    ...{ state: 'undoing', undoneBy: by, undoReason: reason, undoCheckedTo: 0, undoneTo: 0, undoFailure: null },
  }
  await tx.query(changeStatement, after)
  tx.afterCommit(() => tx.changes.publish(['statements']))
  return after
}

const giveUp = async (tx: Tx, statement: Statement, reason: string): Promise<void> => {
  const kept: Statement = { ...statement, state: 'imported', undoneBy: null, undoReason: null, undoFailure: reason }
  await tx.query(changeStatement, kept)
}

/** Looks at a set of what the statement brought; returns how many rows it took, 0 where somebody is just deciding. */
const checkNext = async (tx: Tx, statement: Statement, rows: Brought): Promise<number> => {
  // Imports wait for whatever is being undone; one that had not seen it ends here, and what it repeats is known.
  if (statement.undoCheckedTo === 0) await tx.query(lockImporting, {})
  // Whoever decides locks the transfer and then looks: a decision has been made by now, or sees the undoing.
  if (!(await tryToLock(tx, transfersOf(rows)))) return 0
  const reason = await obstacle(tx, statement.id, rows)
  if (reason === undefined) {
    const undoCheckedTo = rows.at(-1)?.position ?? statement.undoCheckedTo
    await tx.query(changeStatement, { ...statement, undoCheckedTo })
  } else await giveUp(tx, statement, reason)
  return rows.length
}

/**
 * Undoes the next set of a statement: first each set is looked at, while nothing has moved, and the whole is given up for
 * what was decided meanwhile; then each is taken back. Returns how many rows it took, at least 1 until it has ended.
 */
export const undoNext = async (tx: Tx, id: string): Promise<number> => {
  const [statement] = await tx.query(lock, { id })
  if (statement?.state !== 'undoing') return 0
  const next = (after: number) => tx.query(listBrought, { statementId: id, after, limit: setSize })
  if (statement.undoneTo === 0) {
    const unchecked = await next(statement.undoCheckedTo)
    if (unchecked.length > 0) return checkNext(tx, statement, unchecked)
  }
  const rows = await next(statement.undoneTo)
  const last = rows.at(-1)
  if (last) {
    await returnTransfers(tx, transfersOf(rows))
    await tx.query(changeStatement, { ...statement, undoneTo: last.position })
    return rows.length
  }
  await forgetStatementBalances(tx, id)
  await tx.query(changeStatement, { ...statement, state: 'undone', undoneAt: tx.now })
  await tx.query(releaseContent, { statementId: id, contentHash: statement.contentHash ?? '' })
  return 1
}
