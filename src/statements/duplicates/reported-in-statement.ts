import type { Queryable } from '../../database/database.ts'
import { listReportedInStatement } from './store.ts'

/**
 * Finds which of some transfers the rows of a statement report; with `paired`, also those that its rows may duplicate.
 */
export const reportedInStatement =
  (sql: Queryable, statementId: string, { paired }: { readonly paired: boolean }) =>
  async (
    transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
  ): Promise<ReadonlySet<string>> =>
    new Set((await sql.query(listReportedInStatement, { statementId, paired, rows: transfers })).map((row) => row.id))
