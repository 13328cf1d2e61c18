import type { Queryable } from 'payin-database'
import type { FindReported } from '../../transfers/duplicates/find-duplicates.ts'
import type { Neighbours } from '../totals/find-neighbours.ts'
import { listReportedInStatement } from './store.ts'

/**
 * Finds which of some transfers the rows of a statement, or of others that have money besides it, report; with `paired`,
 * also those that its rows may duplicate.
 */
export const reportedInStatement =
  (
    sql: Queryable,
    { statementId, neighbours, paired }: { statementId: string; neighbours: Neighbours; paired: boolean },
  ): FindReported =>
  async (transfers) => {
    const { certain, possible, partial } = neighbours
    const found = await sql.query(listReportedInStatement, {
      ...{ statementId, neighbours: certain, possible: [...possible, ...partial], paired },
      rows: transfers,
    })
    return new Map(found.map(({ id, isCertain }) => [id, isCertain]))
  }
