// The limit of polling: the same server with one more route, which authenticates as the merchant API does and then
// answers a constant.
import { Type } from 'typebox'
import { authenticate } from '../../src/http/auth.ts'
import type { App } from '../../src/http/app.ts'
import { Id, Status } from '../../src/http/wire.ts'
import { serve } from './serve.ts'

const Answer = Type.Object({ id: Id, orderId: Type.String(), status: Status })

await serve({
  addRoutes: async (app, context) => {
    await app.register(async (scope) => {
      scope.addHook('onRequest', (request) => authenticate(context, request))
      ;(scope as App).get(
        '/constant/:orderId/status',
        { config: { scope: 'payments:read' }, schema: { response: { 200: Answer } } },
        async () => ({ id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', orderId: 'poll-10000', status: 'new' as const }),
      )
    })
  },
})
