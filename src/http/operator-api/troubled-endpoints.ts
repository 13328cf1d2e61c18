import { type Static, Type } from 'typebox'
import { listTroubledEndpoints } from '../../notifications/endpoints/read.ts'
import { EndpointAnswer, toEndpointAnswer } from '../notifications/endpoint-answer.ts'
import { routesForOperators } from '../routes.ts'
import { ofMerchant } from './operator-fields.ts'

const TroubledEndpoint = Type.Object({ ...EndpointAnswer.properties, ...ofMerchant })

/** An endpoint that does not work. */
export type TroubledEndpoint = Static<typeof TroubledEndpoint>

/** Endpoints of all merchants that do not work. */
export const troubledEndpointRoute = routesForOperators().get('/endpoints/troubled', {
  id: 'listTroubledEndpoints',
  duty: 'read',
  summary: 'List endpoints of all merchants that are failing or disabled by the service',
  description: 'Merchants learn nothing through them until they are repaired and enabled again.',
  answer: { endpoints: Type.Array(TroubledEndpoint) },
  handle: async (context) => ({
    endpoints: (await listTroubledEndpoints(context)).map((endpoint) => toEndpointAnswer(endpoint, context.clock())),
  }),
})
