import { Type } from 'typebox'
import { listTroubledEndpoints } from '../../notifications/endpoints/read.ts'
import { EndpointAnswer, toEndpointAnswer } from '../notifications/endpoint-answer.ts'
import { routesForOperators } from '../routes.ts'

/** Endpoints of all merchants that do not work. */
export const troubledEndpointRoute = routesForOperators().get('/endpoints/troubled', {
  id: 'listTroubledEndpoints',
  summary: 'List endpoints of all merchants that are failing or disabled by the service',
  answer: { endpoints: Type.Array(EndpointAnswer) },
  handle: async (context) => ({
    endpoints: (await listTroubledEndpoints(context)).map((endpoint) => toEndpointAnswer(endpoint, context.clock())),
  }),
})
