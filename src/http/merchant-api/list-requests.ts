import { Refusal } from '../../domain/refusal.ts'
import { findRequest } from '../../request-log/read.ts'
import { IdParams } from '../fields.ts'
import { readRequestPage, RequestAnswer, RequestPage, RequestQuery, toRequestAnswer } from '../logged-request.ts'
import { routesForMerchants } from '../routes.ts'

/** What the merchant's own programs have asked lately. */
export const requestLogRoutes = routesForMerchants('requests')

requestLogRoutes.get('/requests', 'payments:read', {
  id: 'listRequests',
  summary: 'List your latest requests and how they were answered',
  description:
    'Newest first, of all your access tokens, for as long as the operator keeps them (14 days by default). Reads that succeed, such as polls, are one row a minute and operation, with their number in `times`; what fails is kept one by one, up to two a second. Reading this log is not in it.',
  takesTurns: true,
  query: RequestQuery,
  answer: RequestPage,
  handle: (context, request) => readRequestPage(context, request.caller.merchantId, request.query),
})

requestLogRoutes.get('/requests/:id', 'payments:read', {
  id: 'getRequest',
  summary: 'Read one of your requests with its bodies',
  description: 'The bodies lack tokens, links of payers, and whole phone, card and account numbers.',
  params: IdParams,
  answer: RequestAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const found = await findRequest(context, request.caller.merchantId, request.params.id)
    if (!found) throw new Refusal('resource_not_found', 'There is no such request, or it is no longer kept.')
    return toRequestAnswer(found)
  },
})
