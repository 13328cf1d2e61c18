import { deliveryStatuses } from '../rules/notices/delivery.ts'
import type { Redelivered, TroubledEndpoint } from '../http/operator-api/endpoints.ts'
import { list, command, type Group, request } from './commands.ts'
import { Failure } from './failure.ts'
import { flag, option, argument, choice, optionOr, page, several } from './inputs.ts'
import { timeOrAgo, merchant, endpointKey, idOption } from './named-inputs.ts'
import { words, span, timeOrSpan } from './read-arguments.ts'
import { resolveId, pickListed, isWholeId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import { readText } from './surroundings.ts'
import type { DeliveryAnswer, DeliveryLog } from '../http/notifications/deliveries.ts'
import type { EndpointAnswer, EndpointWithSecret } from '../http/notifications/endpoint-answer.ts'
import { type Printed, printFields, printRows, printSections, printTime } from './print-table.ts'

/** The ids of a merchant's payments that were typed, or are the lines of a file. */
const findPayments = async (
  session: Session,
  merchantId: string,
  typed: readonly string[] = [],
  file?: string,
): Promise<string[] | undefined> => {
  const lines = file === undefined ? [] : (await readText(session.surroundings, file)).split(/\r?\n/)
  const names = [...typed, ...lines.map((line) => line.trim()).filter((line) => line !== '')]
  if (names.length === 0) return undefined
  const ids: string[] = []
  for (const name of names) ids.push(await resolveId(session, 'payment', name, { merchantId }))
  return ids
}

const describeRedelivered = ({ endpoints }: { readonly endpoints: readonly Redelivered[] }): string => {
  const sum = endpoints.reduce((total, { events }) => total + events, 0)
  const more = endpoints.some((endpoint) => endpoint.more) ? ' There are more: run this again.' : ''
  const counted = endpoints.some(({ state }) => state === 'possible')
  const none = sum === 0 ? ' Waiting ones are sent anyway; to include delivered ones: --delivered.' : ''
  return `${sum} events ${counted ? 'would be' : 'are'} sent again.${none}${more}`
}

const redeliverEvents = list('POST /merchants/{id}/redeliver', {
  description:
    'Send failed and missed events to all endpoints of a merchant again: those about payments, or all since a time. Exits with 1 if an endpoint is disabled.',
  inputs: {
    id: merchant,
    payments: option(
      '--payment <payment>',
      'only events about this payment: its order or id; repeat for more',
      several,
    ),
    file: option('--file <path>', 'only events about these payments, one order or id per line; - for standard input'),
    kinds: option('--kinds <kinds>', 'only events of these types, such as payment.paid,payment.expired', words),
    since: timeOrAgo('--since <time>', 'only those since then'),
    until: timeOrAgo('--until <time>', 'only those before'),
    delivered: flag('--delivered', 'also delivered ones'),
    preview: flag('--preview', 'only count, send nothing'),
  },
  body: async ({ id, payments, file, ...given }, session) => {
    const paymentIds = await findPayments(session, id, payments, file)
    if (paymentIds === undefined && given.since === undefined)
      throw new Failure(['Give --payment, --file or --since.'], 2)
    return { paymentIds, ...given }
  },
  rows: (answer: { endpoints: Redelivered[] }) => answer.endpoints,
  columns: {
    'ADDRESS~': 'url',
    STATE: 'state',
    'EVENTS>': 'events',
    'WHY~': 'message',
    'ID#': 'endpointId',
  },
  empty: 'The merchant has no endpoints. Add one: payin endpoints add <merchant> <url>',
  notes: describeRedelivered,
  failed: ({ endpoints }) => endpoints.some(({ state }) => state === 'refused'),
})

const stateOf = ({ enabled, disabledReason, failingSince, listeningUntil }: EndpointAnswer): string => {
  if (!enabled) return `disabled (${disabledReason})`
  if (listeningUntil !== undefined) return 'listening'
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

type EndpointKey = { readonly merchantId: string; readonly id: string }

const mostListed = '500'

/** The id of an event that was sent to an endpoint, named by its order, a part of its id, or `last`. */
const findEvent = async (session: Session, key: EndpointKey, typed: string): Promise<string> => {
  const listOf = async (paymentId?: string): Promise<DeliveryAnswer[]> => {
    const path = 'GET /merchants/{merchantId}/endpoints/{id}/deliveries'
    const asked = { ...key, paymentId, limit: mostListed }
    return (await session.call<{ deliveries: DeliveryAnswer[] }>(path, asked)).body.deliveries
  }
  const pick = (deliveries: readonly DeliveryAnswer[]): string =>
    pickListed(
      deliveries.map(({ eventId, type, orderId, status, queuedAt }) => ({
        id: eventId,
        names: orderId === undefined ? [] : [orderId, `${orderId} ${type}`],
        about: [orderId, type, status, printTime(queuedAt)].filter(Boolean).join(', '),
      })),
      typed,
      { kind: 'event', shownBy: 'payin endpoints deliveries <endpoint>' },
    )
  if (isWholeId(typed)) return typed.toLowerCase()
  try {
    return pick(await listOf())
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.code !== 'resource_not_found') throw error
    const payment = await resolveName(session, 'payment', typed, key).catch(() => undefined)
    if (payment === undefined) throw error
    return pick(await listOf(payment.id))
  }
}

const eventText = 'order, if it has only one event; `<order> <kind>`; id; or last'

/** Kinds separated by commas. `all` becomes an empty list, which means all kinds to the service. */
const kindsOrAll = (typed: string): string[] => (typed.trim() === 'all' ? [] : words(typed))

const description = option('--description <text>', 'what it is')
const kinds = option(
  '--kinds <kinds>',
  'kinds of notifications, separated by commas, or all; default for a new endpoint: all',
  kindsOrAll,
)

const reads = {
  list: list('GET /merchants/{merchantId}/endpoints', {
    description: 'List the endpoints of a merchant.',
    inputs: { merchantId: merchant },
    rows: (answer: { endpoints: EndpointAnswer[] }) => answer.endpoints,
    empty: 'No endpoints yet. Add one: payin endpoints add <merchant> https://…',
    columns: { 'ADDRESS~': 'url', 'STATE~': stateOf, 'KINDS~': kindsOf, 'DESCRIPTION~': 'description', 'ID#': 'id' },
  }),
  troubled: list('GET /endpoints/troubled', {
    description: 'List endpoints of all merchants that are failing or that the service has disabled.',
    rows: (answer: { endpoints: TroubledEndpoint[] }) => answer.endpoints,
    empty:
      'No endpoint is failing, and the service has disabled none. All of one merchant: payin endpoints list <merchant>',
    columns: {
      'ADDRESS~': 'url',
      'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
      'STATE~': stateOf,
      'ID#': 'id',
    },
  }),
  deliveries: list('GET /merchants/{merchantId}/endpoints/{id}/deliveries', {
    description: 'List the deliveries of an endpoint, newest event first.',
    inputs: {
      ...endpointKey,
      status: choice('--status <status>', 'only these', [...deliveryStatuses]),
      paymentId: idOption('--payment <payment>', 'only those about this payment: its order or id', 'payment'),
      ...page,
    },
    rows: (answer: { deliveries: DeliveryAnswer[] }) => answer.deliveries,
    empty: 'No such deliveries. Send a test: payin endpoints test <endpoint>',
    columns: {
      'ORDER~': 'orderId',
      KIND: 'type',
      STATUS: 'status',
      'EVENT#': 'eventId',
      'ATTEMPTS>': 'attempts',
      QUEUED: ({ queuedAt }) => printTime(queuedAt),
      FINISHED: ({ finishedAt }) => printTime(finishedAt),
      'NEXT ATTEMPT': ({ nextAttemptAt }) => printTime(nextAttemptAt),
      'PAYMENT#': 'paymentId',
    },
  }),
  delivery: command({
    description: 'Show the body of a delivery and its attempts.',
    inputs: { ...endpointKey, event: argument('<event>', eventText) },
    run: async (session, { event, ...key }) => {
      const eventId = await findEvent(session, key, event)
      const path = 'GET /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}'
      session.show(await session.call<DeliveryLog>(path, { ...key, eventId }), describeDelivery)
    },
  }),
}

const setEnabled = (enabled: boolean, effect: string) =>
  request('PATCH /merchants/{merchantId}/endpoints/{id}', {
    description: effect,
    inputs: endpointKey,
    body: () => ({ enabled }),
    print: describe,
  })

const changes = {
  add: request('POST /merchants/{merchantId}/endpoints', {
    description: 'Add an endpoint; it receives events from now on. Its secret is shown only this once.',
    inputs: {
      merchantId: merchant,
      url: argument('<url>', 'https address that notifications are posted to'),
      description,
      kinds,
    },
    print: describeSecret,
  }),
  update: request('PATCH /merchants/{merchantId}/endpoints/{id}', {
    description: 'Change the address, description or kinds of an endpoint.',
    inputs: {
      ...endpointKey,
      url: option('--address <url>', 'https address that notifications are posted to'),
      description,
      kinds,
    },
    print: describe,
  }),
  enable: setEnabled(true, 'Enable an endpoint: it receives what is still waiting, and new events.'),
  disable: setEnabled(
    false,
    'Disable an endpoint: nothing more is sent to it, and its merchant can neither enable nor remove it.',
  ),
  remove: request('DELETE /merchants/{merchantId}/endpoints/{id}', {
    description: 'Remove an endpoint permanently.',
    inputs: endpointKey,
    print: () => 'The endpoint is removed.',
  }),
  rotate: request('POST /merchants/{merchantId}/endpoints/{id}/rotate', {
    description:
      'Give an endpoint a new secret. For a while notifications are signed with both; until then the secret cannot be replaced again.',
    inputs: {
      ...endpointKey,
      overlapMs: optionOr('--overlap <span>', 'how long the old secret also signs; 0 ends it now', '24h', span),
    },
    print: describeSecret,
  }),
}

const sends = {
  test: request('POST /merchants/{merchantId}/endpoints/{id}/test', {
    description: 'Send a test to an endpoint.',
    inputs: endpointKey,
    print: ({ eventId }: { eventId: string }) => `The test is event ${eventId}.`,
  }),
  redeliver: command({
    description: 'Send one event again, or all failed and missed ones since a time.',
    inputs: {
      ...endpointKey,
      event: option('--event <event>', `this event: ${eventText}`),
      since: option(
        '--since <time>',
        'all that failed since then, such as 2026-01-31T00:00:00Z, or within this span until now, such as 1h',
        timeOrSpan,
      ),
    },
    run: async (session, { event, since, ...key }) => {
      if ((event === undefined) === (since === undefined)) throw new Failure(['Give either --event or --since.'], 2)
      if (event !== undefined) {
        const eventId = await findEvent(session, key, event)
        const path = 'POST /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}/redeliver'
        return session.show(await session.call(path, { ...key, eventId }), () => 'The event is sent again.')
      }
      const from = typeof since === 'number' ? new Date(Date.parse(await session.now()) - since).toISOString() : since
      const path = 'POST /merchants/{merchantId}/endpoints/{id}/redeliver'
      const answer = await session.call<{ events: number; more: boolean }>(path, { ...key, since: from })
      return session.show(
        answer,
        ({ events, more }) => `${events} events are sent again.${more ? ' There are more: run this again.' : ''}`,
      )
    },
  }),
}

export const endpointCommands: Group = {
  description: 'Where merchants receive notifications.',
  examples: [
    'payin endpoints add "Demo Shop" https://shop.example.com/payin --kinds payment.paid,payment.disput-paid',
    'payin endpoints deliveries shop.example.com --status failed',
    'payin endpoints redeliver shop.example.com --event order-42',
    'payin endpoints redeliver shop.example.com --since 1h',
    'payin endpoints redeliver-events "Demo Shop" --payment order-42 --payment order-43 --preview',
    'payin endpoints redeliver-events "Demo Shop" --kinds payment.paid --since 2h',
    'payin endpoints troubled',
  ],
  commands: {
    ...reads,
    ...changes,
    ...sends,
    'redeliver-events': redeliverEvents,
  },
}
