import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { cancelPayment } from '../../payments/cancel-payment.ts'
import { getPayments } from '../../payments/read.ts'
import type { App } from '../app.ts'
import { PaymentStatus } from '../fields.ts'
import { Id, OrderId } from '../ids.ts'
import { problems } from '../problems.ts'

const Answer = Type.Object({ id: Id, orderId: Type.String(), status: PaymentStatus })

/** `POST /payments/byOrderId/cancel`: closes a payment before any money came. */
export const registerCancelPayment = (app: App, context: Context): void => {
  app.post(
    '/payments/byOrderId/cancel',
    {
      config: { scope: 'payments:write' },
      schema: {
        tags: ['payments'],
        summary: 'Cancel a payment',
        description: 'Refused with `invalid_state` once money has arrived.',
        operationId: 'cancelPayment',
        security: [{ merchant: [] }],
        body: Type.Object({ orderId: OrderId }, { additionalProperties: false }),
        response: { 200: Answer, ...problems(409) },
      },
    },
    async (request) => {
      const { orderId } = request.body
      const [payment] = await getPayments(context, [{ merchantId: request.caller.merchantId, orderId }])
      if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
      const canceled = await context.transaction((tx) =>
        cancelPayment(tx, payment, { actor: 'merchant', reason: 'canceled-by-merchant' }),
      )
      return { id: canceled.id, orderId, status: canceled.status }
    },
  )
}
