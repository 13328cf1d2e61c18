// The limit of polling: the same server with one more route, which authenticates as the merchant API does and then
// answers a constant, in the next turn of the event loop: as everything does that has waited for the quickest of all
// databases. Answered at once it is no limit: the answers then leave one by one instead of together, and each takes twice
// as long (75 instead of 34 µs at 64 connections; Payin took 60).
import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { authenticate } from '../../src/http/auth.ts'
import type { App } from '../../src/http/app.ts'
import { Id, PaymentStatus } from '../../src/http/fields.ts'
import { serve } from './serve.ts'

const Answer = Type.Object({ id: Id, orderId: Type.String(), status: PaymentStatus })

await serve({
  addRoutes: async (app) => {
    await app.register(async (scope) => {
      scope.addHook('onRequest', authenticate)
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
