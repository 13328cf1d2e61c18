import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement, StatementState } from '../domain/statement-import.ts'
import { selectStatementForUpdate } from './store.ts'

/** Locks a statement; refuses `resource_not_found`, and `invalid_state` unless it is in one of the states. */
export const lockStatement = async (tx: Tx, id: string, states: readonly StatementState[]): Promise<Statement> => {
  const [statement] = await tx.query(selectStatementForUpdate, { id })
  if (!statement) throw new Refusal('resource_not_found', 'There is no such statement.')
  if (!states.includes(statement.state))
    throw new Refusal('invalid_state', `The statement is ${statement.state}, not ${states.join(' or ')}.`)
  return statement
}
