import { type Static, Type } from '../../operations/schema.ts'
import { keptSince } from '../../engine/notifications/deliveries/cleaning/clean-deliveries.ts'
import { type Delivery, getDelivery, listDeliveries, mostAttempts } from '../../engine/notifications/deliveries/read.ts'
import { redeliver, redeliverSince } from '../../engine/notifications/deliveries/redeliver.ts'
import { deliveryStatuses } from '../../rules/notices/delivery.ts'
import { Id, NoBody, Time, wire } from '../../operations/fields.ts'
import { pageSize } from '../lists.ts'
import { PageQuery, SequenceNumber } from '../../operations/lists.ts'
import { readBody } from '../read-body.ts'
import { routesOfSides } from './side.ts'

/** Schema of an event's position in its merchant's feed. */
export const FeedCursor = SequenceNumber({ examples: ['4711'] })

/** Schema of a delivery, without its body and attempts. */
export const DeliveryAnswer = Type.Titled('Delivery', {
  eventId: { ...Id, description: 'The `webhook-id`.' },
  type: Type.String({ examples: ['payment.paid'] }),
  paymentId: Type.Optional(Id),
  orderId: Type.Optional(Type.Text("The payment's orderId.", 'order-1001')),
  status: Type.OneOf(deliveryStatuses, { examples: ['delivered'] }),
  attempts: Type.Integer(),
  nextAttemptAt: Type.Optional(Time),
  queuedAt: Time,
  finishedAt: Type.Optional(Time),
})

/** The delivery of an event to an endpoint. */
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

const AttemptAnswer = Type.Titled('DeliveryAttempt', {
  attempt: Type.Integer(),
  at: Time,
  status: Type.Optional(Type.Whole('HTTP status of the response.', 200)),
  error: Type.Optional(Type.Text('Why there was no response.', 'timeout')),
  latencyMs: Type.Integer({ examples: [84] }),
  excerpt: Type.Text("Start of the response's body.", 'ok'),
})

const DeliveryLog = Type.Titled('DeliveryLog', {
  ...DeliveryAnswer.properties,
  body: Type.Text(
    'The bytes sent at every attempt.',
    '{"type":"payment.paid","timestamp":"2026-01-31T12:34:56.000Z","data":{"orderId":"order-1001","status":"paid"}}',
  ),
  log: Type.Array(AttemptAnswer, {
    description: `Its attempts in order; if there are more than ${mostAttempts}, the newest.`,
  }),
})

/** A delivery with its body and its attempts. */
export type DeliveryLog = Static<typeof DeliveryLog>

/** The wire form of a delivery. */
export const toDeliveryAnswer = (delivery: Delivery): DeliveryAnswer =>
  wire.fields({
    ...delivery,
    type: delivery.kind,
    nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt : null,
  })

/** The deliveries of a merchant's endpoints, to read and to send again. */
export const deliveryRoutes = routesOfSides()

deliveryRoutes.get('/endpoints/:endpointId/deliveries', ['notifications:read', 'read'], {
  id: 'listDeliveries',
  summary: 'List the deliveries of an endpoint',
  description: 'Newest event first.',
  params: { endpointId: Id },
  query: {
    status: Type.Optional(Type.OneOf(deliveryStatuses, 'Only deliveries with this status.')),
    paymentId: Type.Optional(Id, 'Only deliveries about this payment.'),
    cursor: Type.Optional(FeedCursor, '`nextCursor` of the previous page.'),
    limit: PageQuery.limit,
  },
  answer: { deliveries: Type.Array(DeliveryAnswer), nextCursor: Type.Optional(FeedCursor) },
  exports: 'deliveries',
  refusals: ['resource_not_found'],
  handle: async (side, request) => {
    const { status = null, paymentId = null, cursor, limit } = request.query
    const size = pageSize(limit)
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const before = cursor === undefined ? null : BigInt(cursor)
    const rows = await listDeliveries(side.context, key, { status, paymentId, before, limit: size + 1 })
    const page = rows.slice(0, size)
    const last = page.at(-1)
    return {
      deliveries: page.map(toDeliveryAnswer),
      ...(rows.length > size && last ? { nextCursor: String(last.position) } : {}),
    }
  },
})

deliveryRoutes.get('/endpoints/:endpointId/deliveries/:eventId', ['notifications:read', 'read'], {
  id: 'getDelivery',
  summary: 'Read a delivery with its body and its attempts',
  description: 'The exact bytes sent, and the response to each attempt.',
  params: { endpointId: Id, eventId: Id },
  answer: DeliveryLog,
  refusals: ['resource_not_found'],
  handle: async (side, request) => {
    const { eventId } = request.params
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId, eventId }
    const delivery = await getDelivery(side.context, key)
    return {
      ...toDeliveryAnswer(delivery),
      body: delivery.body,
      log: delivery.log.map(({ httpStatus, error, at, ...attempt }) =>
        wire.fields({ ...attempt, at: wire.time(at), status: httpStatus, error }),
      ),
    }
  },
})

deliveryRoutes.post('/endpoints/:endpointId/deliveries/:eventId/redeliver', ['notifications:write', 'support'], {
  id: 'redeliver',
  summary: 'Send an event again',
  description: 'The same bytes under the same `webhook-id`.',
  params: { endpointId: Id, eventId: Id },
  body: NoBody,
  status: 202,
  answer: { eventId: Id },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const { eventId } = request.params
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const act = { action: 'endpoint.redeliver', subject: `endpoint:${key.endpointId}`, details: { eventId } }
    await side.act(request, (tx) => redeliver(tx, key, eventId), act)
    return { eventId }
  },
})

deliveryRoutes.post('/endpoints/:endpointId/redeliver', ['notifications:write', 'support'], {
  id: 'redeliverSince',
  summary: 'Send all failed events since a time again',
  description:
    'This includes events that the endpoint missed while it was disabled, as far back as deliveries are kept. At most 10,000 per call, oldest first.',
  params: { endpointId: Id },
  body: { since: Time },
  status: 202,
  answer: {
    events: Type.Integer({ description: 'How many will be sent again.', examples: [3] }),
    more: Type.Boolean({ description: 'Whether there are more: call again.', examples: [false] }),
  },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const since = readBody((read) => read.instant(request.body.since, 'since'))
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const times = { since, keptSince: keptSince(side.context) }
    return await side.act(request, (tx) => redeliverSince(tx, key, times), {
      action: 'endpoint.redeliver-since',
      subject: `endpoint:${key.endpointId}`,
      details: ({ events }) => ({ since: wire.time(since), events }),
    })
  },
})
