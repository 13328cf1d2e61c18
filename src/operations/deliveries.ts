import { deliveryStatuses, mostAttempts } from '../rules/notices/delivery.ts'
import { Id, Time, idOf } from './fields.ts'
import { PageQuery, SequenceNumber } from './lists.ts'
import { operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

export const FeedCursor = SequenceNumber({ examples: ['4711'] })

export const DeliveryStatus = Type.OneOf(deliveryStatuses, {
  examples: ['delivered'],
  tones: { pending: 'live', delivered: 'good', failed: 'bad' },
})

export const DeliveryAnswer = Type.Titled('Delivery', {
  eventId: { ...Id, description: 'The `webhook-id`.' },
  type: Type.String({ examples: ['payment.paid'], kind: 'word', heading: 'Kind' }),
  'paymentId?': Id,
  'orderId?': Type.Text("The payment's orderId.", 'order-1001'),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  'nextAttemptAt?': Time,
  queuedAt: Time,
  'finishedAt?': Time,
})
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

const AttemptAnswer = Type.Titled('DeliveryAttempt', {
  attempt: Type.Integer({ heading: 'Try' }),
  at: Time,
  'status?': Type.Whole('HTTP status of the response.', 200),
  'error?': Type.Text('Why there was no response.', 'timeout'),
  latencyMs: Type.Integer({ examples: [84], heading: 'Ms' }),
  excerpt: Type.Text("Start of the response's body.", 'ok'),
})

export const DeliveryLog = Type.Titled('DeliveryLog', {
  ...DeliveryAnswer.properties,
  body: Type.Text(
    'The bytes sent at every attempt.',
    '{"type":"payment.paid","timestamp":"2026-01-31T12:34:56.000Z","data":{"orderId":"order-1001","status":"paid"}}',
  ),
  log: Type.Array(AttemptAnswer, {
    description: `Its attempts in order; if there are more than ${mostAttempts}, the newest.`,
  }),
})
export type DeliveryLog = Static<typeof DeliveryLog>

export const deliveries = {
  deliveries: operation('GET /merchants/{merchantId}/endpoints/{endpointId}/deliveries', 'read', {
    scope: 'notifications:read',
    id: 'listDeliveries',
    summary: 'List the deliveries of an endpoint',
    description: 'Newest event first.',
    query: {
      'status?': Type.OneOf(deliveryStatuses, 'Only deliveries with this status.'),
      'paymentId?': presented(idOf('payment'), 'Only deliveries about this payment.'),
      'cursor?': presented(FeedCursor, 'Where the page starts, as the previous one says (`nextCursor`).'),
      'limit?': PageQuery['limit?'],
    },
    answer: { deliveries: Type.Array(DeliveryAnswer), 'nextCursor?': FeedCursor },
    command: {
      columns: [
        ...(['orderId', 'type', 'status', 'eventId', 'attempts', 'queuedAt', 'finishedAt'] as const),
        ...(['nextAttemptAt', 'paymentId'] as const),
      ],
      empty: 'No such deliveries. Send a test: payin endpoints test <endpoint>',
    },
  }),
  delivery: operation('GET /merchants/{merchantId}/endpoints/{endpointId}/deliveries/{eventId}', 'read', {
    scope: 'notifications:read',
    id: 'getDelivery',
    summary: 'Read a delivery with its body and its attempts',
    description: 'The exact bytes sent, and the response to each attempt.',
    answer: DeliveryLog,
  }),
  redeliver: operation(
    'POST /merchants/{merchantId}/endpoints/{endpointId}/deliveries/{eventId}/redeliver',
    'support',
    {
      scope: 'notifications:write',
      id: 'redeliver',
      summary: 'Send an event again',
      description: 'The same bytes under the same `webhook-id`.',
      status: 202,
      answer: { eventId: Id },
      refusals: ['invalid_state'],
      command: { says: 'The event is sent again.' },
    },
  ),
  redeliverSince: operation('POST /merchants/{merchantId}/endpoints/{endpointId}/redeliver', 'support', {
    scope: 'notifications:write',
    id: 'redeliverSince',
    summary: 'Send all failed events since a time again',
    description:
      'This includes events that the endpoint missed while it was disabled, as far back as deliveries are kept. At most 10,000 per call, oldest first.',
    body: { since: Time },
    status: 202,
    answer: {
      events: Type.Whole('How many will be sent again.', 3),
      more: Type.Boolean({ description: 'Whether there are more: call again.', examples: [false] }),
    },
    refusals: ['invalid_state'],
    command: null,
  }),
}
