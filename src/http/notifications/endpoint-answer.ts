import { type Static, Type } from '../../operations/schema.ts'
import { disabledReasons, type Endpoint, maxUrlLength } from '../../rules/notices/endpoint.ts'
import { notificationKinds } from '../../rules/notices/notification.ts'
import { Id, Time, wire } from '../../operations/fields.ts'

/** Fields of an endpoint that can be set. */
export const endpointFields = {
  url: Type.String({
    minLength: 1,
    maxLength: maxUrlLength,
    description: `Where notifications are posted, https only; at most ${maxUrlLength} characters once percent-encoded.`,
    examples: ['https://shop.example.com/payin'],
  }),
  description: Type.Pattern('must be printable characters.', {
    maxLength: 200,
    pattern: '^[^\\p{C}]*$',
    examples: ['shop server'],
  }),
  kinds: Type.Array(Type.OneOf(notificationKinds, { title: 'NotificationKind', examples: ['payment.paid'] }), {
    uniqueItems: true,
    description: 'Kinds of events that the endpoint receives; empty for all.',
    examples: [['payment.paid', 'payment.disput-paid']],
  }),
}

export const EndpointAnswer = Type.Titled('Endpoint', {
  id: Id,
  merchantId: Id,
  ...endpointFields,
  enabled: Type.Boolean(),
  disabledReason: Type.Optional(
    Type.OneOf(disabledReasons, '`gone`: it answered 410. `failing`: every attempt has failed for five days.'),
  ),
  disabledAt: Type.Optional(Time),
  failingSince: Type.Optional(Time, 'Since when every attempt has failed.'),
  previousSecretUntil: Type.Optional(Time, 'Until when notifications are also signed with the previous secret.'),
  listeningUntil: Type.Optional(
    Time,
    'For a listener, which has no address: when it is removed, unless it takes deliveries before then.',
  ),
  createdAt: Time,
})

export type EndpointAnswer = Static<typeof EndpointAnswer>

/** Schema of an endpoint with its new secret. */
export const EndpointWithSecret = Type.Titled('EndpointWithSecret', {
  ...EndpointAnswer.properties,
  secret: Type.Text('Signs notifications. Shown only here.', 'whsec_cGF5aW4tZXhhbXBsZS1zZWNyZXQtMzItYnl0ZXM='),
})

export type EndpointWithSecret = Static<typeof EndpointWithSecret>

/** The wire form of an endpoint. */
export const toEndpointAnswer = (endpoint: Endpoint, now: number): EndpointAnswer => {
  const { id, merchantId, url, description, kinds, status, disabledReason, disabledAt, createdAt } = endpoint
  const { failingSince, listeningUntil, previousSecretUntil: until } = endpoint
  return wire.fields({
    ...{ id, merchantId, url, description, kinds: [...kinds], disabledReason, disabledAt, createdAt },
    enabled: status === 'enabled',
    failingSince: wire.time(failingSince),
    listeningUntil: wire.time(listeningUntil),
    previousSecretUntil: until === null || until <= now ? null : wire.time(until),
  })
}
