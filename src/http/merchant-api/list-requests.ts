import { Refusal } from '../../rules/refusal.ts'
import { findRequest } from '../../engine/request-log/read.ts'
import { mayReadBodies } from '../access/log-merchant-requests.ts'
import { readRequestPage } from '../answers/logged-request.ts'
import { RequestAnswer, RequestPage, RequestQuery } from '../../operations/requests.ts'
import { routesForMerchants } from '../routes/routes.ts'

/** The latest requests of the merchant's programs. */
export const requestLogRoutes = routesForMerchants('requests')

requestLogRoutes.get('/requests', 'payments:read', {
  id: 'listRequests',
  summary: 'List your latest requests and their outcomes',
  description:
    'Newest first, from all your access tokens, for as long as the operator keeps them (14 days by default). Successful reads, such as polls, share one row per minute and operation; `times` is their number. Failures are logged one by one, up to two a second. Reads of this log, and what listeners take, are not logged unless they fail.',
  takesTurns: true,
  query: RequestQuery,
  answer: RequestPage,
  handle: (context, request) => readRequestPage(context, request.caller.merchantId, request.query),
})

requestLogRoutes.get('/requests/:id', 'payments:read', {
  id: 'getRequest',
  summary: 'Read one of your requests with its request and response bodies',
  description:
    'Tokens, links of payers, and full phone, card and account numbers are removed from the bodies. Bodies of operations that need another scope, such as `balance:read`, are left out unless the caller has it.',
  answer: RequestAnswer,
  handle: async (context, request) => {
    const found = await findRequest(context, request.caller.merchantId, request.params.id)
    if (!found) throw new Refusal('resource_not_found', 'There is no such request, or it has been deleted.')
    const isReadable = mayReadBodies(found.operation, request.caller.scopes)
    return isReadable ? found : { ...found, requestBody: null, answerBody: null }
  },
})
