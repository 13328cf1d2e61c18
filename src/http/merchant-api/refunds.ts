import { NoBody, OrderId } from '../../operations/fields.ts'
import { pageOf, ShortPageQuery } from '../../operations/lists.ts'
import { RefundBody, RefundDetails, RefundStatus, RefundWithEvents } from '../../operations/refunds.ts'
import { presented } from '../../operations/schema.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { cancelRefund, getRefund, listRefunds, requestRefund } from '../../engine/transfers/refunds/refunds.ts'
import { actAsMerchant, merchantActorOf } from '../access/act-on-behalf.ts'
import { toRefundAnswer } from '../answers/refund-answer.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForMerchants } from '../routes/routes.ts'
import { paymentOf } from './dispute.ts'

/** Events of a refund as its merchant sees them: not which operator made them. */
const withoutNames = <Event extends { readonly actor: string }>(events: readonly Event[]) =>
  events.map((event) => ({ ...event, actor: event.actor.split(':')[0] ?? '' }))

/** Refunds of the merchant's payments: ask for them, read and cancel them. */
export const refundRoutes = routesForMerchants('refunds')

refundRoutes.post('/payments/byOrderId/:orderId/refunds', 'refunds:write', {
  id: 'requestRefund',
  summary: 'Refund a payment, or a part of it',
  description:
    'Of a credited payment, several times until all of it is refunded. Your balance pays for it at once, and gets that back if nothing is sent. The operator approves and sends it to the account that paid; `refund.done` notifies you once the bank has reported that. Returns 201, or 200 if the reference is already known.',
  body: RefundBody,
  answers: { 200: RefundDetails, 201: RefundDetails },
  refusals: [
    ...(['already_exists', 'amount_above_max', 'amount_precision', 'balance_insufficient'] as const),
    ...(['invalid_state', 'payment_not_found'] as const),
  ],
  handle: async (context, request, reply) => {
    const payment = await paymentOf(context, request)
    const { merchantId, id: paymentId, orderId, currency } = payment
    const { reference, reason = null, payTo = null } = request.body
    const amount = readBody((read) =>
      request.body.amount === undefined ? null : read.amount(request.body, 'amount', currency),
    )
    const { maxDebt, quoteCurrency } = (await getProfile(context, merchantId)).merchant.settings
    const asked = { merchantId, paymentId, reference, amount, reason, payTo, requestedBy: merchantActorOf(request) }
    const { refund, created } = await actAsMerchant(
      context,
      request,
      (tx) => requestRefund(tx, { ...asked, maxDebt, quoteCurrency }),
      {
        action: 'refund.request',
        subject: (made) => `refund:${merchantId}/${made.refund.id}`,
        details: (made) => ({ orderId, reference, amount: made.refund.amount, created: made.created }),
      },
    )
    reply.code(created ? 201 : 200)
    return toRefundAnswer(refund)
  },
})

refundRoutes.get('/refunds', 'payments:read', {
  id: 'listRefunds',
  summary: 'List refunds',
  description: 'Newest first.',
  query: {
    ...ShortPageQuery,
    'orderId?': presented(OrderId, 'Only refunds of the payment of this order.'),
    'status?': presented(RefundStatus, 'Only refunds with this status.'),
  },
  answer: pageOf('refunds', RefundDetails),
  handle: (context, { caller: { merchantId }, query: { orderId = null, status = null, ...query } }) =>
    readPage(
      'refunds',
      query,
      (span) => listRefunds(context, { merchantId, mode: 'live', orderId, status, ...span }),
      toRefundAnswer,
    ),
})

refundRoutes.get('/refunds/:id', 'payments:read', {
  id: 'getRefund',
  summary: 'Read a refund',
  description: 'With its history.',
  answer: RefundWithEvents,
  handle: async (context, { caller: { merchantId }, params: { id } }) => {
    const { refund, events } = await getRefund(context, { merchantId, id })
    return { ...toRefundAnswer(refund), events: withoutNames(events) }
  },
})

refundRoutes.post('/refunds/:id/cancel', 'refunds:write', {
  id: 'cancelRefund',
  summary: 'Cancel a refund',
  description: 'While nothing was sent; your balance gets back what it paid.',
  body: NoBody,
  answer: RefundDetails,
  refusals: ['invalid_state'],
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const { id } = request.params
    const cancel = { action: 'refund.cancel', subject: `refund:${merchantId}/${id}`, details: {} }
    const actor = merchantActorOf(request)
    return toRefundAnswer(
      await actAsMerchant(context, request, (tx) => cancelRefund(tx, { merchantId, id }, actor), cancel),
    )
  },
})
