import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printFields, printTable, printTime } from './print-table.ts'
import { span, timeOrSpan, words } from './read-arguments.ts'
import { openSession, type Session } from './session.ts'

type Endpoint = {
  readonly id: string
  readonly merchantId: string
  readonly url: string
  readonly description: string
  readonly kinds: readonly string[]
  readonly enabled: boolean
  readonly disabledReason?: string
  readonly failingSince?: string
  readonly previousSecretUntil?: string
  readonly createdAt: string
}

type Delivery = {
  readonly eventId: string
  readonly type: string
  readonly paymentId?: string
  readonly orderId?: string
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt?: string
  readonly queuedAt: string
  readonly settledAt?: string
}

type DeliveryOptions = { readonly status?: string; readonly payment?: string; readonly cursor?: string }

type Attempt = {
  readonly attempt: number
  readonly at: string
  readonly status?: number
  readonly error?: string
  readonly latencyMs: number
  readonly excerpt: string
}

const stateOf = ({ enabled, disabledReason, failingSince }: Endpoint): string => {
  if (!enabled) return `disabled (${disabledReason})`
  return failingSince === undefined ? 'enabled' : `failing since ${printTime(failingSince)}`
}

const tell = (endpoint: Endpoint): string =>
  printFields({
    Id: endpoint.id,
    Address: endpoint.url,
    Description: endpoint.description || undefined,
    Kinds: endpoint.kinds.join(', ') || 'all',
    State: stateOf(endpoint),
    'Old secret until': printTime(endpoint.previousSecretUntil),
    Created: printTime(endpoint.createdAt),
  })

const tellSecret = (endpoint: Endpoint & { readonly secret: string }): string =>
  [
    printFields({ Secret: endpoint.secret }),
    tell(endpoint),
    'Give the secret to the merchant now: it is not shown again.',
  ].join('\n\n')

/** Opens a command's session and finds the path of the endpoints of the merchant that it names. */
const enter = async (command: Command, merchant: string): Promise<{ session: Session; base: string }> => {
  const session = openSession(command)
  return { session, base: `/merchants/${await findMerchantId(session, merchant)}/endpoints` }
}

const path = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('')

/** Kinds between commas; none for the word `all`, as the service has it. */
const kindsOrAll = (typed: string): string[] => (typed.trim() === 'all' ? [] : words(typed))

type Fields = { readonly url?: string; readonly description?: string; readonly kinds?: string[] }

const addChanges = (endpoints: Command): void => {
  endpoints
    .command('add')
    .description('Add an endpoint that hears of what happens from now on; its secret is shown this once.')
    .argument('<merchant>', merchantArgument)
    .argument('<url>', 'https address that notifications are posted to')
    .option('--description <text>', 'what it is')
    .option('--kinds <kinds>', 'kinds of notifications, between commas, or all, which is usual', kindsOrAll)
    .action(async (named: string, url: string, fields: Fields, command: Command) => {
      const { session, base } = await enter(command, named)
      session.show(await session.send<Endpoint & { secret: string }>('POST', base, { ...fields, url }), tellSecret)
    })

  endpoints
    .command('update')
    .description('Change the address, description or kinds of an endpoint.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .option('--url <url>', 'https address that notifications are posted to')
    .option('--description <text>', 'what it is')
    .option('--kinds <kinds>', 'kinds of notifications, between commas, or all', kindsOrAll)
    .action(async (named: string, id: string, fields: Fields, command: Command) => {
      const { session, base } = await enter(command, named)
      session.show(await session.send<Endpoint>('PATCH', base + path(id), fields), tell)
    })

  for (const [name, enabled, text] of [
    ['enable', true, 'Enable an endpoint: it gets what was left waiting, and what happens from now on.'],
    ['disable', false, 'Send nothing more to an endpoint; its merchant can neither enable nor remove it.'],
  ] as const) {
    endpoints
      .command(name)
      .description(text)
      .argument('<merchant>', merchantArgument)
      .argument('<endpoint-id>')
      .action(async (named: string, id: string, _options: object, command: Command) => {
        const { session, base } = await enter(command, named)
        session.show(await session.send<Endpoint>('PATCH', base + path(id), { enabled }), tell)
      })
  }

  endpoints
    .command('remove')
    .description('Remove an endpoint for good.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .action(async (named: string, id: string, _options: object, command: Command) => {
      const { session, base } = await enter(command, named)
      session.show(await session.send('DELETE', base + path(id), null), () => 'The endpoint is removed.')
    })

  endpoints
    .command('rotate')
    .description('Give an endpoint a new secret; for a while notifications are signed with both. Until then not again.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .option(
      '--overlap <span>',
      'how long the old secret signs, too, such as 1h; 0 ends it now, at any time',
      span,
      span('24h'),
    )
    .action(async (named: string, id: string, { overlap }: { overlap: number }, command: Command) => {
      const { session, base } = await enter(command, named)
      const body = { overlapMs: overlap }
      const answer = await session.send<Endpoint & { secret: string }>('POST', `${base}${path(id)}/rotate`, body)
      session.show(answer, tellSecret)
    })
}

const addReads = (endpoints: Command): void => {
  const printEndpoints = (list: readonly Endpoint[]): string =>
    printTable(
      ['ID', 'ADDRESS', 'KINDS', 'STATE', 'DESCRIPTION'],
      list.map((each) => [each.id, each.url, each.kinds.join(', ') || 'all', stateOf(each), each.description]),
    )

  endpoints
    .command('list')
    .description('List the endpoints of a merchant.')
    .argument('<merchant>', merchantArgument)
    .action(async (named: string, _options: object, command: Command) => {
      const { session, base } = await enter(command, named)
      session.show(await session.get<{ endpoints: Endpoint[] }>(base), (body) =>
        body.endpoints.length === 0
          ? 'No endpoints yet. Add one: payin endpoints add <merchant> https://…'
          : printEndpoints(body.endpoints),
      )
    })

  endpoints
    .command('troubled')
    .description('List endpoints of all merchants that fail, or that the service has disabled.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ endpoints: Endpoint[] }>('/endpoints/troubled'), (body) =>
        body.endpoints.length === 0
          ? 'Every endpoint takes what it gets.'
          : printTable(
              ['MERCHANT', 'ID', 'ADDRESS', 'STATE'],
              body.endpoints.map((each) => [each.merchantId, each.id, each.url, stateOf(each)]),
            ),
      )
    })

  endpoints
    .command('deliveries')
    .description('List what an endpoint was sent, the newest event first.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .option('--status <status>', 'pending, delivered or failed')
    .option('--payment <payment-id>', 'only what tells of this payment')
    .option('--cursor <cursor>', 'nextCursor of the page before')
    .action(async (named: string, id: string, options: DeliveryOptions, command: Command) => {
      const { payment: paymentId, ...page } = options
      const { session, base } = await enter(command, named)
      const answer = await session.get<{ deliveries: Delivery[]; nextCursor?: string }>(
        `${base}${path(id)}/deliveries`,
        { ...page, paymentId },
      )
      session.show(answer, ({ deliveries, nextCursor }) =>
        [
          printTable(
            ['EVENT', 'KIND', 'ORDER', 'STATUS', 'ATTEMPTS>', 'QUEUED', 'SETTLED', 'NEXT ATTEMPT', 'PAYMENT'],
            deliveries.map((each) => [
              each.eventId,
              each.type,
              each.orderId,
              each.status,
              each.attempts,
              printTime(each.queuedAt),
              printTime(each.settledAt),
              printTime(each.nextAttemptAt),
              each.paymentId,
            ]),
          ),
          ...(nextCursor === undefined ? [] : [`More: --cursor ${nextCursor}`]),
        ].join('\n'),
      )
    })

  endpoints
    .command('delivery')
    .description('Show the body of a delivery and its attempts.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .argument('<event-id>')
    .action(async (named: string, id: string, event: string, _options: object, command: Command) => {
      const { session, base } = await enter(command, named)
      const answer = await session.get<Delivery & { body: string; log: Attempt[] }>(
        `${base}${path(id, 'deliveries', event)}`,
      )
      session.show(answer, ({ body, log, status, nextAttemptAt, orderId, paymentId }) =>
        [
          printFields({
            ...{ Status: status, 'Next attempt': printTime(nextAttemptAt) },
            ...{ Order: orderId, Payment: paymentId, Body: body },
          }),
          printTable(
            ['TRY>', 'AT', 'ANSWER', 'MS>', 'EXCERPT'],
            log.map((each) => [
              each.attempt,
              printTime(each.at),
              each.status ?? each.error,
              each.latencyMs,
              each.excerpt.slice(0, 60),
            ]),
          ),
        ].join('\n\n'),
      )
    })
}

const addSends = (endpoints: Command): void => {
  endpoints
    .command('test')
    .description('Send an endpoint a test.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .action(async (named: string, id: string, _options: object, command: Command) => {
      const { session, base } = await enter(command, named)
      const answer = await session.send<{ eventId: string }>('POST', `${base}${path(id)}/test`, {})
      session.show(answer, ({ eventId }) => `The test is event ${eventId}.`)
    })

  endpoints
    .command('redeliver')
    .description('Send one event again, or all since a time that have failed or were missed.')
    .argument('<merchant>', merchantArgument)
    .argument('<endpoint-id>')
    .option('--event <event-id>', 'this event')
    .option(
      '--since <time>',
      'all that failed since then, such as 2026-01-31T00:00:00Z, or so long ago: 1h',
      timeOrSpan,
    )
    .action(
      async (
        named: string,
        id: string,
        { event, since }: { readonly event?: string; readonly since?: string | number },
        command: Command,
      ) => {
        if ((event === undefined) === (since === undefined)) command.error('Give either --event or --since.')
        const { session, base } = await enter(command, named)
        if (event !== undefined) {
          const target = `${base}${path(id, 'deliveries', event)}/redeliver`
          session.show(await session.send('POST', target, {}), () => 'The event is sent again.')
          return
        }
        const answer = await session.send<{ events: number; more: boolean }>('POST', `${base}${path(id)}/redeliver`, {
          since: typeof since === 'number' ? new Date(Date.parse(await session.now()) - since).toISOString() : since,
        })
        session.show(
          answer,
          ({ events, more }) => `${events} events are sent again.${more ? ' There are more: repeat this.' : ''}`,
        )
      },
    )
}

/** Adds `payin endpoints`. */
export const addEndpointCommands = (program: Command): void => {
  const endpoints = program.command('endpoints').description('Where merchants receive notifications.')
  addExamples(endpoints, [
    'payin endpoints add "Demo Shop" https://shop.example.com/payin --kinds payment.paid,payment.disput-paid',
    'payin endpoints deliveries "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --status failed',
    'payin endpoints redeliver "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --since 1h',
    'payin endpoints troubled',
  ])
  addReads(endpoints)
  addChanges(endpoints)
  addSends(endpoints)
}
