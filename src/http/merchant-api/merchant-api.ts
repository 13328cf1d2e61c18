import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { linkRoutes, merchantLinks } from '../links/links.ts'
import { deliveryRoutes } from '../notifications/deliveries.ts'
import { endpointRoutes } from '../notifications/endpoints.ts'
import { merchantSide, onSide } from '../notifications/side.ts'
import { prepareForMerchants } from '../access/prepare-for-merchants.ts'
import { createPaymentRoute } from './create-payment.ts'
import { disputeRoutes, evidenceUploadRoute } from './dispute.ts'
import { acknowledgePaymentRoute, cancelPaymentRoute, getPaymentRoute, getPaymentStatusRoute } from './one-payment.ts'
import { listBankIssuersRoute, listCurrenciesRoute } from './list-reference.ts'
import { refundRoutes } from './refunds.ts'
import { requestLogRoutes } from './list-requests.ts'
import { listEventsRoute } from './list-events.ts'
import { paymentListRoutes } from './list-payments.ts'
import { listenerRoutes } from './listeners.ts'
import { moneyRoutes } from './money.ts'
import { ownMerchantRoute } from './own-merchant.ts'
import { settlementRoutes } from './settlements.ts'
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
  refundRoutes,
  moneyRoutes,
  settlementRoutes,
  requestLogRoutes,
]

/** The operations for merchants; see `prepareForMerchants`. */
export const registerMerchantApi = async (app: App, context: Context): Promise<void> => {
  await prepareForMerchants(app, context)
  for (const routes of merchantApi) await routes.register(app, context)
}
