import { type Static, Type } from 'typebox'
import { type LoggedRequest, listRequests, type RequestSummary } from '../request-log/read.ts'
import type { Context } from '../context.ts'
import { Id, OneOf, Time, Titled, wire } from './fields.ts'
import { pageOf, readPage, ShortPageQuery } from './lists.ts'

const Summary = Titled('LoggedRequest', {
  id: { ...Id, description: 'The `requestId` of refusals, and `payin-request-id` of every answer.' },
  at: { ...Time, description: 'When it began.' },
  operation: Type.String({
    description: 'The operation, as the OpenAPI document names it.',
    examples: ['createPayment'],
  }),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({ description: 'With its query, redacted.', examples: ['/api/v1/merchant/payments'] }),
  status: Type.Integer({ examples: [409] }),
  code: Type.Optional(Type.String({ description: 'Why it was refused.', examples: ['order_conflict'] })),
  durationMs: Type.Integer({ examples: [12] }),
  times: Type.Integer({
    description: 'How many requests like it this row counts: polls that succeed, and floods, share one.',
    examples: [1],
  }),
})

/** Schema of a page of logged requests. */
export const RequestPage = pageOf('requests', Summary)

/** Schema of a logged request with its bodies. */
export const RequestAnswer = Titled('LoggedRequestWithBodies', {
  ...Summary.properties,
  requestBody: Type.Optional(
    Type.String({
      description: 'Its JSON without secrets and whole numbers of people, at most 4000 characters.',
      examples: ['{"type":"direct","amount":5000.37,"orderId":"order-1001","currency":"rub","method":"sbp"}'],
    }),
  ),
  answerBody: Type.Optional(
    Type.String({ description: 'The same of the answer.', examples: ['{"code":"order_conflict","status":409}'] }),
  ),
})

/** A logged request. */
export type RequestSummaryAnswer = Static<typeof Summary>
/** A logged request with its bodies. */
export type RequestAnswer = Static<typeof RequestAnswer>

/** Query of a page of logged requests. */
export const RequestQuery = {
  ...ShortPageQuery,
  outcome: Type.Optional(OneOf(['failed'], { description: 'Only those that were refused or failed.' })),
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
