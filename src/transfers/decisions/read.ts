import type { Queryable } from '../../database/database.ts'
import { listDecided } from './store.ts'

/** The transfers of a decision in their order, each with the refusal that it got, if any. */
export const listDecidedBy = async (sql: Queryable, decisionId: string) =>
  (await sql.query(listDecided, { decisionId })).map(({ refusalCode, refusalMessage, ...row }) => ({
    ...row,
    refusal: refusalCode === null || refusalMessage === null ? null : { code: refusalCode, message: refusalMessage },
  }))
