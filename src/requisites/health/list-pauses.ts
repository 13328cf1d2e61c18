import type { Queryable } from '../../database/database.ts'
import type { RequisitePause } from '../../domain/requisite-health.ts'
import { listPauses as list } from './store.ts'

/** A page of automatic pauses, the newest first; `open` keeps those that last, or those that have ended. */
export const listPauses = (
  sql: Queryable,
  page: { readonly open: boolean | null; readonly before: string | null; readonly limit: number },
): Promise<RequisitePause[]> => sql.query(list, page)
