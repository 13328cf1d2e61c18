import { type Static } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import type { Endpoint } from '../../engine/notifications/endpoints/read.ts'
import { orRefusal, Refusal, refuseField } from '../../rules/refusal.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { keptSince } from '../../engine/notifications/deliveries/clean-deliveries.ts'
import {
  type ChosenEvents,
  listChosen,
  mostEvents,
  redeliverChosen,
} from '../../engine/notifications/deliveries/redeliver.ts'
import { listEndpoints, listTroubledEndpoints } from '../../engine/notifications/endpoints/read.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { readBody } from '../routes/read-body.ts'
import { redelivery, type Redelivered, type RedeliveryBody } from '../../operations/redelivery.ts'
import { troubledEndpoints } from '../../operations/endpoints.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { toEndpointAnswer } from '../notifications/endpoint-answer.ts'

const readEvents = (body: Static<typeof RedeliveryBody>): ChosenEvents => {
  const { paymentIds = null, kinds = null, delivered = false } = body
  if (paymentIds === null && body.since === undefined) throw refuseField('since', 'is needed without payments.')
  const times = readBody((read) => ({
    since: body.since === undefined ? null : read.instant(body.since, 'since'),
    until: body.until === undefined ? null : read.instant(body.until, 'until'),
  }))
  return { paymentIds, kinds, delivered, ...times }
}

type Sent = Pick<Redelivered, 'state' | 'events' | 'more'>

const redeliverTo = async (
  context: Context,
  request: FastifyRequest<{ Body: Static<typeof RedeliveryBody> }>,
  { merchantId, id: endpointId }: Endpoint,
  events: ChosenEvents,
): Promise<Sent> => {
  const key = { merchantId, endpointId }
  const positions = await listChosen(context, key, events, keptSince(context))
  const more = positions.length === mostEvents
  if (request.body.preview) return { state: 'possible', events: positions.length, more }
  if (positions.length === 0) return { state: 'done', events: 0, more }
  const sent = await actOnBehalf(context, request, (tx) => redeliverChosen(tx, key, positions, events.delivered), {
    action: 'endpoint.redeliver-events',
    subject: `endpoint:${endpointId}`,
    details: (count) => ({ ...request.body, events: count }),
  })
  return { state: 'done', events: sent, more }
}

/** Redelivery to all endpoints of a merchant. */
export const redeliverEventsRoute = bindOperations(redelivery, {
  'redeliver-events': async (context, request) => {
    const { merchant } = await getProfile(context, request.params.merchantId)
    const events = readEvents(request.body)
    const endpoints: Redelivered[] = []
    for (const endpoint of await listEndpoints(context, merchant.id)) {
      const named = { endpointId: endpoint.id, url: endpoint.url }
      const sent = await orRefusal(['invalid_state'], () => redeliverTo(context, request, endpoint, events))
      const none = { state: 'refused', events: 0, more: false } as const
      endpoints.push({ ...named, ...(sent instanceof Refusal ? { ...none, message: sent.message } : sent) })
    }
    return { endpoints }
  },
})

export const troubledEndpointRoute = bindOperations(troubledEndpoints, {
  troubled: async (context) => ({
    endpoints: (await listTroubledEndpoints(context)).map((endpoint) => toEndpointAnswer(endpoint, context.clock())),
  }),
})
