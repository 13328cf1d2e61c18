// The limit of polling: the same server with one more route, which authenticates like the merchant API and then answers
// a constant. It answers in the next turn of the event loop, like anything that has waited for even the fastest
// database. If it answered immediately, the answers would leave one by one instead of together, and each would take
// twice as long (75 µs instead of 34 at 64 connections, while Payin took 60): that is no limit.
import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { authenticate } from '../../src/http/access/auth.ts'
import type { App } from '../../src/http/routes/app.ts'
import { Id, PaymentStatus } from '../../src/operations/fields.ts'
import { serve } from './serve.ts'

const Answer = Type.Object({ id: Id, orderId: Type.String(), status: PaymentStatus })

await serve({
  addRoutes: async (app, context) => {
    await app.register(async (scope) => {
      scope.addHook('onRequest', (request) => authenticate(context, request))
      ;(scope as App).get(
        '/constant/:orderId/status',
        { config: { scope: 'payments:read' }, schema: { response: { 200: Answer } } },
        async () => {
          await setImmediate()
          return { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', orderId: 'poll-10000', status: 'new' as const }
        },
      )
    })
  },
})
