import { listRequests } from '../../engine/request-log/read.ts'
import type { Context } from '../../engine/context.ts'
import { readPage } from '../routes/lists.ts'

type Given = { readonly cursor?: string; readonly limit?: string; readonly outcome?: 'failed' }

/** A page of a merchant's logged requests. */
export const readRequestPage = (context: Context, merchantId: string, { outcome, ...query }: Given) =>
  readPage('requests', query, (span) => listRequests(context, merchantId, { isFailed: outcome === 'failed', ...span }))
