import type { Queryable } from '../database/database.ts'
import type { Instant } from '../domain/time.ts'
import { listHolders } from './store.ts'

/** Payments that held a slot on the requisites at some time between `from` and `to`, however long ago that was. */
export const listSlotHolders = (sql: Queryable, requisiteIds: readonly string[], from: Instant, to: Instant) =>
  sql.query(listHolders, { requisiteIds, from, to })
