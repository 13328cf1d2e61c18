import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { keptSince } from '../../notifications/deliveries/cleaning/clean-deliveries.ts'
import { type Delivery, getDelivery, listDeliveries, mostAttempts } from '../../notifications/deliveries/read.ts'
import { redeliver, redeliverSince } from '../../notifications/deliveries/redeliver.ts'
import { formatInstant } from '../../domain/time.ts'
import type { App } from '../app.ts'
import { NoBody, OneOf, Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { PageQuery, pageSize, SequenceNumber } from '../paging.ts'
import { problems } from '../problems.ts'
import { readBody } from '../read-body.ts'
import { endpointOf } from './endpoints.ts'
import type { Side } from './side.ts'

const refusals = problems(409)
const statuses = ['pending', 'delivered', 'failed'] as const

/** Schema of a place among a merchant's events. */
export const Cursor = SequenceNumber({ examples: ['4711'] })

const DeliveryAnswer = Type.Object({
  eventId: { ...Id, description: 'The `webhook-id`.' },
  type: Type.String({ examples: ['payment.paid'] }),
  paymentId: Type.Optional(Id),
  orderId: Type.Optional(Type.String({ description: "The payment's orderId.", examples: ['order-1001'] })),
  status: OneOf(statuses),
  attempts: Type.Integer(),
  nextAttemptAt: Type.Optional(Time),
  queuedAt: Time,
  finishedAt: Type.Optional(Time),
})

/** What became of an event at an endpoint. */
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

const AttemptAnswer = Type.Object({
  attempt: Type.Integer(),
  at: Time,
  status: Type.Optional(Type.Integer({ description: 'HTTP status of the answer.' })),
  error: Type.Optional(Type.String({ description: 'Why there was no answer.', examples: ['timeout'] })),
  latencyMs: Type.Integer(),
  excerpt: Type.String({ description: "Start of the answer's body." }),
})

const DeliveryLog = Type.Object({
  ...DeliveryAnswer.properties,
  body: Type.String({ description: 'The bytes sent at every attempt.' }),
  log: Type.Array(AttemptAnswer, {
    description: `Its attempts in their order; of more than ${mostAttempts} the newest.`,
  }),
})

/** A delivery with its body and its attempts. */
export type DeliveryLog = Static<typeof DeliveryLog>

const toAnswer = (delivery: Delivery): DeliveryAnswer => ({
  eventId: delivery.eventId,
  type: delivery.kind,
  ...(delivery.paymentId === null ? {} : { paymentId: delivery.paymentId }),
  ...(delivery.orderId === null ? {} : { orderId: delivery.orderId }),
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.status === 'pending' ? { nextAttemptAt: formatInstant(delivery.dueAt) } : {}),
  queuedAt: formatInstant(delivery.queuedAt),
  ...(delivery.finishedAt === null ? {} : { finishedAt: formatInstant(delivery.finishedAt) }),
})

const registerReads = (app: App, context: Context, side: Side): void => {
  app.get(
    `${side.base}/:endpointId/deliveries`,
    {
      config: side.config('notifications:read'),
      schema: {
        ...side.operation('listDeliveries', 'List the deliveries of an endpoint', 'Newest event first.'),
        params: side.params({ endpointId: Id }),
        querystring: Type.Object(
          {
            status: Type.Optional(OneOf(statuses)),
            paymentId: Type.Optional({ ...Id, description: 'Only deliveries about this payment.' }),
            cursor: Type.Optional({ ...Cursor, description: '`nextCursor` of the previous page.' }),
            limit: PageQuery.limit,
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ deliveries: Type.Array(DeliveryAnswer), nextCursor: Type.Optional(Cursor) }),
          ...refusals,
        },
      },
    },
    async (request) => {
      const { status = null, paymentId = null, cursor, limit } = request.query
      const size = pageSize(limit)
      const key = { merchantId: await side.merchantOf(request), endpointId: endpointOf(request.params) }
      const before = cursor === undefined ? null : BigInt(cursor)
      const rows = await listDeliveries(context, key, { status, paymentId, before, limit: size + 1 })
      const page = rows.slice(0, size)
      const last = page.at(-1)
      return {
        deliveries: page.map(toAnswer),
        ...(rows.length > size && last ? { nextCursor: String(last.position) } : {}),
      }
    },
  )

  app.get(
    `${side.base}/:endpointId/deliveries/:eventId`,
    {
      config: side.config('notifications:read'),
      schema: {
        ...side.operation('getDelivery', 'Read a delivery with its body and its attempts'),
        params: side.params({ endpointId: Id, eventId: Id }),
        response: { 200: DeliveryLog, ...refusals },
      },
    },
    async (request) => {
      const { eventId } = request.params as { eventId: string }
      const key = { merchantId: await side.merchantOf(request), endpointId: endpointOf(request.params), eventId }
      const delivery = await getDelivery(context, key)
      return {
        ...toAnswer(delivery),
        body: delivery.body,
        log: delivery.log.map(({ status, error, at, ...attempt }) => ({
          ...attempt,
          at: formatInstant(at),
          ...(status === null ? {} : { status }),
          ...(error === null ? {} : { error }),
        })),
      }
    },
  )
}

const registerRedeliveries = (app: App, context: Context, side: Side): void => {
  app.post(
    `${side.base}/:endpointId/deliveries/:eventId/redeliver`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation('redeliver', 'Send an event again', 'The same bytes under the same `webhook-id`.'),
        params: side.params({ endpointId: Id, eventId: Id }),
        body: NoBody,
        response: { 202: Type.Object({ eventId: Id }), ...refusals },
      },
    },
    async (request, reply) => {
      const { eventId } = request.params as { eventId: string }
      const key = { merchantId: await side.merchantOf(request), endpointId: endpointOf(request.params) }
      const act = { action: 'endpoint.redeliver', subject: `endpoint:${key.endpointId}`, details: { eventId } }
      await side.act(request, act, (tx) => redeliver(tx, key, eventId))
      return reply.code(202).send({ eventId })
    },
  )

  app.post(
    `${side.base}/:endpointId/redeliver`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'redeliverSince',
          'Send all failed events since a time again',
          'Including those that the endpoint missed while it was disabled, as far back as deliveries are kept. At most 10,000 per call, oldest first.',
        ),
        params: side.params({ endpointId: Id }),
        body: Type.Object({ since: Time }, { additionalProperties: false }),
        response: {
          202: Type.Object({
            events: Type.Integer(),
            more: Type.Boolean({ description: 'Whether there are more: call again.' }),
          }),
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      const read = readBody()
      const since = read.instant(request.body.since, 'since')
      read.finish()
      const key = { merchantId: await side.merchantOf(request), endpointId: endpointOf(request.params) }
      const times = { since, keptSince: keptSince(context) }
      const act = {
        action: 'endpoint.redeliver-since',
        subject: `endpoint:${key.endpointId}`,
        details: ({ events }: { events: number }) => ({ since: formatInstant(since), events }),
      }
      return reply.code(202).send(await side.act(request, act, (tx) => redeliverSince(tx, key, times)))
    },
  )
}

/** Operations on what endpoints were sent: list, read with its attempts, redeliver one or all that failed. */
export const registerDeliveries = (app: App, context: Context, side: Side): void => {
  registerReads(app, context, side)
  registerRedeliveries(app, context, side)
}
