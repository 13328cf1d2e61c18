import { type Static, Type } from '../../operations/schema.ts'
import { type LoggedRequest, listRequests, type RequestSummary } from '../../engine/request-log/read.ts'
import type { Context } from '../../engine/context.ts'
import { Id, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../routes/lists.ts'
import { pageOf, ShortPageQuery } from '../../operations/lists.ts'

const Summary = Type.Titled('LoggedRequest', {
  id: { ...Id, description: 'The `requestId` of a refusal, and the header `payin-request-id` of every response.' },
  at: { ...Time, description: 'When it began.' },
  operation: Type.Text('The operation, as the OpenAPI document names it.', 'createPayment'),
  method: Type.String({ examples: ['POST'] }),
  path: Type.Text('The path with its query, redacted.', '/api/v1/merchant/payments'),
  status: Type.Integer({ examples: [409] }),
  code: Type.Optional(Type.Text('Why it was refused.', 'order_conflict')),
  durationMs: Type.Integer({ examples: [12] }),
  times: Type.Integer({
    description: 'How many similar requests this row is for: successful polls share one row, and so do floods.',
    examples: [1],
  }),
})

export const RequestPage = pageOf('requests', Summary)

/** Schema of a logged request with its bodies. */
export const RequestAnswer = Type.Titled('LoggedRequestWithBodies', {
  ...Summary.properties,
  requestBody: Type.Optional(
    Type.Text(
      'Its JSON without secrets and without full card, account and phone numbers; at most 4000 characters.',
      '{"type":"direct","amount":5000.37,"orderId":"order-1001","currency":"rub","method":"sbp"}',
    ),
  ),
  answerBody: Type.Optional(Type.Text('The same for the response.', '{"code":"order_conflict","status":409}')),
})

export type RequestSummaryAnswer = Static<typeof Summary>
export type RequestAnswer = Static<typeof RequestAnswer>

/** Query of a page of logged requests. */
export const RequestQuery = {
  ...ShortPageQuery,
  outcome: Type.Optional(Type.OneOf(['failed'], 'Only those that were refused or failed.')),
}

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
    (span) => listRequests(context, merchantId, { outcome: outcome ?? 'all', ...span }),
    toSummary,
  )
