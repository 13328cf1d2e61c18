import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { requireRow } from '../../rules/refusal.ts'
import { revocableMs } from './revoke-result.ts'
import { selectDecision, selectDecisions, selectResults } from './store.ts'

/** The results of a decision so far, in the order of the request. */
export const listResults = (sql: Queryable, decisionId: string) => sql.query(selectResults, { decisionId })

/** A page of the decisions about transfers that can still be revoked, the newest first. */
export const listDecisions = (context: Context, page: { readonly before: string | null; readonly limit: number }) =>
  context.query(selectDecisions, { ...page, since: context.clock() - revocableMs })

/** One decision about transfers. Refuses `resource_not_found`. */
export const getDecision = async (context: Context, id: string) => {
  return requireRow(await context.query(selectDecision, { id }), 'decision')
}
