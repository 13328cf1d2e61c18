import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { type Endpoint, type EndpointPolicy, secretOverlapMs } from '../../domain/endpoint.ts'
import { createEndpoint, type WithSecret } from '../../notifications/endpoints/create-endpoint.ts'
import { findEndpoint, listEndpoints } from '../../notifications/endpoints/read.ts'
import { removeEndpoint } from '../../notifications/endpoints/remove-endpoint.ts'
import { rotateSecret } from '../../notifications/endpoints/rotate-secret.ts'
import { testEndpoint } from '../../notifications/endpoints/test-endpoint.ts'
import { type EndpointChange, updateEndpoint } from '../../notifications/endpoints/update-endpoint.ts'
import type { App } from '../app.ts'
import { NoBody } from '../fields.ts'
import { Id } from '../ids.ts'
import { problems } from '../problems.ts'
import { EndpointAnswer, endpointFields, EndpointWithSecret, toEndpointAnswer } from './endpoint-answer.ts'
import type { Side } from './side.ts'

const refusals = problems(409)
const own = { endpointId: Id }

/** The endpoint of a request's path. */
export const endpointOf = (params: unknown): string => (params as { endpointId: string }).endpointId

const policyOf = ({ settings, webhooks }: Context): EndpointPolicy => ({
  loopbackAllowed: settings.notificationLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
})

const registerReads = (app: App, context: Context, side: Side): void => {
  app.get(
    side.base,
    {
      config: side.config('notifications:read'),
      schema: {
        ...side.operation('listEndpoints', 'List notification endpoints'),
        params: side.params({}),
        response: { 200: Type.Object({ endpoints: Type.Array(EndpointAnswer) }), ...refusals },
      },
    },
    async (request) => {
      const endpoints = await listEndpoints(context, await side.merchantOf(request))
      return { endpoints: endpoints.map((endpoint) => toEndpointAnswer(endpoint, context.clock())) }
    },
  )

  app.get(
    `${side.base}/:endpointId`,
    {
      config: side.config('notifications:read'),
      schema: {
        ...side.operation('getEndpoint', 'Read a notification endpoint'),
        params: side.params(own),
        response: { 200: EndpointAnswer, ...refusals },
      },
    },
    async (request) => {
      const merchantId = await side.merchantOf(request)
      return toEndpointAnswer(await findEndpoint(context, merchantId, endpointOf(request.params)), context.clock())
    },
  )
}

const answerSecret = ({ endpoint, secret }: WithSecret, context: Context) => ({
  ...toEndpointAnswer(endpoint, context.clock()),
  secret,
})

const registerCreation = (app: App, context: Context, side: Side): void => {
  app.post(
    side.base,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'createEndpoint',
          'Add a notification endpoint',
          'It receives events from now on. The secret is in this answer only.',
        ),
        params: side.params({}),
        body: Type.Object(
          {
            url: endpointFields.url,
            description: Type.Optional(endpointFields.description),
            kinds: Type.Optional(endpointFields.kinds),
          },
          { additionalProperties: false, examples: [{ url: 'https://shop.example.com/payin' }] },
        ),
        response: { 201: EndpointWithSecret, ...refusals },
      },
    },
    async (request, reply) => {
      const merchantId = await side.merchantOf(request)
      const { url, description = '', kinds = [] } = request.body
      const created = await side.act<WithSecret>(
        request,
        {
          action: 'endpoint.create',
          subject: ({ endpoint }) => `endpoint:${endpoint.id}`,
          details: { merchantId, url, description, kinds },
        },
        (tx) => createEndpoint(tx, policyOf(context), merchantId, { url, description, kinds }),
      )
      return reply.code(201).send(answerSecret(created, context))
    },
  )
}

const registerRotation = (app: App, context: Context, side: Side): void => {
  app.post(
    `${side.base}/:endpointId/rotate`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'rotateEndpointSecret',
          'Give an endpoint a new secret',
          'Until `previousSecretUntil` every notification is signed with both secrets, and a further call is refused with 409 `invalid_state`: it would end a secret that the receiver may still use. With `overlapMs` 0 it is accepted, and from then on only the new secret signs.',
        ),
        params: side.params(own),
        body: Type.Union([
          Type.Object(
            {
              overlapMs: Type.Optional(
                Type.Integer({
                  minimum: 0,
                  maximum: secretOverlapMs.longest,
                  description: 'How long the old secret also signs; 0 ends it now. Default: 24 hours.',
                }),
              ),
            },
            { additionalProperties: false },
          ),
          Type.Null(),
        ]),
        response: { 201: EndpointWithSecret, ...refusals },
      },
    },
    async (request, reply) => {
      const merchantId = await side.merchantOf(request)
      const id = endpointOf(request.params)
      const overlapMs = request.body?.overlapMs ?? secretOverlapMs.usual
      const act = { action: 'endpoint.rotate', subject: `endpoint:${id}`, details: { merchantId, overlapMs } }
      const rotated = await side.act(request, act, (tx) => rotateSecret(tx, merchantId, id, overlapMs))
      return reply.code(201).send(answerSecret(rotated, context))
    },
  )
}

const registerUpdate = (app: App, context: Context, side: Side): void => {
  app.patch(
    `${side.base}/:endpointId`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'updateEndpoint',
          'Change, enable or disable an endpoint',
          'Once enabled again, it receives what was still pending and new events. What it missed can be redelivered.',
        ),
        params: side.params(own),
        body: Type.Object(
          {
            url: Type.Optional(endpointFields.url),
            description: Type.Optional(endpointFields.description),
            kinds: Type.Optional(endpointFields.kinds),
            enabled: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 200: EndpointAnswer, ...refusals },
      },
    },
    async (request) => {
      const merchantId = await side.merchantOf(request)
      const id = endpointOf(request.params)
      const change: EndpointChange = { ...request.body, by: side.by }
      const act = {
        action: 'endpoint.update',
        subject: `endpoint:${id}`,
        details: (changed: { before: Endpoint; after: Endpoint }) => changed,
      }
      const { after } = await side.act(request, act, (tx) =>
        updateEndpoint(tx, policyOf(context), { merchantId, id }, change),
      )
      return toEndpointAnswer(after, context.clock())
    },
  )
}

const registerRemoval = (app: App, side: Side): void => {
  app.delete(
    `${side.base}/:endpointId`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'removeEndpoint',
          'Remove an endpoint for good',
          'An endpoint that an operator has disabled (`disabledReason` `operator`) can be removed by an operator only: 409 `invalid_state`.',
        ),
        params: side.params(own),
        response: { 200: Type.Object({ id: Id }), ...refusals },
      },
    },
    async (request) => {
      const merchantId = await side.merchantOf(request)
      const id = endpointOf(request.params)
      const act = { action: 'endpoint.remove', subject: `endpoint:${id}`, details: { merchantId } }
      await side.act(request, act, (tx) => removeEndpoint(tx, merchantId, id, side.by))
      return { id }
    },
  )
}

const registerTest = (app: App, side: Side): void => {
  app.post(
    `${side.base}/:endpointId/test`,
    {
      config: side.config('notifications:write'),
      schema: {
        ...side.operation(
          'testEndpoint',
          'Send an endpoint a test',
          'An `endpoint.test` is delivered like any other notification; its result is in the deliveries.',
        ),
        params: side.params(own),
        body: NoBody,
        response: { 202: Type.Object({ eventId: Id }), ...refusals },
      },
    },
    async (request, reply) => {
      const merchantId = await side.merchantOf(request)
      const id = endpointOf(request.params)
      const act = { action: 'endpoint.test', subject: `endpoint:${id}`, details: { merchantId } }
      const eventId = await side.act(request, act, (tx) => testEndpoint(tx, merchantId, id))
      return reply.code(202).send({ eventId })
    },
  )
}

/** Operations on endpoints: list, read, add, change, remove, rotate the secret, send a test. */
export const registerEndpoints = (app: App, context: Context, side: Side): void => {
  registerReads(app, context, side)
  registerCreation(app, context, side)
  registerRotation(app, context, side)
  registerUpdate(app, context, side)
  registerRemoval(app, side)
  registerTest(app, side)
}
