import type { Queryable } from '../database/database.ts'
import { findAnyTransfer } from './store.ts'

/** Whether money was ever reported for one of the requisites; what was undone is not counted. */
export const hasTransfers = async (sql: Queryable, requisiteIds: readonly string[]): Promise<boolean> =>
  (await sql.query(findAnyTransfer, { requisiteIds })).length > 0
