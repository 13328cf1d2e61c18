import type { Queryable } from '../../database/database.ts'
import { listReportedInStatement } from './store.ts'

/**
 * Finds which of some transfers the rows of a statement or of its neighbours report; with `paired`, also those that its
 * rows may duplicate.
 */
export const reportedInStatement =
  (
    sql: Queryable,
    {
      statementId,
      neighbours,
      paired,
    }: {
      readonly statementId: string
      readonly neighbours: readonly string[]
      readonly paired: boolean
    },
  ) =>
  async (
    transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
  ): Promise<ReadonlySet<string>> =>
    new Set(
      (await sql.query(listReportedInStatement, { statementId, neighbours, paired, rows: transfers })).map(
        (row) => row.id,
      ),
    )
