import { Type } from '../../operations/schema.ts'
import { Refusal } from '../../rules/refusal.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { getPayments } from '../../engine/payments/read.ts'
import { actAsMerchant } from '../access/act-on-behalf.ts'
import { Id, OrderId, PaymentStatus } from '../../operations/fields.ts'
import { routesForMerchants } from '../routes/routes.ts'

const Answer = Type.Titled('CanceledPayment', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: { ...PaymentStatus, examples: ['canceled'] },
})

/** Cancels a payment for which no money has arrived. */
export const cancelPaymentRoute = routesForMerchants('payments').post('/payments/byOrderId/cancel', 'payments:write', {
  id: 'cancelPayment',
  summary: 'Cancel a payment',
  description: 'Refused with `invalid_state` once money has arrived.',
  body: { orderId: OrderId },
  answer: Answer,
  refusals: ['invalid_state', 'payment_not_found'],
  handle: async (context, request) => {
    const { orderId } = request.body
    const [payment] = await getPayments(context, [{ merchantId: request.caller.merchantId, orderId }])
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const canceled = await actAsMerchant(
      context,
      request,
      (tx) => cancelPayment(tx, payment, { actor: 'merchant', reason: 'canceled-by-merchant' }),
      { action: 'payment.cancel', subject: `payment:${payment.merchantId}/${payment.id}`, details: { orderId } },
    )
    return { id: canceled.id, orderId, status: canceled.status }
  },
})
