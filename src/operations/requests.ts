import { Id, Time } from './fields.ts'
import { pageOf, ShortPageQuery } from './lists.ts'
import { operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

const RequestSummary = Type.Titled('LoggedRequest', {
  id: { ...Id, description: 'The `requestId` of a refusal, and the header `payin-request-id` of every response.' },
  at: presented(Time, { description: 'When it began.', heading: 'When' }),
  operation: presented(Type.Text('The operation, as the OpenAPI document names it.', 'createPayment'), {
    kind: 'word',
  }),
  method: Type.String({ examples: ['POST'] }),
  path: Type.Text('The path with its query, redacted.', '/api/v1/merchant/payments'),
  status: Type.Integer({ examples: [409] }),
  'code?': presented(Type.Text('Why it was refused.', 'order_conflict'), { kind: 'word' }),
  durationMs: Type.Integer({ examples: [12], heading: 'Ms' }),
  times: Type.Whole('How many similar requests this row is for: successful polls share one row, and so do floods.', 1),
})

export const RequestPage = pageOf('requests', RequestSummary)

export const RequestAnswer = Type.Titled('LoggedRequestWithBodies', {
  ...RequestSummary.properties,
  'requestBody?': Type.Text(
    'Its JSON without secrets and without full card, account and phone numbers; at most 4000 characters.',
    '{"type":"direct","amount":5000.37,"orderId":"order-1001","currency":"rub","method":"sbp"}',
  ),
  'answerBody?': Type.Text('The same for the response.', '{"code":"order_conflict","status":409}'),
})
export type RequestSummaryAnswer = Static<typeof RequestSummary>

export type RequestAnswer = Static<typeof RequestAnswer>

export const RequestQuery = {
  ...ShortPageQuery,
  'outcome?': Type.OneOf(['failed'], 'Only those that were refused or failed.'),
}

export const requests = {
  requests: operation('GET /merchants/{id}/requests', 'read', {
    id: 'listMerchantRequests',
    summary: 'List the latest requests of a merchant and their outcomes',
    description: 'The same as the merchant reads with `GET /api/v1/merchant/requests`.',
    query: RequestQuery,
    answer: RequestPage,
    command: {
      about: "List the latest requests of a merchant's programs and their answers.",
      options: { outcome: '--failed' },
      columns: [
        'at',
        'operation',
        'status',
        'code',
        'durationMs',
        'times',
        { heading: 'Path', show: ({ method, path }) => `${method} ${path}` },
        'id',
      ],
      empty: 'No requests yet.',
    },
  }),
  request: operation('GET /merchants/{id}/requests/{requestId}', 'read', {
    id: 'getMerchantRequest',
    summary: 'Read a request of a merchant with its bodies',
    description: 'Tokens, links of payers, and full phone, card and account numbers are removed from the bodies.',
    params: { requestId: { ...Id, description: 'Id of the request, from a refusal or `payin-request-id`.' } },
    answer: RequestAnswer,
    command: { about: 'Show a request of a merchant with its bodies; `payin find` shows whose it is.' },
  }),
}
