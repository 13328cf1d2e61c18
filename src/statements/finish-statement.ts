import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import type { StagedStatement } from './stage-statement.ts'
import {
  claimContent,
  deleteRows,
  deleteStatement,
  findContent,
  findStatement,
  finishStatement as writeFinish,
} from './store.ts'

/**
 * Ends the reading of a staged file: `ready` to be looked at, or `refused` with its faults. A file that is there already,
 * in whatever state but refused, discarded or undone, is that one: `repeated`, and nothing is added.
 */
export const finishStatement = async (
  tx: Tx,
  staged: StagedStatement,
): Promise<{ readonly statement: Statement; readonly repeated: boolean }> => {
  const { id, contentHash, size, shape, accounts, counts, faults } = staged
  const isRefused = faults.length > 0
  const [claimed] = isRefused ? [] : await tx.query(claimContent, { contentHash, statementId: id })
  const [holder] = isRefused || claimed ? [] : await tx.query(findContent, { contentHash })
  if (holder && holder.statementId !== id) {
    await tx.query(deleteRows, { statementId: id })
    await tx.query(deleteStatement, { id })
    const [statement] = await tx.query(findStatement, { id: holder.statementId })
    if (!statement) throw new Error(`statement ${holder.statementId} has a content and no row`)
    return { statement, repeated: true }
  }
  await tx.query(writeFinish, {
    ...{ id, size, contentHash, accounts, counts, faults },
    state: isRefused ? 'refused' : 'ready',
    format: shape?.format ?? null,
    charset: shape?.charset ?? null,
    mapping: shape?.mapping ?? null,
  })
  const [statement] = await tx.query(findStatement, { id })
  if (!statement) throw new Refusal('resource_not_found', 'The reading of the statement was given up; upload it again.')
  return { statement, repeated: false }
}
