import type { Context } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import type { StatementCounts } from '../../domain/statement-import.ts'
import { type ChannelReport, findDuplicates } from '../../transfers/duplicates/find-duplicates.ts'
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

/**
 * Finds and notes, for the preview, which new rows are, or may be, transfers of other reports; returns how many. One that
 * `isFurther` may be the booking of an earlier row of its file.
 */
export const findRowDuplicates = async (
  sql: Pick<Context, 'query' | 'vault'>,
  statementId: string,
  rows: readonly (ChannelReport & { readonly position: number; readonly isFurther: boolean })[],
): Promise<Pick<StatementCounts, 'duplicates' | 'possibleDuplicates'>> => {
  const pairs = await findDuplicates(sql, rows, reportedInStatement(sql, statementId, { paired: true }))
  const found = [...pairs].flatMap(([index, { other, isCertain }]) => {
    const row = rows[index]
    return row ? [{ position: row.position, duplicateOf: other.id, duplicateCertain: isCertain }] : []
  })
  if (found.length > 0) await sql.query(setDuplicates, { statementId, rows: found })
  const duplicates = found.filter((each) => each.duplicateCertain).length
  const further = rows.filter(({ isFurther }, index) => isFurther && !pairs.has(index)).length
  return { duplicates, possibleDuplicates: found.length - duplicates + further }
}
