import { presented, Type } from '../../operations/schema.ts'
import { Refusal } from '../../rules/refusal.ts'
import { acknowledgePayment, acknowledgeWithin } from '../../engine/payments/acknowledge-payments.ts'
import { actAsMerchant } from '../access/act-on-behalf.ts'
import { Id, OrderId, PaymentStatus, Time, wire } from '../../operations/fields.ts'
import { routesForMerchants } from '../routes/routes.ts'

const Answer = Type.Titled('AcknowledgedPayment', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: { ...PaymentStatus, examples: ['paid'] },
  acknowledgedAt: Time,
})

/** docs/contract.md §4.4. */
export const acknowledgePaymentRoute = routesForMerchants('payments')

acknowledgePaymentRoute.post('/payments/byOrderId/ack', 'payments:write', {
  id: 'acknowledgePayment',
  summary: 'Acknowledge paid or disput-paid',
  description:
    'Tells the service that you have read that the payment is `paid` or `disput-paid` and have credited your user. Acknowledging again changes nothing and gets the same response. If you send the `status` that you know, the request is refused with `status_changed` when the payment has another one by then.',
  body: {
    orderId: OrderId,
    'status?': presented(
      PaymentStatus,
      'The status that you know. Refused with `status_changed` if the payment now has another.',
    ),
  },
  answer: Answer,
  refusals: ['payment_not_found', 'payment_not_paid', 'status_changed'],
  handle: async (context, request) => {
    const { orderId, status } = request.body
    const command = { merchantId: request.caller.merchantId, orderId, status: status ?? null }
    const payment = await (request.caller.member === null
      ? acknowledgePayment(context, command)
      : actAsMerchant(context, request, (tx) => acknowledgeWithin(tx, command), {
          action: 'payment.acknowledge',
          subject: ({ id, merchantId }) => `payment:${merchantId}/${id}`,
          details: { orderId },
        }))
    if (payment instanceof Refusal) throw payment
    if (payment.acknowledgedAt === null) throw new Error('an acknowledged payment has no acknowledgedAt')
    return { id: payment.id, orderId, status: payment.status, acknowledgedAt: wire.time(payment.acknowledgedAt) }
  },
})
