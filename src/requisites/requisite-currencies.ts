import type { Queryable } from '../database/database.ts'
import { listRequisiteCurrencies } from './store.ts'

/** Currencies of the requisites that exist, by id, as the database has them now. */
export const requisiteCurrencies = async (sql: Queryable, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await sql.query(listRequisiteCurrencies, { ids: [...new Set(ids)] })).map((row) => [row.id, row.currency]))
