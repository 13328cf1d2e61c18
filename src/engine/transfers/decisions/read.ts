import type { Context } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { noSuch } from '../../../rules/refusal.ts'
import { revocableMs } from './decide-transfer.ts'
import { listDecided, selectDecision, selectDecisions } from './store.ts'

/** The transfers of a decision in their order, each with its refusal, if any. */
export const listDecidedBy = async (sql: Queryable, decisionId: string) =>
  (await sql.query(listDecided, { decisionId })).map(({ refusalCode, refusalMessage, ...row }) => ({
    ...row,
    refusal: refusalCode === null || refusalMessage === null ? null : { code: refusalCode, message: refusalMessage },
  }))

/** A page of the decisions that can still be revoked, the newest first. */
export const listDecisions = (context: Context, page: { readonly before: string | null; readonly limit: number }) =>
  context.query(selectDecisions, { ...page, since: context.clock() - revocableMs })

/** One decision. Refuses `resource_not_found`. */
export const getDecision = async (context: Context, id: string) => {
  const [decision] = await context.query(selectDecision, { id })
  if (!decision) throw noSuch('decision')
  return decision
}
