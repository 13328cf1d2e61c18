import { Type } from 'typebox'
import { listPayments } from '../../payments/read.ts'
import { PaymentDetails, PaymentListQuery, toPaymentDetails } from '../payment-details.ts'
import { routesForMerchants } from '../routes.ts'
import { withoutNulls } from '../fields.ts'

/** The merchant's payments. */
export const listPaymentsRoute = routesForMerchants('payments').get('/payments', {
  id: 'listPayments',
  summary: 'List payments',
  description: 'Newest first.',
  scope: 'payments:read',
  query: PaymentListQuery,
  answer: { payments: Type.Array(PaymentDetails), nextCursor: Type.Optional(Type.String()) },
  handle: async (context, request) => {
    const { cursor, limit, status, acknowledged } = request.query
    const page = await listPayments(context, {
      merchantId: request.caller.merchantId,
      status: status ?? null,
      acknowledged: acknowledged === undefined ? null : acknowledged === 'true',
      before: cursor ?? null,
      limit: Number(limit ?? 50),
    })
    return withoutNulls({ payments: page.payments.map(toPaymentDetails), nextCursor: page.nextCursor })
  },
})
