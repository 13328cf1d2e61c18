import { setTimeout as sleep } from 'node:timers/promises'
import type { NotificationKind } from '../domain/notification.ts'
import { type SimulatedEvent, simulatedEvents } from '../domain/simulation.ts'
import { type Payin, PayinError, type PaymentStatus } from '../../sdk/src/payin-sdk.ts'
import { command, type Commands } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, option, optionOr } from './inputs.ts'
import { createBody, exactAmount, newPayment } from './merchant-payments.ts'
import {
  printAmount,
  type Printed,
  printFields,
  printRows,
  printSections,
  printSpan,
  printTime,
} from './print-table.ts'
import { amountText, quoted, span } from './read-arguments.ts'
import type { Session } from './session.ts'

/** What plays a story: the simulated bank or payer, the merchant itself, or the amount of a payment. */
type Story = {
  /** Statuses of which one ends the story: another one than the first where the merchant's terms say so. */
  readonly until: readonly PaymentStatus[]
  /** A status that comes before it. */
  readonly after?: PaymentStatus
  readonly play: (payin: Payin, orderId: string) => Promise<unknown>
  /** The last two digits of the amount that plays it. */
  readonly cents?: string
  /** A notification that ends it where the status says nothing of it. */
  readonly notification?: NotificationKind
}

const simulated = (event: SimulatedEvent) => (payin: Payin, orderId: string) =>
  payin.sandbox.simulate(orderId, { event })

const credited: readonly PaymentStatus[] = ['paid', 'disput-paid', 'disput']

/** Where each event of the simulation ends. */
const simulations: Readonly<Record<SimulatedEvent, Omit<Story, 'play'>>> = {
  paid: { until: credited },
  partial: { until: ['processing', ...credited] },
  underpaid: { until: credited },
  overpaid: { until: credited },
  late: { until: credited },
  expired: { until: ['expired', ...credited] },
  duplicate: { until: credited },
  reversed: { until: credited },
  'dispute-opened': { until: ['disput'] },
  'dispute-accepted': { until: ['paid', 'disput-paid'], after: 'disput' },
  'dispute-rejected': { until: ['paid', 'disput-paid', 'expired', 'canceled', 'failed'], after: 'disput' },
  failed: { until: ['failed'] },
  'ack-overdue': { until: credited, notification: 'payment.ack-overdue' },
  settled: { until: credited, notification: 'settlement.paid' },
}

const stories: Readonly<Record<string, Story>> = {
  ...Object.fromEntries(
    simulatedEvents.map((event): [string, Story] => [event, { ...simulations[event], play: simulated(event) }]),
  ),
  canceled: { until: ['canceled'], play: (payin, orderId) => payin.payments.cancel(orderId) },
  'sent-twice': { until: credited, play: () => Promise.resolve(), cents: '08' },
  'sent-late': { until: credited, play: () => Promise.resolve(), cents: '09' },
}

/** The story that makes a kind of notification, where another word is typed. */
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

const findStory = (typed: string): Story => {
  const story = stories[typed] ?? stories[storyOfKind[typed] ?? '']
  if (story !== undefined) return story
  throw new Failure([`The sandbox has no event ${quoted(typed)}. There is ${names.join(', ')}, endpoint.test.`], 2)
}

/** Sends a test to every endpoint that is enabled. */
const sendTests = async (session: Session): Promise<void> => {
  const tests = await session.merchant().ask(async (payin) => {
    const endpoints = (await payin.endpoints.list()).filter(({ enabled }) => enabled)
    return Promise.all(
      endpoints.map(async ({ id, url }) => ({ endpointId: id, url, ...(await payin.endpoints.test(id)) })),
    )
  })
  if (tests.length === 0) throw new Failure(['There is no endpoint that is enabled: payin listen makes one.'])
  session.showValue({ tests }, () => printRows(tests, { 'ADDRESS~': 'url', 'EVENT#': 'eventId' }))
}

type Timeline = Awaited<ReturnType<Payin['payments']['timeline']>>

const describe = (timeline: Timeline, notification: NotificationKind | undefined): Printed => {
  const { orderId, status, amount, finalAmount, currency, events, deliveries } = timeline
  return printSections(
    printFields({
      Order: orderId,
      Status: status,
      Amount: printAmount(amount, currency),
      'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
      Notification: notification,
    }),
    printRows(events, { AT: ({ at }) => printTime(at), STATUS: 'status', REASON: 'statusReason', BY: 'by' }),
    deliveries.length === 0
      ? undefined
      : printRows(deliveries, {
          EVENT: 'type',
          DELIVERY: 'status',
          'ATTEMPTS>': 'attempts',
          'ENDPOINT#': 'endpointId',
        }),
  )
}

/** Refuses a live merchant before a payment of real money is made. */
export const requireSandbox = async (payin: Payin): Promise<void> => {
  const { mode, name } = await payin.me()
  if (mode !== 'sandbox') throw new Failure([`${name} is a live merchant: only the sandbox has simulated money.`])
}

/** How often the payment of a story is looked at. */
const lookEveryMs = 300

const isAtEnd = ({ until, after }: Story, { status, events }: Timeline): boolean =>
  until.includes(status) && (after === undefined || events.some((event) => event.status === after))

/** The end of the merchant's feed of events; `seen` gets each page of it behind `after`. */
const readFeed = async (
  payin: Payin,
  after: string | undefined,
  seen: (events: Awaited<ReturnType<Payin['events']>>['events']) => void = () => undefined,
): Promise<string> => {
  for (let cursor = after; ; ) {
    const page = await payin.events({ limit: 500, ...(cursor !== undefined && { after: cursor }) })
    seen(page.events)
    cursor = page.cursor
    if (page.events.length === 0) return page.cursor
  }
}

/** Says at each call whether a notification has come since it was made: about the order, or about none. */
const watchFor = async (payin: Payin, { notification }: Story, orderId: string): Promise<() => Promise<boolean>> => {
  if (notification === undefined) return () => Promise.resolve(true)
  let [cursor, hasCome] = [await readFeed(payin, undefined), false]
  return async () => {
    cursor = await readFeed(payin, cursor, (events) => {
      hasCome ||= events.some(({ type, data }) => type === notification && (data['orderId'] ?? orderId) === orderId)
    })
    return hasCome
  }
}

/** Plays a story with an order, a new one unless it is there, and waits for its end. */
const play = async (
  payin: Payin,
  story: Story,
  body: Parameters<Payin['payments']['create']>[0],
  { isNew, isInTime }: { readonly isNew: boolean; readonly isInTime: () => boolean },
): Promise<Timeline & { isOver: boolean }> => {
  await requireSandbox(payin)
  if (isNew) await payin.payments.create(body)
  const isNotified = await watchFor(payin, story, body.orderId)
  await story.play(payin, body.orderId)
  for (;;) {
    const timeline = await payin.payments.timeline(body.orderId)
    const isOver = isAtEnd(story, timeline) && (await isNotified())
    if (isOver || !isInTime()) return { ...timeline, isOver }
    await sleep(lookEveryMs)
  }
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

/** An amount with these digits after its dot, where a story needs them. */
const withCents = (amount: string, cents: string | undefined): number =>
  exactAmount(cents === undefined ? amount : `${amount.split('.')[0] ?? amount}.${cents}`)

/** `payin trigger`. */
export const triggerCommands: Commands = {
  trigger: command({
    description: `Let the sandbox play an event with a new payment or that of --order, and wait for its end: ${names.join(', ')}, endpoint.test.`,
    inputs: {
      event: argument('<event>', 'the event, or the kind of notification that it makes, such as payment.paid'),
      orderId: option('--order <order>', 'the payment of this order; where there is none, it is made'),
      amount: optionOr('--amount <amount>', 'amount of a new payment', '1500', amountText),
      currency: optionOr('--currency <currency>', 'currency of a new payment', 'rub', String),
      ...newPayment,
      timeoutMs: optionOr('--timeout <span>', 'the longest time to wait for the end', '1m', span),
    },
    run: async (session, { event, timeoutMs, orderId, amount, ...given }) => {
      if (event === 'endpoint.test') return sendTests(session)
      const story = findStory(event)
      const { clock } = session.surroundings
      const end = clock() + timeoutMs
      const order = orderId ?? `${event}-${session.surroundings.newId().slice(0, 8)}`
      const body = createBody({ ...given, amount: withCents(amount, story.cents), orderId: order })
      const played = await session.merchant().ask(async (payin) => {
        const isNew = orderId === undefined || !(await exists(payin, order))
        if (!isNew && story.cents) throw new Failure([`${event} is played by the amount of a new payment.`], 2)
        return play(payin, story, body, { isNew, isInTime: () => clock() < end })
      })
      const { isOver, ...timeline } = played
      session.showValue(timeline, () => describe(timeline, isOver ? story.notification : undefined))
      if (isOver) return
      session.surroundings.errors.write(`It is not over after ${printSpan(timeoutMs)}: payin payments wait ${order}\n`)
      session.fail()
    },
  }),
}
