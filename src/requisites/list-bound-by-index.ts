import type { Queryable } from '../database/database.ts'
import { listBoundRequisites } from './store.ts'

/** The requisites that an account is bound to, by the blind indexes of its number; its money is the first one's. */
export const listBoundByIndex = async (sql: Queryable, numberIndexes: readonly string[]): Promise<string[]> =>
  (await sql.query(listBoundRequisites, { numberIndexes })).map((row) => row.requisiteId)
