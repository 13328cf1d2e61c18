import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { listTroubledEndpoints } from '../../notifications/endpoints/read.ts'
import type { App } from '../app.ts'
import { EndpointAnswer, toEndpointAnswer } from '../notifications/endpoint-answer.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'

/** `GET /endpoints/troubled`. */
export const registerTroubledEndpoints = (app: App, context: Context): void => {
  app.get(
    '/endpoints/troubled',
    {
      schema: {
        ...operation(
          'listTroubledEndpoints',
          'List endpoints of all merchants that are failing or disabled by the service',
        ),
        response: { 200: Type.Object({ endpoints: Type.Array(EndpointAnswer) }), ...problems() },
      },
    },
    async () => ({
      endpoints: (await listTroubledEndpoints(context)).map((endpoint) => toEndpointAnswer(endpoint, context.clock())),
    }),
  )
}
