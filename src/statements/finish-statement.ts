import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import type { StagedStatement } from './stage-statement.ts'
import { claimContent, deleteRows, deleteStatement, endReading, findContent, findStatement } from './store.ts'

/**
 * Ends the reading of a staged file: `ready` for its preview, or `refused` with its faults. A file that is already known,
 * in whatever state but refused, discarded or withdrawn, adds nothing: the answer is its statement, `alreadyKnown`.
 */
export const finishStatement = async (
  tx: Tx,
  { id, contentHash, size, shape, accounts, counts, faults }: StagedStatement,
): Promise<{ readonly statement: Statement; readonly alreadyKnown: boolean }> => {
  const isRefused = faults.length > 0
  const [claimed] = isRefused ? [] : await tx.query(claimContent, { contentHash, statementId: id })
  const [holder] = isRefused || claimed ? [] : await tx.query(findContent, { contentHash })
  if (holder && holder.statementId !== id) {
    await tx.query(deleteRows, { statementId: id })
    await tx.query(deleteStatement, { id })
    const [statement] = await tx.query(findStatement, { id: holder.statementId })
    if (!statement) throw new Error(`statement ${holder.statementId} has a content and no row`)
    return { statement, alreadyKnown: true }
  }
  await tx.query(endReading, {
    ...{ id, size, contentHash, accounts, counts, faults },
    state: isRefused ? 'refused' : 'ready',
    format: shape?.format ?? null,
    charset: shape?.charset ?? null,
    mapping: shape?.mapping ?? null,
  })
  const [statement] = await tx.query(findStatement, { id })
  if (!statement) throw new Refusal('resource_not_found', 'The reading of the statement was given up; upload it again.')
  return { statement, alreadyKnown: false }
}
