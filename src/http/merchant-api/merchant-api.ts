import type { Context } from '../../context.ts'
import type { App } from '../app.ts'
import { authenticate, authenticateRequests } from '../auth.ts'
import { linkRoutes, merchantLinks } from '../links/links.ts'
import { deliveryRoutes } from '../notifications/deliveries.ts'
import { endpointRoutes } from '../notifications/endpoints.ts'
import { merchantSide, onSide } from '../notifications/side.ts'
import { logMerchantRequests, writeRequestLog } from '../log-merchant-requests.ts'
import { registerRateLimit } from '../rate-limit.ts'
import { refuseOverload } from '../refuse-overload.ts'
import { takeTurns } from '../take-turns.ts'
import { acknowledgePaymentRoute } from './acknowledge-payment.ts'
import { cancelPaymentRoute } from './cancel-payment.ts'
import { createPaymentRoute } from './create-payment.ts'
import { disputeRoutes, evidenceUploadRoute } from './dispute.ts'
import { getPaymentRoute, getPaymentStatusRoute } from './get-payment.ts'
import { listBankIssuersRoute, listCurrenciesRoute } from './list-reference.ts'
import { requestLogRoutes } from './list-requests.ts'
import { listEventsRoute } from './list-events.ts'
import { paymentListRoutes } from './list-payments.ts'
import { listenerRoutes } from './listeners.ts'
import { moneyRoutes } from './money.ts'
import { ownMerchantRoute } from './own-merchant.ts'
import { paymentTimelineRoute } from './payment-timeline.ts'

const merchantApi = [
  ownMerchantRoute,
  listCurrenciesRoute,
  createPaymentRoute,
  getPaymentStatusRoute,
  acknowledgePaymentRoute,
  getPaymentRoute,
  paymentListRoutes,
  paymentTimelineRoute,
  cancelPaymentRoute,
  onSide(linkRoutes, merchantLinks),
  listBankIssuersRoute,
  listEventsRoute,
  onSide(endpointRoutes, merchantSide),
  onSide(deliveryRoutes, merchantSide),
  listenerRoutes,
  disputeRoutes,
  evidenceUploadRoute,
  moneyRoutes,
  requestLogRoutes,
]

/**
 * The operations for merchants. Callers authenticate by a token, never from a browser, or by a member's session of the
 * console; requests per token and second are limited.
 */
export const registerMerchantApi = async (app: App, context: Context): Promise<void> => {
  logMerchantRequests(app, context)
  writeRequestLog(app, context)
  refuseOverload(app)
  authenticateRequests(app, authenticate)
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    done()
  })
  takeTurns(app, ({ routeOptions, caller }) => (routeOptions.config.takesTurns ? caller.merchantId : undefined))
  await registerRateLimit(app, context)
  for (const routes of merchantApi) await routes.register(app, context)
}
