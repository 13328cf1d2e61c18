import { disabledReasons, maxUrlLength, secretOverlapMs } from '../rules/notices/endpoint.ts'
import { notificationKinds } from '../rules/notices/notification.ts'
import { Id, OptionalBody, Time, ofMerchant } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, type Static, presented, Type } from './schema.ts'

/** Fields of an endpoint that can be set. */
export const endpointFields = {
  url: Type.String({
    minLength: 1,
    maxLength: maxUrlLength,
    description: `Where notifications are posted, https only; at most ${maxUrlLength} characters once percent-encoded.`,
    examples: ['https://shop.example.com/payin'],
    heading: 'Address',
  }),
  description: Type.Pattern('must be printable characters.', {
    maxLength: 200,
    pattern: '^[^\\p{C}]*$',
    description: 'What it is.',
    examples: ['shop server'],
  }),
  kinds: Type.Array(Type.OneOf(notificationKinds, { title: 'NotificationKind', examples: ['payment.paid'] }), {
    uniqueItems: true,
    description: 'Kinds of events that the endpoint receives; empty for all.',
    examples: [['payment.paid', 'payment.disput-paid']],
    absent: 'all',
  }),
}

export const EndpointAnswer = Type.Titled('Endpoint', {
  id: Id,
  merchantId: Id,
  ...endpointFields,
  enabled: Type.Boolean(),
  'disabledReason?': Type.OneOf(
    disabledReasons,
    '`gone`: it answered 410. `failing`: every attempt has failed for five days.',
  ),
  'disabledAt?': Time,
  'failingSince?': presented(Time, 'Since when every attempt has failed.'),
  'previousSecretUntil?': presented(Time, {
    description: 'Until when notifications are also signed with the previous secret.',
    heading: 'Old secret until',
  }),
  'listeningUntil?': presented(
    Time,
    'For a listener, which has no address: when it is removed, unless it takes deliveries before then.',
  ),
  createdAt: Time,
})
export type EndpointAnswer = Static<typeof EndpointAnswer>

export const EndpointWithSecret = Type.Titled('EndpointWithSecret', {
  ...EndpointAnswer.properties,
  secret: Type.Text('Signs notifications. Shown only here.', 'whsec_cGF5aW4tZXhhbXBsZS1zZWNyZXQtMzItYnl0ZXM='),
})
export type EndpointWithSecret = Static<typeof EndpointWithSecret>

const TroubledEndpoint = Type.Object({ ...EndpointAnswer.properties, ...ofMerchant })
export type TroubledEndpoint = Static<typeof TroubledEndpoint>

const State = {
  heading: 'State',
  show: ({ enabled, disabledReason, failingSince, listeningUntil }: EndpointAnswer, { time }: Forms) => {
    if (!enabled) return `disabled (${disabledReason})`
    if (listeningUntil !== undefined) return 'listening'
    return failingSince === undefined ? 'enabled' : `failing since ${time(failingSince)}`
  },
}

const options = { url: '--address' }

const keepSecret = 'Give the secret to the merchant now: it is not shown again.'

export const endpoints = {
  about: 'Where merchants receive notifications.',
  examples: [
    'payin endpoints add "Demo Shop" https://shop.example.com/payin --kinds payment.paid,payment.disput-paid',
    'payin endpoints deliveries shop.example.com --status failed',
    'payin endpoints redeliver shop.example.com order-42',
    'payin endpoints redeliver-events "Demo Shop" --payment order-42 --payment order-43 --preview',
    'payin endpoints redeliver-events "Demo Shop" --kinds payment.paid --since 2h',
    'payin endpoints troubled',
  ],
  operations: {
    list: operation('GET /merchants/{merchantId}/endpoints', 'read', {
      scope: 'notifications:read',
      id: 'listEndpoints',
      summary: 'List notification endpoints',
      description: 'All endpoints of the merchant, with their state.',
      answer: { endpoints: Type.Array(EndpointAnswer) },
      exports: 'endpoints',
      command: {
        columns: ['url', State, 'kinds', 'description', 'id'],
        empty: 'No endpoints yet. Add one: payin endpoints add <merchant> https://…',
      },
    }),
    get: operation('GET /merchants/{merchantId}/endpoints/{endpointId}', 'read', {
      scope: 'notifications:read',
      id: 'getEndpoint',
      summary: 'Read a notification endpoint',
      description: 'With its state: since when it is failing, and why it was disabled.',
      answer: EndpointAnswer,
    }),
    add: operation('POST /merchants/{merchantId}/endpoints', 'configure', {
      scope: 'notifications:write',
      id: 'createEndpoint',
      summary: 'Add a notification endpoint',
      description: 'It receives events from now on; its secret is shown only this once.',
      body: Type.Exact(
        {
          url: endpointFields.url,
          'description?': endpointFields.description,
          'kinds?': endpointFields.kinds,
        },
        {
          title: 'NewEndpoint',
          examples: [{ url: 'https://shop.example.com/payin', kinds: ['payment.paid', 'payment.disput-paid'] }],
        },
      ),
      status: 201,
      answer: EndpointWithSecret,
      refusals: ['invalid_state'],
      command: {
        arguments: ['url'],
        note: keepSecret,
      },
    }),
    rotate: operation('POST /merchants/{merchantId}/endpoints/{endpointId}/rotate', 'configure', {
      scope: 'notifications:write',
      id: 'rotateEndpointSecret',
      summary: 'Give an endpoint a new secret',
      description:
        'For a while every notification is signed with both secrets, and the secret cannot be replaced again (`previousSecretUntil`). Until then another call is refused with 409 `invalid_state`, because it would end a secret that the receiver may still use. A call with `overlapMs` 0 is accepted; from then on only the new secret signs.',
      body: OptionalBody({
        'overlapMs?': Type.Bounded(0, secretOverlapMs.longest, {
          description: 'How long the old secret also signs; 0 ends it now. Default: 24 hours.',
          kind: 'span',
        }),
      }),
      status: 201,
      answer: EndpointWithSecret,
      refusals: ['invalid_state'],
      command: { note: keepSecret },
    }),
    update: operation('PATCH /merchants/{merchantId}/endpoints/{endpointId}', 'configure', {
      scope: 'notifications:write',
      id: 'updateEndpoint',
      summary: 'Change, enable or disable an endpoint',
      description:
        'Once enabled again, it receives what is still pending and new events. What it missed can be redelivered.',
      body: Type.Exact(
        {
          'url?': endpointFields.url,
          'description?': endpointFields.description,
          'kinds?': endpointFields.kinds,
          'enabled?': Type.Boolean(),
        },
        { title: 'EndpointChange', minProperties: 1, examples: [{ enabled: true }] },
      ),
      answer: EndpointAnswer,
      refusals: ['invalid_state'],
      commands: {
        update: {
          about: 'Change the address, description or kinds of an endpoint.',
          options,
          only: ['url', 'description', 'kinds'],
        },
        enable: {
          about: 'Enable an endpoint: it receives what is still waiting, and new events.',
          only: [],
          fixed: { enabled: true },
        },
        disable: {
          about: 'Disable an endpoint: nothing more is sent to it, and its merchant can neither enable nor remove it.',
          only: [],
          fixed: { enabled: false },
        },
      },
    }),
    remove: operation('DELETE /merchants/{merchantId}/endpoints/{endpointId}', 'configure', {
      scope: 'notifications:write',
      id: 'removeEndpoint',
      summary: 'Remove an endpoint for good',
      description:
        'Only an operator can remove an endpoint that an operator has disabled (`disabledReason` `operator`). Others get 409 `invalid_state`.',
      answer: { id: Id },
      refusals: ['invalid_state'],
      command: { says: 'The endpoint is removed.' },
    }),
    test: operation('POST /merchants/{merchantId}/endpoints/{endpointId}/test', 'support', {
      scope: 'notifications:write',
      id: 'testEndpoint',
      summary: 'Send an endpoint a test',
      description: 'An `endpoint.test` is delivered like any other notification; its result is in the deliveries.',
      status: 202,
      answer: { eventId: Id },
      refusals: ['invalid_state'],
    }),
  },
} satisfies Noun<unknown>

export const troubledEndpoints = {
  troubled: operation('GET /endpoints/troubled', 'read', {
    id: 'listTroubledEndpoints',
    summary: 'List endpoints of all merchants that are failing or disabled by the service',
    description: 'They deliver nothing to their merchants until they are repaired and enabled again.',
    answer: { endpoints: Type.Array(TroubledEndpoint) },
    exports: 'endpoints',
    command: {
      columns: ['url', 'merchantId', State, 'id'],
      empty:
        'No endpoint is failing, and the service has disabled none. All of one merchant: payin endpoints list <merchant>',
    },
  }),
}
