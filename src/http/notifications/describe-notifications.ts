import { type TProperties, Type } from 'typebox'
import { quoteCurrency } from '../../domain/currency.ts'
import { type NotificationKind, notificationKinds } from '../../domain/notification.ts'
import type { PaymentStatus } from '../../domain/payment.ts'
import { OneOf, Time } from '../fields.ts'
import { Id, OrderId } from '../ids.ts'

const headers = [
  ['webhook-id', 'Id of the event, the same at every try: what was seen already is ignored.', Id],
  [
    'webhook-timestamp',
    'When this try began, in seconds since 1970; it is signed.',
    { type: 'string', pattern: '^\\d+$' },
  ],
  [
    'webhook-signature',
    '`v1,` and the Base64 of HMAC-SHA-256 over `{webhook-id}.{webhook-timestamp}.{body}`; two of them with a space in between while a secret is replaced.',
    { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  ],
  ['traceparent', 'Trace context (W3C), one trace for all tries of an event.', { type: 'string' }],
] as const

const amount = Type.Number({ description: 'Exact amount in `currency`.', examples: [5000] })
const sequence = (description: string) => Type.Integer({ minimum: 1, description })

/** What is told of a payment that has one of these statuses. */
const paymentData = (statuses: readonly PaymentStatus[], more: TProperties = {}) =>
  Type.Object({
    id: Id,
    orderId: OrderId,
    sequence: sequence('Rises with every change of the status: what is below the one you know is old.'),
    status: OneOf(statuses),
    statusReason: Type.String({ description: 'Why it has this status.', examples: ['exact'] }),
    amount,
    ...(statuses.includes('disput-paid')
      ? { finalAmount: statuses.length === 1 ? amount : Type.Optional({ ...amount, description: 'Of `disput-paid`.' }) }
      : {}),
    currency: Type.String({ examples: ['rub'] }),
    ...more,
  })

const credited = ['paid', 'disput-paid'] as const

const settlementData = Type.Object({
  id: Id,
  reference: Type.String({ description: "The operator's own name of it." }),
  sequence: sequence('Number of its last change.'),
  status: OneOf(['paid']),
  amount,
  currency: OneOf([quoteCurrency]),
  destination: Type.String(),
  externalReference: Type.Union([Type.String(), Type.Null()], {
    description: 'What names the payout where it was made.',
  }),
})

type Told = { readonly summary: string; readonly data: object }

const status = (of: PaymentStatus, summary: string): Told => ({ summary, data: paymentData([of]) })

const told: Readonly<Record<NotificationKind, Told>> = {
  'payment.processing': status('processing', 'A payment has begun to be paid, or is said to be'),
  'payment.paid': status('paid', 'A payment is paid'),
  'payment.disput': status('disput', 'A payment is looked into'),
  'payment.disput-paid': status('disput-paid', 'A payment is credited with another amount, or after a dispute'),
  'payment.expired': status('expired', 'The time of a payment is over'),
  'payment.canceled': status('canceled', 'A payment is canceled'),
  'payment.failed': status('failed', 'A payment has failed'),
  'payment.ack-overdue': {
    summary: 'A credit is not acknowledged yet',
    data: paymentData(credited, { creditedAt: Time }),
  },
  'payment.reversed': {
    summary: 'A bank took credited money back',
    data: paymentData(credited, {
      reversedAmount: Type.Number({ description: 'What was taken back, in `currency`.' }),
      balanceChange: Type.Object({
        currency: OneOf([quoteCurrency]),
        amount: Type.Number({ description: 'Not above 0.' }),
      }),
    }),
  },
  'settlement.paid': { summary: 'Money was paid out to the merchant', data: settlementData },
  'endpoint.test': { summary: 'The test that was asked for', data: Type.Object({ endpointId: Id }) },
}

/** The member `webhooks` of the OpenAPI document: what endpoints are sent, by its kind. */
export const describeNotifications = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    notificationKinds.map((kind) => {
      const { summary, data } = told[kind]
      const post = {
        tags: ['notifications'],
        summary,
        description: 'Sent to the endpoints that hear of this kind; see the guide to notifications.',
        security: [],
        parameters: headers.map(([name, description, schema]) => ({
          ...{ in: 'header', name, required: true, description, schema },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: Type.Object({ type: OneOf([kind]), timestamp: Time, data }) } },
        },
        responses: {
          '2XX': { description: 'It is delivered.' },
          '410': { description: 'The endpoint is disabled.' },
          default: { description: 'It is tried again later.' },
        },
      }
      return [kind, { post }]
    }),
  )
