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
import { endpoints } from '../../operations/endpoints.ts'
import { toEndpointAnswer } from './endpoint-answer.ts'
import { bindSides } from './side.ts'

const policyOf = ({ settings, webhooks }: Context): EndpointPolicy => ({
  loopbackAllowed: settings.notificationLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
})

const answerSecret = ({ endpoint, secret }: WithSecret, context: Context) => ({
  ...toEndpointAnswer(endpoint, context.clock()),
  secret,
})

export const endpointRoutes = bindSides(endpoints.operations, {
  list: async (side, request) => {
    const listed = await listEndpoints(side.context, await side.merchantOf(request))
    return { endpoints: listed.map((endpoint) => toEndpointAnswer(endpoint, side.context.clock())) }
  },
  get: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    return toEndpointAnswer(
      await findEndpoint(side.context, merchantId, request.params.endpointId),
      side.context.clock(),
    )
  },
  add: async (side, request) => {
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
  rotate: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const overlapMs = request.body?.overlapMs ?? secretOverlapMs.usual
    const act = { action: 'endpoint.rotate', subject: `endpoint:${id}`, details: { merchantId, overlapMs } }
    const rotated = await side.act(request, (tx) => rotateSecret(tx, merchantId, id, overlapMs), act)
    return answerSecret(rotated, side.context)
  },
  update: async (side, request) => {
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
  remove: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const act = { action: 'endpoint.remove', subject: `endpoint:${id}`, details: { merchantId } }
    await side.act(request, (tx) => removeEndpoint(tx, merchantId, id, side.by), act)
    return { id }
  },
  test: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.endpointId
    const act = { action: 'endpoint.test', subject: `endpoint:${id}`, details: { merchantId } }
    const eventId = await side.act(request, (tx) => testEndpoint(tx, merchantId, id), act)
    return { eventId }
  },
})
