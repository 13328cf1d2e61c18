import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { listPayments } from '../../payments/read.ts'
import type { App } from '../app.ts'
import { PaymentDetails, PaymentListQuery, toPaymentDetails } from '../payment-details.ts'
import { problems } from '../problems.ts'

/** `GET /payments`: the merchant's payments, the newest first. */
export const registerListPayments = (app: App, context: Context): void => {
  app.get(
    '/payments',
    {
      config: { scope: 'payments:read' },
      schema: {
        tags: ['payments'],
        summary: 'List payments',
        description: 'Newest first.',
        operationId: 'listPayments',
        security: [{ merchant: [] }],
        querystring: Type.Object(PaymentListQuery, { additionalProperties: false }),
        response: {
          200: Type.Object({ payments: Type.Array(PaymentDetails), nextCursor: Type.Optional(Type.String()) }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { cursor, limit, status, acknowledged } = request.query
      const page = await listPayments(context, {
        merchantId: request.caller.merchantId,
        status: status ?? null,
        acknowledged: acknowledged === undefined ? null : acknowledged === 'true',
        before: cursor ?? null,
        limit: Number(limit ?? 50),
      })
      return {
        payments: page.payments.map(toPaymentDetails),
        ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor }),
      }
    },
  )
}
