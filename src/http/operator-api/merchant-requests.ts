import { Type } from 'typebox'
import { Refusal } from '../../domain/refusal.ts'
import { findRequest } from '../../request-log/read.ts'
import { Id, IdParams } from '../fields.ts'
import { readRequestPage, RequestAnswer, RequestPage, RequestQuery, toRequestAnswer } from '../logged-request.ts'
import { routesForOperators } from '../routes.ts'

/** What the programs of merchants have asked lately. */
export const merchantRequestRoutes = routesForOperators()

merchantRequestRoutes.get('/merchants/:id/requests', {
  id: 'listMerchantRequests',
  duty: 'read',
  summary: 'List the latest requests of a merchant and how they were answered',
  description: 'What the merchant itself reads by `GET /api/v1/merchant/requests`.',
  params: IdParams,
  query: RequestQuery,
  answer: RequestPage,
  handle: (context, { params, query }) => readRequestPage(context, params.id, query),
})

merchantRequestRoutes.get('/merchants/:id/requests/:requestId', {
  id: 'getMerchantRequest',
  duty: 'read',
  summary: 'Read a request of a merchant with its bodies',
  description: 'The bodies lack tokens, links of payers, and whole phone, card and account numbers.',
  params: Type.Object({ id: Id, requestId: Id }),
  answer: RequestAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, { params }) => {
    const found = await findRequest(context, params.id, params.requestId)
    if (!found) throw new Refusal('resource_not_found', 'There is no such request, or it is no longer kept.')
    return toRequestAnswer(found)
  },
})
