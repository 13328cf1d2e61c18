import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { authenticate, authenticateRequests } from './auth.ts'
import { logMerchantRequests } from './log-merchant-requests.ts'
import { registerRateLimit } from './rate-limit.ts'
import { refuseOverload } from './refuse-overload.ts'
import { takeTurns } from './take-turns.ts'

/**
 * Prepares a part of the server for merchants: requests are logged, refused while the process cannot keep up,
 * authenticated by a token (never from a browser) or a member's session of the console, and limited per token and
 * second. Responses are not cached unless they say otherwise.
 */
export const prepareForMerchants = async (app: App, context: Context): Promise<void> => {
  logMerchantRequests(app, context)
  refuseOverload(app)
  authenticateRequests(app, (request) => authenticate(context, request))
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    done()
  })
  takeTurns(app, ({ routeOptions, caller }) => (routeOptions.config.takesTurns ? caller.merchantId : undefined))
  await registerRateLimit(app, context)
}
