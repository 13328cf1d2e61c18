import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import { countPayments, listMatchingPayments, type PaymentFilter } from '../../engine/payments/listing/read.ts'
import { readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { filteredPageOf, FilterQuery, ShortPageQuery } from '../../operations/lists.ts'
import { PaymentDetails } from '../../operations/payments.ts'
import { toPaymentDetails } from '../answers/payment-details.ts'
import { PaymentConditions } from '../../operations/payments.ts'
import { readPaymentFilter } from '../answers/payment-filters.ts'
import { routesForMerchants } from '../routes/routes.ts'

// No filters for what merchants may not see: which account was used, and other merchants.
const { 'merchantId?': _m, 'requisiteId?': _r, 'bank?': _b, 'limit?': _l, ...shared } = FilterQuery
const Query = { ...shared, 'limit?': ShortPageQuery['limit?'], ...PaymentConditions }

type Given = Omit<Static<ReturnType<typeof Type.Object<typeof Query>>>, 'cursor' | 'limit' | 'count'>

/** The filter of a request: payments of its merchant only. */
const filterOf = ({ caller }: Pick<FastifyRequest, 'caller'>, query: Given): PaymentFilter => ({
  ...readPaymentFilter(query),
  merchantId: caller.merchantId,
})

export const paymentListRoutes = routesForMerchants('payments')

paymentListRoutes.get('/payments', 'payments:read', {
  id: 'listPayments',
  summary: 'List payments',
  description:
    'Newest first by default; times are creation times. A page checks a bounded number of payments: if few match the filters, it may have fewer rows than `limit`, or none, and still a `nextCursor`.',
  takesTurns: true,
  query: Query,
  answer: filteredPageOf('payments', PaymentDetails),
  exports: {
    columns:
      'id,orderId,status,statusReason,method,currency,amount,receivedAmount,finalAmount,userId,sourcePan,createdAt,expiredAt,changedAt,acknowledgedAt',
  },
  handle: async (context, request) => {
    const { query } = request
    const filter = filterOf(request, query)
    const sort = readSort(query, 'newest')
    const [{ payments, ...end }, count] = await Promise.all([
      listMatchingPayments(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countPayments(context, filter),
    ])
    return { payments: payments.map(toPaymentDetails), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
})
