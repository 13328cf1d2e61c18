import { type LoggedRequest, listRequests, type RequestSummary } from '../../engine/request-log/read.ts'
import type { Context } from '../../engine/context.ts'
import type { RequestAnswer, RequestSummaryAnswer } from '../../operations/requests.ts'
import { wire } from '../../operations/fields.ts'
import { readPage } from '../routes/lists.ts'

const toSummary = ({ at, ...request }: RequestSummary): RequestSummaryAnswer =>
  wire.fields({ ...request, at: wire.time(at) })

/** A logged request with its bodies, on the wire. */
export const toRequestAnswer = ({ at, ...request }: LoggedRequest): RequestAnswer =>
  wire.fields({ ...request, at: wire.time(at) })

type Given = { readonly cursor?: string; readonly limit?: string; readonly outcome?: 'failed' }

/** A page of a merchant's logged requests. */
export const readRequestPage = (context: Context, merchantId: string, { outcome, ...query }: Given) =>
  readPage(
    'requests',
    query,
    (span) => listRequests(context, merchantId, { isFailed: outcome === 'failed', ...span }),
    toSummary,
  )
