import { Type } from 'typebox'
import { Refusal } from '../../domain/refusal.ts'
import { getPayment } from '../../payments/read.ts'
import { Id, OrderParams, PaymentStatus, wireAmount, withoutNulls } from '../fields.ts'
import { routesForMerchants } from '../routes.ts'
import { matchesTag, paymentTag } from './get-payment-status.ts'

const Answer = Type.Object({
  id: Id,
  orderId: Type.String(),
  amount: Type.Number({ description: 'Original amount.' }),
  finalAmount: Type.Optional(Type.Number({ description: 'The credited amount; only with status `disput-paid`.' })),
  status: PaymentStatus,
  currency: Type.String(),
})

/** docs/contract.md §4.5. */
export const getPaymentRoute = routesForMerchants('payments').get('/payments/byOrderId/:orderId', {
  id: 'getPayment',
  summary: 'Read payment details',
  scope: 'payments:read',
  params: OrderParams,
  answers: { 200: Answer, 304: Type.Null({ description: 'Unchanged.' }) },
  handle: async (context, request, reply) => {
    const { orderId } = request.params
    const payment = await getPayment(context, { merchantId: request.caller.merchantId, orderId })
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const { id, amount, finalAmount, status, currency } = payment
    const tag = paymentTag(payment)
    void reply.header('etag', tag).header('cache-control', 'private, no-cache')
    if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send(null)
    return withoutNulls({
      id,
      orderId,
      amount: wireAmount(amount, currency),
      finalAmount: wireAmount(finalAmount, currency),
      status,
      currency,
    })
  },
})
