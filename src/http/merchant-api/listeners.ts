import { type Static, Type } from '../../operations/schema.ts'
import { createListener, mostTaken, type TakenResult, takeDeliveries } from '../../engine/notifications/listeners.ts'
import type { Tx } from '../../engine/context.ts'
import { actAsMerchant } from '../access/act-on-behalf.ts'
import { Id, OptionalBody, Time } from '../../operations/fields.ts'
import { endpointFields } from '../../operations/endpoints.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForMerchants } from '../routes/routes.ts'

const errors = ['connection_failed', 'timeout', 'failed'] as const
const longestExcerpt = 500

const attempt = {
  eventId: { ...Id, description: 'The `webhook-id`.' },
  attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt to make.' }),
  queuedAt: { ...Time, description: 'When it was queued, or queued again.' },
}

const Result = Type.Object(
  {
    ...attempt,
    'status?': Type.Integer({ minimum: 100, maximum: 599, description: 'HTTP status of the response.' }),
    'error?': Type.OneOf(errors, 'Why there was no response.'),
    'retryAfter?': Type.String({ maxLength: 100, description: 'The header `Retry-After` of the response.' }),
    latencyMs: Type.Integer({ minimum: 0, maximum: 3_600_000 }),
    'excerpt?': Type.String({ maxLength: longestExcerpt, description: "Start of the response's body." }),
  },
  { title: 'DeliveryResult', additionalProperties: false },
)

const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

const toResult = (given: Static<typeof Result>): TakenResult => ({
  eventId: given.eventId,
  attempts: given.attempt - 1,
  queuedAt: readBody((read) => read.instant(given.queuedAt, 'queuedAt')),
  outcome: {
    httpStatus: given.status ?? null,
    error: given.status === undefined ? (given.error ?? 'failed') : null,
    retryAfter: given.retryAfter ?? null,
    latencyMs: given.latencyMs,
    excerpt: printable(given.excerpt ?? ''),
  },
})

/** Endpoints without an address, for programs that cannot be called, such as `payin listen`. */
export const listenerRoutes = routesForMerchants('notifications')

listenerRoutes.post('/listeners', 'notifications:write', {
  id: 'createListener',
  summary: 'Add a listener',
  description:
    'A listener is an endpoint without an address, such as a program on a developer’s machine, which fetches its deliveries. It is removed two minutes after the last fetch. The service has no secret for it: the program that fetches a notification signs it.',
  body: OptionalBody({
    'description?': endpointFields.description,
    'kinds?': endpointFields.kinds,
  }),
  status: 201,
  answer: { id: Id, listeningUntil: Time },
  refusals: ['invalid_state'],
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const { description = '', kinds = [] } = request.body ?? {}
    const create = (tx: Tx) => createListener(tx, merchantId, { description, kinds })
    const { id, until } = await actAsMerchant(context, request, create, {
      action: 'endpoint.listen',
      subject: (listener) => `endpoint:${listener.id}`,
      details: { merchantId, description, kinds },
    })
    return { id, listeningUntil: until }
  },
})

listenerRoutes.post('/listeners/:endpointId/deliveries', 'notifications:write', {
  id: 'takeDeliveries',
  summary: 'Take the due deliveries of a listener',
  description: `Also reports the results of the deliveries taken before, as if the service had sent them: those without a 2xx response are due again on the usual schedule, redelivered ones immediately. Returns at most ${mostTaken}, and only the first of each payment; a delivery without a result is returned again.`,
  body: OptionalBody({
    'results?': Type.Array(Result, { maxItems: mostTaken }),
    'wait?': Type.Integer({ minimum: 0, maximum: 60, description: 'Seconds to wait until a delivery is due.' }),
  }),
  answer: {
    deliveries: Type.Array(
      Type.Object({ ...attempt, body: Type.Text('The bytes to send at every attempt.', '{"type":"payment.paid"}') }),
    ),
    listeningUntil: Time,
  },
  handle: async (context, request, reply) => {
    const { results = [], wait = 0 } = request.body ?? {}
    const key = { merchantId: request.caller.merchantId, endpointId: request.params.endpointId }
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const taken = await takeDeliveries(context, key, {
      results: results.map(toResult),
      waitMs: wait * 1000,
      signal: gone.signal,
    })
    return {
      deliveries: taken.deliveries.map((each) => ({ ...each, attempt: each.attempts + 1 })),
      listeningUntil: taken.until,
    }
  },
})
