import { retryDelaysMs } from '../src/rules/notices/delivery.ts'
import { defaultTerms } from '../src/rules/merchants/merchant.ts'
import { fastMethod, methodRules, paymentMethods } from '../src/rules/values/payment-method.ts'
import {
  closedStatuses,
  creditedStatuses,
  type PaymentStatus,
  paymentStatuses,
  transitions,
  type Trigger,
} from '../src/rules/payments/payment.ts'
import { type SimulatedEvent, simulatedEvents, type StoryEnding } from '../src/rules/sandbox/simulation.ts'
import { day, hour, minute, second } from '../src/rules/time.ts'
import { writeTable } from './write-table.ts'

const meanings: Readonly<Record<PaymentStatus, string>> = {
  new: 'created, waits for the transfer',
  processing: 'the payer says that the money was sent, or part of it has arrived',
  paid: 'the money has arrived',
  disput: 'an operator is checking another amount or a claim',
  'disput-paid': 'credited with another amount, `finalAmount`',
  expired: 'the time ran out without money; late money may still pay it',
  canceled: 'canceled before any money arrived',
  failed: 'refused, or its account was closed before anybody saw it',
}

/** What a merchant does with its user in a status. */
const credits: Partial<Record<PaymentStatus, string>> = {
  paid: '`amount`',
  'disput-paid': '`finalAmount`',
  disput: 'nothing more; take nothing back',
}

/** The statuses, and what a merchant does in each. */
export const writeStatuses = (): string =>
  writeTable(
    ['status', 'meaning', 'final for now', 'acknowledge', 'give your user'],
    paymentStatuses.map((status) => [
      `\`${status}\``,
      meanings[status],
      closedStatuses.has(status) ? 'yes' : 'no',
      creditedStatuses.has(status) ? 'yes' : '',
      credits[status] ?? 'nothing',
    ]),
  )

/** Each trigger in words, with the diagram that shows it; their order gives their numbers. */
const triggers: Readonly<Record<Exclude<Trigger, 'created'>, readonly [diagram: Diagram, words: string]>> = {
  'payer-claimed': ['usual', 'the payer presses “I have paid”'],
  'money-right': ['usual', 'the whole amount arrives in time'],
  'time-out': ['usual', 'the time to pay ends without money'],
  canceled: ['usual', 'you, the payer or an operator cancel it'],
  'service-closed': ['usual', 'the payer is refused, or the account was closed before anybody saw it'],
  'money-partial': ['another amount', 'part of the amount arrives in time, and the rest may follow'],
  'money-late': ['another amount', 'the exact amount arrives late'],
  'money-mismatch-credited': ['another amount', 'another amount arrives and is credited'],
  'money-mismatch-review': ['another amount', 'another amount arrives, and an operator decides'],
  'receipt-at-deadline': ['disputes', 'no money has arrived, but the payer has sent a receipt'],
  'dispute-opened': ['disputes', 'you, the payer or an operator claim that it was paid'],
  'correction-opened': ['disputes', 'an operator proposes another final amount'],
  'dispute-accepted': ['disputes', 'the dispute is accepted, with an amount'],
  'dispute-rejected': ['disputes', 'the dispute is rejected or withdrawn: back to the status before'],
}
type Diagram = 'usual' | 'another amount' | 'disputes'

/** A diagram of the transitions of some triggers, as Mermaid writes it, and a table that explains its numbers. */
export const writeDiagram = (diagram: Diagram): string => {
  const shown = Object.entries(triggers).filter(([, [of]]) => of === diagram)
  const arrows = shown.flatMap(([trigger], index) =>
    transitions
      .filter((each) => each.trigger === trigger)
      .flatMap(({ from, to }) => from.map((each) => ({ from: each, to, number: index + 1 }))),
  )
  const list = (words: readonly string[]): string => [...new Set(words)].map((word) => `\`${word}\``).join(', ')
  const rows = shown.map(([, [, words]], index) => {
    const own = arrows.filter(({ number }) => number === index + 1)
    return [String(index + 1), words, list(own.map(({ from }) => from)), list(own.map(({ to }) => to))]
  })
  const id = (status: string): string => status.replace('-', '_')
  const lines = arrows.map(({ from, to, number }) => `  ${id(from)} --> ${id(to)}: ${number}`)
  return [
    ['```mermaid', 'stateDiagram-v2', `%% ${diagram}`, ...lines, '```'].join('\n'),
    writeTable(['#', 'what happens', 'from', 'to'], rows),
  ].join('\n\n')
}

const units = [
  [day, 'day'],
  [hour, 'hour'],
  [minute, 'minute'],
  [second, 'second'],
] as const

/** A span in the largest unit of which it is a whole number. */
const span = (ms: number): string => {
  const [unit, name] = units.find(([size]) => ms >= size && ms % size === 0) ?? [1, 'millisecond']
  return `${ms / unit} ${name}${ms === unit ? '' : 's'}`
}

/** The methods, and where the number to pay to is. */
export const writeMethods = (): string =>
  writeTable(
    ['method', 'the payer sends money', 'number', 'also needed'],
    paymentMethods.map((method) => {
      const { cardField, form, meaning, transferScope } = methodRules[method]
      return [
        `\`${method}\``,
        meaning,
        `\`card.${cardField}\`: ${form}`,
        transferScope === null ? '' : `\`transferScope\`: \`${transferScope}\``,
      ]
    }),
  )

type Play = readonly [happens: string, seen: string]

/** What each ending of an amount plays in the sandbox, and what its merchant sees; see `stories`. */
const magicAmounts: Readonly<Record<StoryEnding, Play>> = {
  '01': ['the amount arrives after 2 seconds', '`paid`'],
  '02': ['half arrives after 2 seconds, half arrives after 4 seconds', '`processing`, then `paid`'],
  '03': ['90 % of it arrives after 2 seconds, and the time ends', '`processing`, then `disput-paid`'],
  '04': ['110 % of it arrives after 2 seconds', '`disput-paid`'],
  '05': ['the time ends after 10 seconds', '`expired`'],
  '06': ['the time ends after 10 seconds, the amount arrives after 12 seconds', '`expired`, then `paid`'],
  '07': ['no account is free', '409 `requisites_unavailable`'],
  '08': ['as `.02`; each notification arrives twice, and out of order', '`processing`, then `paid`'],
  '09': ['as `.01`; the first two attempts of each notification fail', '`paid`'],
}

/** Amounts that play a story in the sandbox. */
export const writeMagicAmounts = (): string => {
  const rows = Object.entries(magicAmounts).map(([ending, play]) => [`\`.${ending}\``, ...play])
  return writeTable(['amount ends in', 'what happens', 'what you see'], rows)
}

const events: Readonly<Record<SimulatedEvent, Play>> = {
  paid: ['the amount arrives', '`paid`'],
  partial: ['half arrives', '`processing`'],
  underpaid: ['90 % of it arrives, the time ends', '`processing`, then `disput-paid`'],
  overpaid: ['110 % of it arrives', '`disput-paid`'],
  late: ['the time ends, the amount arrives', '`expired`, then `paid`'],
  expired: ['the time ends', '`expired`'],
  duplicate: ['the amount arrives, and again a second later', '`paid`; the second transfer is owed to the payer'],
  reversed: ['the amount arrives, the bank takes it back', '`paid`, and `payment.reversed`'],
  'dispute-opened': [
    'the time ends, the payer claims to have paid; of a paid payment: operators propose another final amount',
    '`disput`',
  ],
  'dispute-accepted': ['as `dispute-opened`, and it is accepted', '`disput`, then `disput-paid`'],
  'dispute-rejected': ['as `dispute-opened`, and it is rejected', '`disput`, then the status before'],
  failed: ['Payin closes it while it is `new`', '`failed`'],
  'ack-overdue': ['the amount arrives, its acknowledgement is overdue', '`paid`, and `payment.ack-overdue`'],
  settled: [
    'the amount arrives, two operators pay out what you have asked for, or else your balance',
    '`paid`, and `settlement.paid`',
  ],
  refunded: [
    'the amount arrives; your open refunds of it, or half the amount if there are none, are sent and leave the bank',
    '`paid`, and `refund.approved`, `refund.sent`, `refund.done`',
  ],
  'refund-failed': [
    'as `refunded`, but the money does not reach the payer',
    '`paid`, and `refund.approved`, `refund.sent`, `refund.failed`',
  ],
}

/** Events of the simulate operation. */
export const writeSimulatedEvents = (): string => {
  const rows = simulatedEvents.map((event) => [`\`${event}\``, ...events[event]])
  return writeTable(['`event`', 'what happens', 'what you see'], rows)
}

/** The time spans in a payment's life, unless the operator has set others. */
export const writeSpans = (): string => {
  const [instant, banking] = [defaultTerms(fastMethod), defaultTerms('account-to-account')]
  return writeTable(
    ['span', 'default', 'meaning'],
    [
      ['time to pay', span(instant.timeToPayMs), 'from the creation to `expiredAt`'],
      ['grace', span(instant.graceMs), 'money that the bank booked this long after `expiredAt` is still in time'],
      [
        'late window',
        `${span(instant.lateWindowMs)}; ${span(banking.lateWindowMs)} by account transfer`,
        'after the grace: the exact amount still pays the payment; by account transfer, weekends do not count',
      ],
      ['confirm deadline', span(instant.confirmDeadlineMs), 'how long “I have paid” keeps a payment open'],
    ],
  )
}

/** When a notification that failed is tried again. */
export const writeRetries = (): string => retryDelaysMs.map(span).join(', ')
