import { type SimulatedEvent, simulatedEvents } from '../domain/simulation.ts'
import { type Payin, PayinError, type PaymentStatus } from '../../sdk/src/payin-sdk.ts'
import { command, type Commands } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, option, optionOr } from './inputs.ts'
import { createBody, exactAmount, newPayment } from './merchant-payments.ts'
import { type Played, playStory, type Story } from './play-story.ts'
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
  duplicate: {
    until: credited,
    note: 'The second transfer, a second later, changes nothing of the payment, and nobody is notified of it.',
  },
  reversed: { until: credited, notification: 'payment.reversed' },
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

type Endpoint = Awaited<ReturnType<Payin['endpoints']['list']>>[number]

/** Where an endpoint is; a listener has no address, and `payin listen` describes its own by its name. */
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
  if (tests.length === 0) throw new Failure(['There is no endpoint that is enabled: payin listen makes one.'])
  session.showValue({ tests }, () => printRows(tests, { 'ADDRESS~': 'address', 'EVENT#': 'eventId' }))
}

const describe =
  (note: string | undefined) =>
  (played: Played): Printed => {
    const { orderId, status, amount, finalAmount, currency, events, deliveries, notified } = played
    return printSections(
      printFields({
        Order: orderId,
        Status: status,
        Amount: printAmount(amount, currency),
        'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
        Notification: notified?.type,
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

/** An amount with these digits after its dot, where a story needs them. */
const withCents = (amount: string, cents: string | undefined): number =>
  exactAmount(cents === undefined ? amount : `${amount.split('.')[0] ?? amount}.${cents}`)

/** `payin trigger`. */
export const triggerCommands: Commands = {
  trigger: command({
    description: `Let the sandbox play an event with a new payment or that of --order, and wait until it is over and every endpoint was called: ${names.join(', ')}, endpoint.test.`,
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
      const order = orderId ?? `${event}-${session.surroundings.newId().slice(0, 8)}`
      const body = createBody({ ...given, amount: withCents(amount, story.cents), orderId: order })
      const played = await session.merchant().ask(async (payin) => {
        const isNew = orderId === undefined || !(await exists(payin, order))
        if (!isNew && story.cents) throw new Failure([`${event} is played by the amount of a new payment.`], 2)
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
