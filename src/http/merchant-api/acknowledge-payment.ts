import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { formatInstant } from '../../domain/time.ts'
import { acknowledgePayment } from '../../payments/acknowledge-payments.ts'
import type { App } from '../app.ts'
import { PaymentStatus, Time } from '../fields.ts'
import { Id, OrderId } from '../ids.ts'
import { problems } from '../problems.ts'

const Body = Type.Object(
  {
    orderId: OrderId,
    status: Type.Optional({
      ...PaymentStatus,
      description: 'The status that you know. Another one is refused with `status_changed`.',
    }),
  },
  { additionalProperties: false },
)

const Answer = Type.Object({ id: Id, orderId: Type.String(), status: PaymentStatus, acknowledgedAt: Time })

/** `POST /payments/byOrderId/ack` (docs/contract.md §4.4). */
export const registerAcknowledgePayment = (app: App, context: Context): void => {
  app.post(
    '/payments/byOrderId/ack',
    {
      config: { scope: 'payments:write' },
      schema: {
        tags: ['payments'],
        summary: 'Acknowledge paid or disput-paid',
        operationId: 'acknowledgePayment',
        security: [{ merchant: [] }],
        body: Body,
        response: { 200: Answer, ...problems(409) },
      },
    },
    async (request) => {
      const { orderId, status } = request.body
      const command = { merchantId: request.caller.merchantId, orderId, status: status ?? null }
      const payment = await acknowledgePayment(context, command)
      if (payment instanceof Refusal) throw payment
      if (payment.acknowledgedAt === null) throw new Error('no answer to an acknowledgement')
      return { id: payment.id, orderId, status: payment.status, acknowledgedAt: formatInstant(payment.acknowledgedAt) }
    },
  )
}
