import type { Queryable } from '../database/database.ts'
import { listDecisions as list } from './store.ts'

/** A page of what was decided about payers, of all merchants and payments or of one, the newest first. */
export const listDecisions = (
  sql: Queryable,
  page: {
    readonly merchantId: string | null
    readonly paymentId: string | null
    readonly before: string | null
    readonly limit: number
  },
) => sql.query(list, page)
