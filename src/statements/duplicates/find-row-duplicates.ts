import type { Queryable } from '../../database/database.ts'
import { type ChannelReport, findPossibleDuplicates } from '../../transfers/duplicates/find-possible-duplicates.ts'
import { listReportedInStatement, setDuplicates } from './store.ts'

/**
 * Finds which of some transfers are reported by rows of a statement; with `paired` also those that its rows may duplicate.
 */
export const reportedInStatement =
  (sql: Queryable, statementId: string, { paired }: { readonly paired: boolean }) =>
  async (
    transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
  ): Promise<ReadonlySet<string>> =>
    new Set((await sql.query(listReportedInStatement, { statementId, paired, rows: transfers })).map((row) => row.id))

/** Finds and notes, for the preview, which new rows may be transfers of other channels; returns how many there are. */
export const findRowDuplicates = async (
  sql: Queryable,
  statementId: string,
  rows: readonly (ChannelReport & { readonly position: number })[],
): Promise<number> => {
  const pairs = await findPossibleDuplicates(sql, rows, reportedInStatement(sql, statementId, { paired: true }))
  const duplicates = [...pairs].flatMap(([index, other]) => {
    const row = rows[index]
    return row ? [{ position: row.position, duplicateOf: other.id }] : []
  })
  if (duplicates.length > 0) await sql.query(setDuplicates, { statementId, rows: duplicates })
  return duplicates.length
}
