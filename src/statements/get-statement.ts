import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { findStatement } from './store.ts'

/** A statement as it stands; refuses `resource_not_found`. */
export const getStatement = async (context: Pick<Context, 'query'>, id: string): Promise<Statement> => {
  const [statement] = await context.query(findStatement, { id })
  if (!statement) throw new Refusal('resource_not_found', 'There is no such statement.')
  return statement
}
