import { setTimeout as sleep } from 'node:timers/promises'
import type { NotificationKind } from '../rules/notices/notification.ts'
import { second } from '../rules/time.ts'
import { type Payin, PayinError, type PaymentStatus } from '../../sdk/src/payin-sdk.ts'
import { Failure } from './failure.ts'
import { printSpan, printAmount, type Printed, printFields, printLines, printSections } from './print-table.ts'
import { fieldsOf } from '../operations/field.ts'
import { payments } from '../operations/payments.ts'
import { printTables } from './show-rows.ts'
import { type SimulatedEvent, simulatedEvents } from '../rules/sandbox/simulation.ts'
import { command, type Commands } from './commands.ts'
import { argument, option, optionOr } from './inputs.ts'
import { createBody, exactAmount, newPayment } from './merchant-payments.ts'
import { amountText, quoted, span } from './read-arguments.ts'
import type { Session } from './session.ts'

/** What makes an event happen: the simulated bank or payer, the merchant itself, or the amount of a payment. */
export type EventStory = {
  /** The story ends with any of these statuses: the merchant's terms decide which. */
  readonly until: readonly PaymentStatus[]
  /** A status that must come before. */
  readonly after?: PaymentStatus
  readonly play: (payin: Payin, orderId: string) => Promise<unknown>
  /** The last two digits of an amount that makes it happen. */
  readonly cents?: string
  /** A notification that ends the story, if its status alone does not. */
  readonly notification?: NotificationKind
  /** Says what the output does not show. */
  readonly note?: string
}

type Timeline = Awaited<ReturnType<Payin['payments']['timeline']>>
type Delivery = Timeline['deliveries'][number]
type FeedEvent = Awaited<ReturnType<Payin['events']>>['events'][number]
type Receiver = Awaited<ReturnType<Payin['endpoints']['list']>>[number]

/** The result of a story: the payment with its deliveries, and the notification that ended it. */
export type PlayedStory = Timeline & { readonly notified?: FeedEvent }

/** How often the payment is read. */
const lookEveryMs = 300
/** After this time without a change, nothing more is expected of an existing order. */
const quietMs = 5 * second
/** The longest wait for the first calls to the endpoints: a little more than an endpoint has for its answer. */
const callsMs = 20 * second

/** Refuses a live merchant before a payment of real money is made. */
export const requireSandbox = async (payin: Payin): Promise<void> => {
  const { mode, name } = await payin.me()
  if (mode !== 'sandbox') throw new Failure([`${name} is a live merchant: only the sandbox has simulated money.`])
}

/** Reads the merchant's feed of events from `after` to its end, a page at a time; returns the last cursor. */
const readFeed = async (
  payin: Payin,
  after: string | undefined,
  seen: (events: readonly FeedEvent[]) => void = () => undefined,
): Promise<string> => {
  for (let cursor = after; ; ) {
    const page = await payin.events({ limit: 500, ...(cursor !== undefined && { after: cursor }) })
    seen(page.events)
    cursor = page.cursor
    if (page.events.length === 0) return page.cursor
  }
}

/** Returns a function that looks for the story's notification since now: about the order, or about none. */
const watchFor = async (
  payin: Payin,
  { notification }: EventStory,
  orderId: string,
): Promise<() => Promise<FeedEvent | undefined>> => {
  if (notification === undefined) return () => Promise.resolve(undefined)
  let cursor = await readFeed(payin, undefined)
  let found: FeedEvent | undefined
  return async () => {
    cursor = await readFeed(payin, cursor, (events) => {
      found ??= events.find(({ type, data }) => type === notification && (data['orderId'] ?? orderId) === orderId)
    })
    return found
  }
}

/** The enabled endpoints; none for a token that may not list them. */
const listReceivers = async (payin: Payin): Promise<Receiver[]> => {
  try {
    return (await payin.endpoints.list()).filter(({ enabled }) => enabled)
  } catch (error) {
    if (error instanceof PayinError && error.code === 'scope_missing') return []
    throw error
  }
}

const takes = ({ kinds }: Receiver, kind: string): boolean =>
  kinds.length === 0 || (kinds as readonly string[]).includes(kind)

/** The deliveries of a notification that is not about the payment: the payment's timeline lacks them. */
const deliveriesOfOther = async (
  payin: Payin,
  receivers: readonly Receiver[],
  notified: FeedEvent | undefined,
): Promise<Delivery[]> => {
  if (notified === undefined || notified.data['orderId'] !== undefined) return []
  const found = await Promise.all(
    receivers
      .filter((receiver) => takes(receiver, notified.type))
      .map(async ({ id }) => {
        try {
          const { body: _, log: _log, ...delivery } = await payin.endpoints.delivery(id, notified.id)
          return [{ endpointId: id, ...delivery }]
        } catch (error) {
          if (error instanceof PayinError && error.code === 'resource_not_found') return []
          throw error
        }
      }),
  )
  return found.flat()
}

/** Whether each endpoint was called for every notification since `before`. */
const areCalled = (
  receivers: readonly Receiver[],
  before: Timeline,
  { events, deliveries, notified }: PlayedStory,
): boolean => {
  const known = new Set(before.deliveries.map(({ eventId }) => eventId))
  const called = deliveries.filter(({ eventId, attempts }) => attempts > 0 && !known.has(eventId))
  const kinds = events.slice(before.events.length).map(({ status }) => `payment.${status}`)
  if (notified) kinds.push(notified.type)
  return receivers.every(({ id, ...receiver }) =>
    [...new Set(kinds)]
      .filter((kind) => takes({ id, ...receiver }, kind))
      .every((kind) => {
        const calls = called.filter(({ type, endpointId }) => type === kind && endpointId === id)
        return calls.length >= kinds.filter((each) => each === kind).length
      }),
  )
}

const acknowledged = (orderId: string): Failure =>
  new Failure([
    `${orderId} has been acknowledged, perhaps by your handler, so nothing is overdue. To see payment.ack-overdue, stop the handler or its acknowledgements.`,
  ])

const nothingHappened = ({ orderId, status }: Timeline): Failure =>
  new Failure([
    `Nothing happened to ${orderId}, which is ${status}, within ${printSpan(quietMs)}: this event does not change it. Without --order, a new payment is used.`,
  ])

/** Plays a story with a new or existing order, and waits for its end and the first calls to the endpoints. */
const playStory = async (
  payin: Payin,
  story: EventStory,
  body: Parameters<Payin['payments']['create']>[0],
  { isNew, clock, timeoutMs }: { readonly isNew: boolean; readonly clock: () => number; readonly timeoutMs: number },
): Promise<PlayedStory & { isOver: boolean }> => {
  const { orderId } = body
  const startedAt = clock()
  await requireSandbox(payin)
  const receivers = await listReceivers(payin)
  if (isNew) await payin.payments.create(body)
  const before = await payin.payments.timeline(orderId)
  const look = await watchFor(payin, story, orderId)
  await story.play(payin, orderId)
  const playedAt = clock()
  for (let overAt: number | undefined; ; await sleep(lookEveryMs)) {
    const timeline = await payin.payments.timeline(orderId)
    const notified = await look()
    const others = await deliveriesOfOther(payin, receivers, notified)
    const played = { ...timeline, deliveries: [...others, ...timeline.deliveries], ...(notified && { notified }) }
    const hasChanged = timeline.events.length > before.events.length || notified !== undefined
    if (story.notification === 'payment.ack-overdue' && !notified && timeline.acknowledgedAt)
      throw acknowledged(orderId)
    if (!isNew && !hasChanged && clock() >= playedAt + quietMs) throw nothingHappened(timeline)
    if (hasChanged && isAtEnd(story, played)) overAt ??= clock()
    if (overAt !== undefined && (areCalled(receivers, before, played) || clock() >= overAt + callsMs))
      return { ...played, isOver: true }
    if (clock() >= startedAt + timeoutMs) return { ...played, isOver: overAt !== undefined }
  }
}

const isAtEnd = ({ until, after, notification }: EventStory, { status, events, notified }: PlayedStory): boolean =>
  until.includes(status) &&
  (after === undefined || events.some((event) => event.status === after)) &&
  (notification === undefined || notified !== undefined)

const simulated = (event: SimulatedEvent) => (payin: Payin, orderId: string) =>
  payin.sandbox.simulate(orderId, { event })

const credited: readonly PaymentStatus[] = ['paid', 'disput-paid', 'disput']

/** The statuses with which each simulated event ends. */
const simulations: Readonly<Record<SimulatedEvent, Omit<EventStory, 'play'>>> = {
  paid: { until: credited },
  partial: { until: ['processing', ...credited] },
  underpaid: { until: credited },
  overpaid: { until: credited },
  late: { until: credited },
  expired: { until: ['expired', ...credited] },
  duplicate: {
    until: credited,
    note: 'The second transfer, a second later, does not change the payment, and nobody is notified of it.',
  },
  reversed: { until: credited, notification: 'payment.reversed' },
  'dispute-opened': { until: ['disput'] },
  'dispute-accepted': { until: ['paid', 'disput-paid'], after: 'disput' },
  'dispute-rejected': { until: ['paid', 'disput-paid', 'expired', 'canceled', 'failed'], after: 'disput' },
  failed: { until: ['failed'] },
  'ack-overdue': { until: credited, notification: 'payment.ack-overdue' },
  settled: { until: credited, notification: 'settlement.paid' },
}

const stories: Readonly<Record<string, EventStory>> = {
  ...Object.fromEntries(
    simulatedEvents.map((event): [string, EventStory] => [event, { ...simulations[event], play: simulated(event) }]),
  ),
  canceled: { until: ['canceled'], play: (payin, orderId) => payin.payments.cancel(orderId) },
  'sent-twice': { until: credited, play: () => Promise.resolve(), cents: '08' },
  'sent-late': { until: credited, play: () => Promise.resolve(), cents: '09' },
}

/** The story that sends a kind of notification, for those with another name. */
const storyOfKind: Readonly<Record<string, string>> = {
  'payment.processing': 'partial',
  'payment.paid': 'paid',
  'payment.disput': 'dispute-opened',
  'payment.disput-paid': 'overpaid',
  'disput-paid': 'overpaid',
  'payment.expired': 'expired',
  'payment.canceled': 'canceled',
  'payment.reversed': 'reversed',
  'payment.failed': 'failed',
  'payment.ack-overdue': 'ack-overdue',
  'settlement.paid': 'settled',
}

const names = Object.keys(stories)

const findStory = (typed: string): EventStory => {
  const story = stories[typed] ?? stories[storyOfKind[typed] ?? '']
  if (story !== undefined) return story
  throw new Failure([`The sandbox has no event ${quoted(typed)}. It has ${names.join(', ')}, endpoint.test.`], 2)
}

type Endpoint = Awaited<ReturnType<Payin['endpoints']['list']>>[number]

/** The address of an endpoint. A listener has none: `payin listen` describes its own by its name. */
const addressOf = ({ url, description, listeningUntil }: Endpoint): string =>
  listeningUntil === undefined ? url : description || 'a listener'

/** Sends a test to every endpoint that is enabled. */
const sendTests = async (session: Session): Promise<void> => {
  const tests = await session.merchant().ask(async (payin) => {
    const endpoints = (await payin.endpoints.list()).filter(({ enabled }) => enabled)
    return Promise.all(
      endpoints.map(async (endpoint) => ({
        ...{ endpointId: endpoint.id, url: endpoint.url, address: addressOf(endpoint) },
        ...(await payin.endpoints.test(endpoint.id)),
      })),
    )
  })
  if (tests.length === 0) throw new Failure(['No endpoint is enabled: payin listen makes one.'])
  session.showValue({ tests }, () => printLines(tests.map(({ address, eventId }) => [address, eventId])))
}

const describe =
  (note: string | undefined) =>
  (played: PlayedStory): Printed => {
    const { orderId, status, amount, finalAmount, currency, events, deliveries, notified } = played
    return printSections(
      printFields({
        Order: orderId,
        Status: status,
        Amount: printAmount(amount, currency),
        'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
        Notification: notified?.type,
      }),
      ...printTables(fieldsOf(payments.operations.show.answer), {
        events: events.map(({ by, ...event }) => ({ ...event, actor: by })),
        // The service lists the newest first, but the statuses above start with the oldest.
        deliveries: deliveries.toReversed(),
      }),
      note,
    )
  }

/** Whether there is a payment with this order. */
const exists = (payin: Payin, orderId: string): Promise<boolean> =>
  payin.payments.status(orderId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof PayinError && error.code === 'payment_not_found') return false
      throw error
    },
  )

/** An amount with these digits after its point, if the story needs them. */
const withCents = (amount: string, cents: string | undefined): number =>
  exactAmount(cents === undefined ? amount : `${amount.split('.')[0] ?? amount}.${cents}`)

export const triggerCommands: Commands = {
  trigger: command({
    description: `Play an event in the sandbox, with a new payment or that of --order, and wait until it is over and every endpoint was called: ${names.join(', ')}, endpoint.test.`,
    inputs: {
      event: argument('<event>', 'the event, or the kind of notification that it sends, such as payment.paid'),
      orderId: option('--order <order>', 'the payment of this order; created if there is none'),
      amount: optionOr('--amount <amount>', 'amount of a new payment', '1500', amountText),
      currency: optionOr('--currency <currency>', 'currency of a new payment', 'rub', String),
      ...newPayment,
      timeoutMs: optionOr('--timeout <span>', 'longest time to wait for the end', '1m', span),
    },
    run: async (session, { event, timeoutMs, orderId, amount, ...given }) => {
      if (event === 'endpoint.test') return sendTests(session)
      const story = findStory(event)
      const { clock } = session.surroundings
      const order = orderId ?? `${event}-${session.surroundings.newId().slice(0, 8)}`
      const body = createBody({ ...given, amount: withCents(amount, story.cents), orderId: order })
      const played = await session.merchant().ask(async (payin) => {
        const isNew = orderId === undefined || !(await exists(payin, order))
        if (!isNew && story.cents)
          throw new Failure([`${event} is played by the amount, so it needs a new payment.`], 2)
        return playStory(payin, story, body, { isNew, clock, timeoutMs })
      })
      const { isOver, ...shown } = played
      session.showValue(shown, describe(story.note))
      if (isOver) return
      session.surroundings.errors.write(`It is not over after ${printSpan(timeoutMs)}: payin payments wait ${order}\n`)
      session.fail()
    },
  }),
}
