import { Type } from 'typebox'
import { everyPayment, listMatchingPayments } from '../../payments/listing/read.ts'
import { PaymentDetails, PaymentListQuery, toPaymentDetails } from '../payment-details.ts'
import { routesForMerchants } from '../routes.ts'
import { withoutNulls } from '../fields.ts'

/** The merchant's payments. */
export const listPaymentsRoute = routesForMerchants('payments').get('/payments', {
  id: 'listPayments',
  summary: 'List payments',
  description:
    'Newest first. A page looks at a bounded number of payments: with `status` or `acknowledged` it may have fewer rows than `limit`, or none, and still a `nextCursor`, where few of many match.',
  scope: 'payments:read',
  query: PaymentListQuery,
  answer: { payments: Type.Array(PaymentDetails), nextCursor: Type.Optional(Type.String()) },
  handle: async (context, request) => {
    const { cursor, limit, status, acknowledged } = request.query
    const filter = {
      ...everyPayment,
      merchantId: request.caller.merchantId,
      status: status ?? null,
      acknowledged: acknowledged === undefined ? null : acknowledged === 'true',
    }
    const page = await listMatchingPayments(context, filter, {
      sort: 'newest',
      after: cursor === undefined ? null : { id: cursor, value: null },
      limit: Number(limit ?? 50),
    })
    return withoutNulls({ payments: page.payments.map(toPaymentDetails), nextCursor: page.next?.id ?? null })
  },
})
