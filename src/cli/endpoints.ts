import type { DeliveryAnswer, DeliveryLog } from '../http/notifications/deliveries.ts'
import type { EndpointAnswer, EndpointWithSecret } from '../http/notifications/endpoint-answer.ts'
import type { TroubledEndpoint } from '../http/operator-api/troubled-endpoints.ts'
import { command, type Group, list, request } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, choice, option, optionOr, page } from './inputs.ts'
import { endpointKey, idOption, merchant } from './named-inputs.ts'
import { type Printed, printFields, printRows, printSections, printTime } from './print-table.ts'
import { span, timeOrSpan, words } from './read-arguments.ts'

const stateOf = ({ enabled, disabledReason, failingSince }: EndpointAnswer): string => {
  if (!enabled) return `disabled (${disabledReason})`
  return failingSince === undefined ? 'enabled' : `failing since ${printTime(failingSince)}`
}

const kindsOf = ({ kinds }: EndpointAnswer): string => kinds.join(', ') || 'all'

const describe = (endpoint: EndpointAnswer): Printed =>
  printFields({
    Id: endpoint.id,
    Address: endpoint.url,
    Description: endpoint.description || undefined,
    Kinds: kindsOf(endpoint),
    State: stateOf(endpoint),
    'Old secret until': printTime(endpoint.previousSecretUntil),
    Created: printTime(endpoint.createdAt),
  })

const describeSecret = (endpoint: EndpointWithSecret): Printed =>
  printSections(
    printFields({ Secret: endpoint.secret }),
    describe(endpoint),
    'Give the secret to the merchant now: it is not shown again.',
  )

const describeDelivery = ({ status, nextAttemptAt, orderId, paymentId, body, log }: DeliveryLog): Printed =>
  printSections(
    printFields({
      Status: status,
      'Next attempt': printTime(nextAttemptAt),
      Order: orderId,
      Payment: paymentId,
      Body: body,
    }),
    printRows(log, {
      'TRY>': 'attempt',
      AT: ({ at }) => printTime(at),
      ANSWER: (each) => each.status ?? each.error,
      'MS>': 'latencyMs',
      'EXCERPT~': ({ excerpt }) => excerpt,
    }),
  )

/** Kinds separated by commas; none for the word `all`, as the service has it. */
const kindsOrAll = (typed: string): string[] => (typed.trim() === 'all' ? [] : words(typed))

const description = option('--description <text>', 'what it is')
const kinds = option(
  '--kinds <kinds>',
  'kinds of notifications, separated by commas, or all; an endpoint starts with all',
  kindsOrAll,
)

const reads = {
  list: list({
    description: 'List the endpoints of a merchant.',
    request: 'GET /merchants/{merchantId}/endpoints',
    inputs: { merchantId: merchant },
    rows: (answer: { endpoints: EndpointAnswer[] }) => answer.endpoints,
    empty: 'No endpoints yet. Add one: payin endpoints add <merchant> https://…',
    columns: { 'ID#': 'id', 'STATE~': stateOf, 'ADDRESS~': 'url', 'KINDS~': kindsOf, 'DESCRIPTION~': 'description' },
  }),
  troubled: list({
    description: 'List endpoints of all merchants that fail, or that the service has disabled.',
    request: 'GET /endpoints/troubled',
    rows: (answer: { endpoints: TroubledEndpoint[] }) => answer.endpoints,
    empty: 'No endpoint fails, and the service has disabled none.',
    columns: {
      'ID#': 'id',
      'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
      'STATE~': stateOf,
      'ADDRESS~': 'url',
    },
  }),
  deliveries: list({
    description: 'List what an endpoint was sent, the newest event first.',
    request: 'GET /merchants/{merchantId}/endpoints/{id}/deliveries',
    inputs: {
      ...endpointKey,
      status: choice('--status <status>', 'only these', ['pending', 'delivered', 'failed']),
      paymentId: idOption('--payment <payment>', 'only those about this payment: its order or id', 'payment'),
      ...page,
    },
    rows: (answer: { deliveries: DeliveryAnswer[] }) => answer.deliveries,
    columns: {
      EVENT: 'eventId',
      STATUS: 'status',
      'ORDER~': 'orderId',
      KIND: 'type',
      'ATTEMPTS>': 'attempts',
      QUEUED: ({ queuedAt }) => printTime(queuedAt),
      FINISHED: ({ finishedAt }) => printTime(finishedAt),
      'NEXT ATTEMPT': ({ nextAttemptAt }) => printTime(nextAttemptAt),
      'PAYMENT#': 'paymentId',
    },
  }),
  delivery: request({
    description: 'Show the body of a delivery and its attempts.',
    request: 'GET /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}',
    inputs: { ...endpointKey, eventId: argument('<event-id>', 'id of the event') },
    print: describeDelivery,
  }),
}

const setEnabled = (enabled: boolean, effect: string) =>
  request({
    description: effect,
    request: 'PATCH /merchants/{merchantId}/endpoints/{id}',
    inputs: endpointKey,
    body: () => ({ enabled }),
    print: describe,
  })

const changes = {
  add: request({
    description: 'Add an endpoint; it is sent what happens from now on. Its secret is shown this once.',
    request: 'POST /merchants/{merchantId}/endpoints',
    inputs: {
      merchantId: merchant,
      url: argument('<url>', 'https address that notifications are posted to'),
      description,
      kinds,
    },
    print: describeSecret,
  }),
  update: request({
    description: 'Change the address, description or kinds of an endpoint.',
    request: 'PATCH /merchants/{merchantId}/endpoints/{id}',
    inputs: {
      ...endpointKey,
      url: option('--address <url>', 'https address that notifications are posted to'),
      description,
      kinds,
    },
    print: describe,
  }),
  enable: setEnabled(true, 'Enable an endpoint: it is sent what was left waiting, and what happens from now on.'),
  disable: setEnabled(false, 'Send nothing more to an endpoint; its merchant can neither enable nor remove it.'),
  remove: request({
    description: 'Remove an endpoint for good.',
    request: 'DELETE /merchants/{merchantId}/endpoints/{id}',
    inputs: endpointKey,
    print: () => 'The endpoint is removed.',
  }),
  rotate: request({
    description:
      'Give an endpoint a new secret. For a while notifications are signed with both, and no further secret can be given.',
    request: 'POST /merchants/{merchantId}/endpoints/{id}/rotate',
    inputs: {
      ...endpointKey,
      overlapMs: optionOr('--overlap <span>', 'how long the old secret signs, too; 0 ends it at once', '24h', span),
    },
    print: describeSecret,
  }),
}

const sends = {
  test: request({
    description: 'Send an endpoint a test.',
    request: 'POST /merchants/{merchantId}/endpoints/{id}/test',
    inputs: endpointKey,
    print: ({ eventId }: { eventId: string }) => `The test is event ${eventId}.`,
  }),
  redeliver: command({
    description: 'Send one event again, or all since a time that have failed or were missed.',
    inputs: {
      ...endpointKey,
      eventId: option('--event <event-id>', 'this event'),
      since: option(
        '--since <time>',
        'all that failed since then, such as 2026-01-31T00:00:00Z, or within this span until now, such as 1h',
        timeOrSpan,
      ),
    },
    run: async (session, { eventId, since, ...key }) => {
      if ((eventId === undefined) === (since === undefined)) throw new Failure(['Give either --event or --since.'], 2)
      if (eventId !== undefined) {
        const path = 'POST /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}/redeliver'
        return session.show(await session.call(path, { ...key, eventId }), () => 'The event is sent again.')
      }
      const from = typeof since === 'number' ? new Date(Date.parse(await session.now()) - since).toISOString() : since
      const path = 'POST /merchants/{merchantId}/endpoints/{id}/redeliver'
      const answer = await session.call<{ events: number; more: boolean }>(path, { ...key, since: from })
      return session.show(
        answer,
        ({ events, more }) => `${events} events are sent again.${more ? ' There are more: repeat this.' : ''}`,
      )
    },
  }),
}

/** `payin endpoints`. */
export const endpointCommands: Group = {
  description: 'Where merchants receive notifications.',
  examples: [
    'payin endpoints add "Demo Shop" https://shop.example.com/payin --kinds payment.paid,payment.disput-paid',
    'payin endpoints deliveries 019a9c3e-7d5e --status failed',
    'payin endpoints redeliver 019a9c3e-7d5e --since 1h',
    'payin endpoints troubled',
  ],
  commands: {
    ...reads,
    ...changes,
    ...sends,
  },
}
