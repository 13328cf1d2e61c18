import type { Queryable } from '../database/database.ts'
import { listSharing as list } from './store.ts'

/**
 * Of requisites that share a bank account with others, all of them: the first is the one on which the account's money is
 * booked. Those with an account of their own are left out.
 */
export const listSharing = async (
  sql: Queryable,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map(
    (await sql.query(list, { requisiteIds: [...new Set(requisiteIds)] })).map((row) => [row.requisiteId, row.others]),
  )
