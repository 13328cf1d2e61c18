import { presented, Type } from '../../operations/schema.ts'
import { closedStatuses } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { acknowledgePayment, acknowledgeWithin } from '../../engine/payments/acknowledge-payments.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { getPayments, getPaymentState, type PaymentState } from '../../engine/payments/read.ts'
import { waitForPayment } from '../../engine/payments/wait-for-payment.ts'
import { actAsMerchant } from '../access/act-on-behalf.ts'
import { Id, OrderId, PaymentStatus, Time } from '../../operations/fields.ts'
import { routesForMerchants } from '../routes/routes.ts'

// Entity tag of a payment's state; changes with every change of its status.
const paymentTag = (payment: Pick<PaymentState, 'id' | 'sequence'>): string => `"${payment.id}.${payment.sequence}"`

// Whether `If-None-Match` names the tag (RFC 9110 §13.1.2, weak comparison).
const matchesTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)

const Unchanged = Type.Null({ description: 'Unchanged.' })

const Details = Type.Titled('PaymentAmounts', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  amount: Type.Number({ description: 'Original amount.', examples: [5000.37] }),
  'finalAmount?': Type.Number({
    description: 'The credited amount; only with status `disput-paid`.',
    examples: [5000.37],
  }),
  status: { ...PaymentStatus, examples: ['paid'] },
  currency: Type.String({ examples: ['rub'] }),
})

/** docs/contract.md §4.5. */
export const getPaymentRoute = routesForMerchants('payments').get('/payments/byOrderId/:orderId', 'payments:read', {
  id: 'getPayment',
  summary: 'Read payment details',
  description:
    'The current amounts and status. Credit the user `amount` if the status is `paid`, `finalAmount` if it is `disput-paid`.',
  answers: { 200: Details, 304: Unchanged },
  refusals: ['payment_not_found'],
  handle: async (context, request, reply) => {
    const { orderId } = request.params
    const payment = await getPaymentState(context, { merchantId: request.caller.merchantId, orderId })
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const tag = paymentTag(payment)
    void reply.header('etag', tag).header('cache-control', 'private, no-cache')
    if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send(null)
    return { ...payment, orderId }
  },
})

const Status = Type.Titled('PaymentState', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: PaymentStatus,
})

/** docs/contract.md §4.3, with long polling by `wait` and `ETag`. */
export const getPaymentStatusRoute = routesForMerchants('payments')

getPaymentStatusRoute.get('/payments/byOrderId/:orderId/status', 'payments:read', {
  id: 'getPaymentStatus',
  summary: 'Poll the status by order',
  description:
    'With `wait`, the response is sent when the status changes, or after that many seconds: call in a loop to learn about each change immediately. Send the `ETag` of the last response as `If-None-Match` to get 304 while nothing has changed. Treat a status that you do not know as not decided yet.',
  query: {
    'wait?': Type.NumberText(
      'must be a whole number from 0 to 60.',
      { type: 'integer', minimum: 0, maximum: 60 },
      {
        pattern: '^([0-9]|[1-5][0-9]|60)$',
        description:
          'Seconds to hold the response until the status changes. With `If-None-Match`: until the status differs from that tag.',
        examples: ['25'],
      },
    ),
  },
  answers: { 200: Status, 304: Unchanged },
  refusals: ['payment_not_found'],
  handle: async (context, request, reply) => {
    const { orderId } = request.params
    const found = await getPaymentState(context, { merchantId: request.caller.merchantId, orderId })
    if (!found) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const known = request.headers['if-none-match']
    const waitMs = Number(request.query.wait ?? 0) * 1000
    // Without a tag, do not wait for a closed status to change: it may never happen.
    const isNews = known === undefined ? closedStatuses.has(found.status) : !matchesTag(known, paymentTag(found))
    let payment = found
    if (waitMs > 0 && !isNews) {
      const gone = new AbortController()
      request.raw.once('close', () => gone.abort())
      payment = await waitForPayment(context, found, waitMs, gone.signal)
    }
    const tag = paymentTag(payment)
    void reply.header('etag', tag).header('cache-control', 'private, no-cache')
    return matchesTag(known, tag) ? reply.code(304).send(null) : payment
  },
})

const Acknowledged = Type.Titled('AcknowledgedPayment', {
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
  answer: Acknowledged,
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
    const { acknowledgedAt } = payment
    if (acknowledgedAt === null) throw new Error('an acknowledged payment has no acknowledgedAt')
    return { ...payment, acknowledgedAt }
  },
})

const Canceled = Type.Titled('CanceledPayment', {
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
  answer: Canceled,
  refusals: ['invalid_state', 'payment_not_found'],
  handle: async (context, request) => {
    const { orderId } = request.body
    const [payment] = await getPayments(context, [{ merchantId: request.caller.merchantId, orderId }])
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    return actAsMerchant(
      context,
      request,
      (tx) => cancelPayment(tx, payment, { actor: 'merchant', reason: 'canceled-by-merchant' }),
      { action: 'payment.cancel', subject: `payment:${payment.merchantId}/${payment.id}`, details: { orderId } },
    )
  },
})
