import type { TProperties } from 'typebox'
import { presented, Type } from '../../operations/schema.ts'
import { type NotificationKind, notificationKinds } from '../../rules/notices/notification.ts'
import { creditedStatuses, type PaymentStatus, type StatusReason } from '../../rules/payments/payment.ts'
import { Id, OrderId, Time } from '../../operations/fields.ts'
import { MetadataAnswer } from '../../operations/metadata.ts'
import { RefundDetails } from '../../operations/refunds.ts'
import type { RefundStatus } from '../../rules/transfers/refund.ts'
import type { SettlementStatus } from '../../rules/money/settlement.ts'
import { SettlementDetails } from '../../operations/settlements.ts'

const headers = [
  ['webhook-id', 'Id of the event, the same at every attempt: ignore events that you have already processed.', Id],
  [
    'webhook-timestamp',
    'When this attempt began, in seconds since 1970. Part of the signature.',
    { type: 'string', pattern: '^\\d+$' },
  ],
  [
    'webhook-signature',
    '`v1,` followed by the Base64 of HMAC-SHA-256 over `{webhook-id}.{webhook-timestamp}.{body}`; two, separated by a space, while a secret is being replaced.',
    { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  ],
  ['traceparent', 'Trace context (W3C); one trace for all attempts of an event.', { type: 'string' }],
] as const

const amount = Type.Number({ description: 'Exact amount in `currency`.', examples: [5000.37] })
const sequence = (description: string) => Type.Integer({ minimum: 1, description })

/** An example of why a payment has a status. */
const reasons: Partial<Record<PaymentStatus, StatusReason>> = {
  processing: 'partial',
  disput: 'claim',
  'disput-paid': 'accepted',
  expired: 'timeout',
  canceled: 'canceled-by-merchant',
  failed: 'risk',
}

/** What a notification contains about a payment that has one of these statuses. */
const paymentData = (statuses: readonly PaymentStatus[], more: TProperties = {}) =>
  Type.Object({
    id: Id,
    orderId: OrderId,
    sequence: sequence(
      'Rises with every change of the status: ignore a notification with a lower number than you have seen.',
    ),
    status: Type.OneOf(statuses),
    statusReason: Type.Text('Why it has this status.', reasons[statuses[0] ?? 'paid'] ?? 'exact'),
    amount,
    ...(statuses.includes('disput-paid') && {
      [statuses.length === 1 ? 'finalAmount' : 'finalAmount?']:
        statuses.length === 1 ? amount : presented(amount, 'Present with `disput-paid`.'),
    }),
    currency: Type.String({ examples: ['rub'] }),
    'metadata?': MetadataAnswer,
    'linkId?': presented(Id, 'The payment link from which its payer started it.'),
    ...more,
  })

type Description = { readonly summary: string; readonly data: object }

const settlement = (of: SettlementStatus, summary: string): Description => ({
  summary,
  data: Type.Object({
    id: Id,
    reference: SettlementDetails.properties.reference,
    sequence: sequence('Number of the latest change.'),
    status: Type.OneOf([of]),
    amount: { ...amount, examples: [53.513513] },
    currency: Type.String({ examples: ['USDT'] }),
    destination: SettlementDetails.properties.destination,
    ...(of === 'paid' && { externalReference: Type.Text('What identifies the payout.', '0x5f1d2c3b') }),
    ...(of === 'failed' && { failure: SettlementDetails.properties.failure }),
  }),
})

const refund = (of: RefundStatus, summary: string): Description => ({
  summary,
  data: Type.Object({
    ...{ id: Id, paymentId: Id, orderId: OrderId, reference: RefundDetails.properties.reference },
    sequence: sequence(
      'Rises with every change of the status: ignore a notification with a lower number than you have seen.',
    ),
    status: Type.OneOf([of]),
    amount,
    currency: Type.String({ examples: ['rub'] }),
    balanceChange: Type.Object({
      currency: Type.String({ examples: ['USDT'] }),
      amount: Type.Number({ description: 'What the refund takes of your balance: at most 0.', examples: [-53.513514] }),
    }),
    'failure?': RefundDetails.properties.failure,
  }),
})

const status = (of: PaymentStatus, summary: string): Description => ({ summary, data: paymentData([of]) })

const descriptions: Readonly<Record<NotificationKind, Description>> = {
  'payment.processing': status('processing', 'Part of the money has arrived, or the payer claims to have paid'),
  'payment.paid': status('paid', 'A payment is paid'),
  'payment.disput': status('disput', 'A payment is under review'),
  'payment.disput-paid': status('disput-paid', 'A payment is credited with another amount, or after a dispute'),
  'payment.expired': status('expired', 'A payment has expired'),
  'payment.canceled': status('canceled', 'A payment is canceled'),
  'payment.failed': status('failed', 'A payment has failed'),
  'payment.ack-overdue': {
    summary: 'A credited payment has not been acknowledged',
    data: paymentData([...creditedStatuses], { creditedAt: Time }),
  },
  'payment.reversed': {
    summary: 'A bank took credited money back',
    data: paymentData([...creditedStatuses], {
      reversedAmount: Type.Number({ description: 'What was taken back, in `currency`.', examples: [5000.37] }),
      balanceChange: Type.Object({
        currency: Type.String({ examples: ['USDT'] }),
        amount: Type.Number({ description: 'At most 0.', examples: [-53.513514] }),
      }),
    }),
  },
  'settlement.approved': settlement('approved', 'A settlement is approved, and is paid next'),
  'settlement.paid': settlement('paid', 'Money was paid out to the merchant'),
  'settlement.failed': settlement('failed', 'A settlement has failed; the balance has its money again'),
  'settlement.canceled': settlement('canceled', 'The merchant canceled a settlement that it asked for'),
  'refund.approved': refund('approved', 'A refund is approved, and is sent next'),
  'refund.sent': refund('sent', 'A refund was sent, or its bank report was taken back'),
  'refund.done': refund('done', 'The bank has reported that a refund was sent'),
  'refund.refused': refund('refused', 'A refund is refused; the balance has its money again'),
  'refund.canceled': refund('canceled', 'A refund is canceled; the balance has its money again'),
  'refund.failed': refund('failed', 'A refund did not reach the payer; the balance has its money again'),
  'endpoint.test': { summary: 'A test of the endpoint', data: Type.Object({ endpointId: Id }) },
}

/** The name of a kind's schema: `PaymentDisputPaidNotification` for `payment.disput-paid`. */
const nameOf = (kind: string): string =>
  `${kind.replace(/(?:^|[.-])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Notification`

/** The member `webhooks` of the OpenAPI document: the notifications that endpoints get, by kind. */
export const describeNotifications = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    notificationKinds.map((kind) => {
      const { summary, data } = descriptions[kind]
      const post = {
        tags: ['notifications'],
        operationId: `receive${nameOf(kind)}`,
        summary,
        description:
          'Sent to the endpoints that receive this kind. Check the signature of the bytes before you read them, answer with 2xx immediately, and ignore a `webhook-id` that you have already processed. Without a 2xx response it is sent again, ten times in 75 hours.',
        security: [],
        parameters: headers.map(([name, description, schema]) => ({
          ...{ in: 'header', name, required: true, description, schema },
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: Type.Titled(nameOf(kind), { type: Type.OneOf([kind]), timestamp: Time, data }),
            },
          },
        },
        responses: {
          '2XX': { description: 'Delivered.' },
          '410': { description: 'The endpoint is disabled.' },
          default: { description: 'Retried later.' },
        },
      }
      return [kind, { post }]
    }),
  )
