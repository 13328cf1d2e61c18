import { type Static, presented, Type } from '../../operations/schema.ts'
import { listDisputesOfPayment } from '../../engine/disputes/read.ts'
import { disputeStates } from '../../rules/payments/dispute.ts'
import { listDeliveriesOf } from '../../engine/notifications/deliveries/read.ts'
import { checkoutUrl } from '../../engine/payments/view-payment.ts'
import { listPaymentEvents } from '../../engine/payments/read.ts'
import { DeliveryAnswer } from '../../operations/deliveries.ts'
import { toDeliveryAnswer } from '../notifications/deliveries.ts'
import { Amount, Id, PaymentStatus, Time } from '../../operations/fields.ts'
import { PaymentDetails, RateOfPayment } from '../../operations/payments.ts'
import { toPaymentDetails } from '../answers/payment-details.ts'
import { routesForMerchants } from '../routes/routes.ts'
import { isShownToMerchant, paymentOf } from './dispute.ts'

const OwnTimeline = Type.Titled('PaymentTimeline', {
  ...PaymentDetails.properties,
  rate: RateOfPayment,
  total: Type.Group('Before the fee.', {
    currency: Type.String({ examples: ['USDT'] }),
    amount: Type.Number({ examples: [54.058054] }),
  }),
  redirectUrl: Type.String({ format: 'uri', description: "The payer's page." }),
  'claimedAt?': presented(Time, 'When the payer said "I have paid".'),
  'claimReceivedAt?': presented(Time, 'When the payer claimed to have paid a closed payment.'),
  events: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      status: PaymentStatus,
      statusReason: Type.String({ examples: ['exact'] }),
      by: Type.String({ examples: ['bank'] }),
      at: Time,
    }),
  ),
  disputes: Type.Rows('Newest first.', {
    id: Id,
    state: Type.OneOf(disputeStates, { examples: ['rejected'] }),
    reason: Type.String({ examples: ['paid-not-credited'] }),
    amount: Amount,
    openedAt: Time,
  }),
  deliveries: Type.Rows('The newest 50 deliveries about it, newest first.', {
    endpointId: Id,
    ...DeliveryAnswer.properties,
  }),
})

/** A payment with what happened to it, for its merchant. */
export type OwnTimeline = Static<typeof OwnTimeline>

export const paymentTimelineRoute = routesForMerchants('payments')

paymentTimelineRoute.get('/payments/byOrderId/:orderId/timeline', 'payments:read', {
  id: 'getOwnPaymentTimeline',
  summary: 'Read a payment with its events, disputes and deliveries',
  description: 'Everything that has happened to a payment: for your support, and for tests.',
  answer: OwnTimeline,
  refusals: ['payment_not_found'],
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const payment = await paymentOf(context, request)
    const [events, disputes, deliveries] = await Promise.all([
      listPaymentEvents(context, merchantId, payment.id),
      listDisputesOfPayment(context, payment),
      listDeliveriesOf(context, merchantId, payment.id),
    ])
    return {
      ...toPaymentDetails(payment),
      redirectUrl: checkoutUrl(context, payment),
      // Merchants see that an operator decided, not which one.
      events: events.map((event) => ({ ...event, by: event.actor.split(':')[0] ?? event.actor })),
      disputes: disputes.filter(isShownToMerchant),
      deliveries: deliveries.map(toDeliveryAnswer),
    }
  },
})
