import type { Context } from '../../context.ts'
import type { App } from '../app.ts'
import { authenticate } from '../auth.ts'
import { registerDeliveries } from '../notifications/deliveries.ts'
import { registerEndpoints } from '../notifications/endpoints.ts'
import { merchantSide } from '../notifications/side.ts'
import { registerRateLimit } from '../rate-limit.ts'
import { refuseOverload } from '../refuse-overload.ts'
import { registerAcknowledgePayment } from './acknowledge-payment.ts'
import { registerCancelPayment } from './cancel-payment.ts'
import { registerCreatePayment } from './create-payment.ts'
import { registerDispute } from './dispute.ts'
import { registerGetPayment } from './get-payment.ts'
import { registerGetPaymentStatus } from './get-payment-status.ts'
import { registerListBankIssuers } from './list-bank-issuers.ts'
import { registerListCurrencies } from './list-currencies.ts'
import { registerListEvents } from './list-events.ts'
import { registerListPayments } from './list-payments.ts'
import { registerMoney } from './money.ts'

/** The operations of the merchant interface: authenticated, limited, never for browsers. */
export const registerMerchantApi = async (app: App, context: Context): Promise<void> => {
  refuseOverload(app)
  app.addHook('onRequest', (request) => authenticate(context, request))
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    done()
  })
  await registerRateLimit(app, context)
  registerListCurrencies(app)
  registerCreatePayment(app, context)
  registerGetPaymentStatus(app, context)
  registerAcknowledgePayment(app, context)
  registerGetPayment(app, context)
  registerListPayments(app, context)
  registerCancelPayment(app, context)
  registerListBankIssuers(app, context)
  registerListEvents(app, context)
  registerEndpoints(app, context, merchantSide(context))
  registerDeliveries(app, context, merchantSide(context))
  await registerDispute(app, context)
  registerMoney(app, context)
}
