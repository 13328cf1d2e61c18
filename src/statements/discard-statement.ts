import type { Tx } from '../context.ts'
import type { Statement } from '../domain/statement-import.ts'
import { lockStatement } from './lock-statement.ts'
import { changeStatement, deleteRows, releaseContent } from './store.ts'

/** Discards a statement that was only previewed; refuses `resource_not_found`, `invalid_state`. */
export const discardStatement = async (tx: Tx, id: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'discarded'])
  const after: Statement = { ...before, state: 'discarded' }
  await tx.query(changeStatement, after)
  await tx.query(deleteRows, { statementId: id })
  await tx.query(releaseContent, { statementId: id, contentHash: before.contentHash ?? '' })
  return after
}
