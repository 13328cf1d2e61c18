import type { Queryable } from '../database/database.ts'
import type { Instant } from '../domain/time.ts'
import { leastIdAt } from '../domain/uuid-bounds.ts'
import { findAnyTransfer } from './store.ts'

/** Whether money was reported for one of the requisites, ever or since a time; what was undone is not counted. */
export const hasTransfers = async (
  sql: Queryable,
  requisiteIds: readonly string[],
  since: Instant = 0,
): Promise<boolean> => (await sql.query(findAnyTransfer, { requisiteIds, leastId: leastIdAt(since) })).length > 0
