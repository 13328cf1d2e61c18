import type { Tx } from '../context.ts'
import type { Statement } from '../domain/statement-import.ts'
import { lockStatement } from './lock-statement.ts'
import { changeStatement } from './store.ts'

/**
 * Takes a statement that was looked at as a whole: from now on it is imported, set by set, whatever stops the process.
 * Confirming again changes nothing. Refuses `resource_not_found`, `invalid_state`.
 */
export const confirmStatement = async (tx: Tx, id: string, by: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'importing', 'imported'])
  if (before.state !== 'ready') return before
  const after: Statement = { ...before, state: 'importing', confirmedBy: by, confirmedAt: tx.now }
  await tx.query(changeStatement, after)
  tx.afterCommit(() => tx.changes.publish(['statements']))
  return after
}
