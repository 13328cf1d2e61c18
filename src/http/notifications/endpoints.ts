import { Type } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { type EndpointPolicy, secretOverlapMs } from '../../rules/notices/endpoint.ts'
import {
  createEndpoint,
  type EndpointChange,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
  type WithSecret,
} from '../../engine/notifications/endpoints/endpoints.ts'
import { findEndpoint, listEndpoints } from '../../engine/notifications/endpoints/read.ts'
import { Id, NoBody, OptionalBody } from '../../operations/fields.ts'
import { EndpointAnswer, endpointFields, EndpointWithSecret, toEndpointAnswer } from './endpoint-answer.ts'
import { routesOfSides } from './side.ts'

const own = { endpointId: Id }

const policyOf = ({ settings, webhooks }: Context): EndpointPolicy => ({
  loopbackAllowed: settings.notificationLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
})

const answerSecret = ({ endpoint, secret }: WithSecret, context: Context) => ({
  ...toEndpointAnswer(endpoint, context.clock()),
  secret,
})

export const endpointRoutes = routesOfSides()

endpointRoutes.get('/endpoints', ['notifications:read', 'read'], {
  id: 'listEndpoints',
  summary: 'List notification endpoints',
  description: 'All endpoints of the merchant, with their state.',
  answer: { endpoints: Type.Array(EndpointAnswer) },
  exports: 'endpoints',
  handle: async (side, request) => {
    const endpoints = await listEndpoints(side.context, await side.merchantOf(request))
    return { endpoints: endpoints.map((endpoint) => toEndpointAnswer(endpoint, side.context.clock())) }
  },
})

endpointRoutes.get('/endpoints/:endpointId', ['notifications:read', 'read'], {
  id: 'getEndpoint',
  summary: 'Read a notification endpoint',
  description: 'With its state: since when it is failing, and why it was disabled.',
  params: own,
  answer: EndpointAnswer,
  refusals: ['resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    return toEndpointAnswer(
      await findEndpoint(side.context, merchantId, request.params.endpointId),
      side.context.clock(),
    )
  },
})

endpointRoutes.post('/endpoints', ['notifications:write', 'configure'], {
  id: 'createEndpoint',
  summary: 'Add a notification endpoint',
  description: 'It receives events from now on. The secret is in this response only.',
  body: Type.Exact(
    {
      url: endpointFields.url,
      description: Type.Optional(endpointFields.description),
      kinds: Type.Optional(endpointFields.kinds),
    },
    {
      title: 'NewEndpoint',
      examples: [{ url: 'https://shop.example.com/payin', kinds: ['payment.paid', 'payment.disput-paid'] }],
    },
  ),
  status: 201,
  answer: EndpointWithSecret,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const { url, description = '', kinds = [] } = request.body
    const create = (tx: Tx) => createEndpoint(tx, policyOf(side.context), merchantId, { url, description, kinds })
    const created = await side.act(request, create, {
      action: 'endpoint.create',
      subject: ({ endpoint }) => `endpoint:${endpoint.id}`,
      details: { merchantId, url, description, kinds },
    })
    return answerSecret(created, side.context)
  },
})

endpointRoutes.post('/endpoints/:endpointId/rotate', ['notifications:write', 'configure'], {
  id: 'rotateEndpointSecret',
  summary: 'Give an endpoint a new secret',
  description:
    'Until `previousSecretUntil` every notification is signed with both secrets, and another call is refused with 409 `invalid_state`, because it would end a secret that the receiver may still use. A call with `overlapMs` 0 is accepted; from then on only the new secret signs.',
  params: own,
  body: OptionalBody({
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: secretOverlapMs.longest,
        description: 'How long the old secret also signs; 0 ends it now. Default: 24 hours.',
      }),
    ),
  }),
  status: 201,
  answer: EndpointWithSecret,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const overlapMs = request.body?.overlapMs ?? secretOverlapMs.usual
    const act = { action: 'endpoint.rotate', subject: `endpoint:${id}`, details: { merchantId, overlapMs } }
    const rotated = await side.act(request, (tx) => rotateSecret(tx, merchantId, id, overlapMs), act)
    return answerSecret(rotated, side.context)
  },
})

endpointRoutes.patch('/endpoints/:endpointId', ['notifications:write', 'configure'], {
  id: 'updateEndpoint',
  summary: 'Change, enable or disable an endpoint',
  description:
    'Once enabled again, it receives what is still pending and new events. What it missed can be redelivered.',
  params: own,
  body: Type.Exact(
    {
      url: Type.Optional(endpointFields.url),
      description: Type.Optional(endpointFields.description),
      kinds: Type.Optional(endpointFields.kinds),
      enabled: Type.Optional(Type.Boolean()),
    },
    { title: 'EndpointChange', minProperties: 1, examples: [{ enabled: true }] },
  ),
  answer: EndpointAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const change: EndpointChange = { ...request.body, by: side.by }
    const update = (tx: Tx) => updateEndpoint(tx, policyOf(side.context), { merchantId, id }, change)
    const { after } = await side.act(request, update, {
      action: 'endpoint.update',
      subject: `endpoint:${id}`,
      details: (changed) => changed,
    })
    return toEndpointAnswer(after, side.context.clock())
  },
})

endpointRoutes.delete('/endpoints/:endpointId', ['notifications:write', 'configure'], {
  id: 'removeEndpoint',
  summary: 'Remove an endpoint for good',
  description:
    'Only an operator can remove an endpoint that an operator has disabled (`disabledReason` `operator`); others get 409 `invalid_state`.',
  params: own,
  answer: { id: Id },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const act = { action: 'endpoint.remove', subject: `endpoint:${id}`, details: { merchantId } }
    await side.act(request, (tx) => removeEndpoint(tx, merchantId, id, side.by), act)
    return { id }
  },
})

endpointRoutes.post('/endpoints/:endpointId/test', ['notifications:write', 'support'], {
  id: 'testEndpoint',
  summary: 'Send an endpoint a test',
  description: 'An `endpoint.test` is delivered like any other notification; its result is in the deliveries.',
  params: own,
  body: NoBody,
  status: 202,
  answer: { eventId: Id },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const act = { action: 'endpoint.test', subject: `endpoint:${id}`, details: { merchantId } }
    const eventId = await side.act(request, (tx) => testEndpoint(tx, merchantId, id), act)
    return { eventId }
  },
})
