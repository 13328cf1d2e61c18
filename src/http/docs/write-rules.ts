import { formatDecimal } from '../../rules/values/currency.ts'
import { retryDelaysMs } from '../../rules/notices/delivery.ts'
import { defaultTerms } from '../../rules/merchants/merchant.ts'
import { fastMethod, methodRules, paymentMethods } from '../../rules/values/payment-method.ts'
import {
  closedStatuses,
  creditedStatuses,
  type PaymentStatus,
  paymentStatuses,
  transitions,
  type Trigger,
} from '../../rules/payments/payment.ts'
import {
  type SimulatedEvent,
  type SimulatedStep,
  simulatedEvents,
  simulateEvent,
  type Story,
  storyOf,
} from '../../rules/sandbox/simulation.ts'
import { day, hour, minute, second } from '../../rules/time.ts'
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

/** What takes a payment from one status to another, in words, by the part of its life that it belongs to. */
const triggers: Readonly<Record<Exclude<Trigger, 'created'>, readonly [part: PartOfLife, words: string]>> = {
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
type PartOfLife = 'usual' | 'another amount' | 'disputes'

/** The transitions of a part of a payment's life. */
export const writeTransitions = (part: PartOfLife): string => {
  const list = (words: readonly string[]): string => [...new Set(words)].map((word) => `\`${word}\``).join(', ')
  const rows = Object.entries(triggers).flatMap(([trigger, [of, words]]) => {
    const own = transitions.filter((each) => each.trigger === trigger)
    return of === part ? [[words, list(own.flatMap(({ from }) => from)), list(own.map(({ to }) => to))]] : []
  })
  return writeTable(['what happens', 'from', 'to'], rows)
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

const share = (part: bigint, amount: bigint): string => {
  const percent = (part * 100n + amount / 2n) / amount
  if (part === amount) return 'the amount'
  return percent === 50n ? 'half' : `${percent} % of it`
}

const stepInWords = (step: SimulatedStep, amount: bigint): string => {
  if (step.action === 'transfer') return `${share(step.amount, amount)} arrives`
  const words: Readonly<Record<Exclude<SimulatedStep['action'], 'transfer'>, string>> = {
    'end-time': 'the time ends',
    reversal: 'the bank takes it back',
    'open-dispute': 'the payer claims to have paid',
    'accept-dispute': 'an operator accepts it',
    'reject-dispute': 'an operator rejects it',
    fail: 'Payin closes it while it is `new`',
    remind: 'its acknowledgement is overdue',
    settle: 'two operators pay out your balance',
  }
  return words[step.action]
}

const stepsInWords = (steps: readonly SimulatedStep[], amount: bigint): string =>
  steps
    .map((step) => {
      const after = step.delayMs < second ? '' : ` after ${span(step.delayMs - (step.delayMs % second))}`
      return stepInWords(step, amount) + after
    })
    .join(', ')

/** What the merchant sees if this is the last step. */
const endings: Partial<Record<SimulatedStep['action'], string>> = {
  reversal: '`paid`, and `payment.reversed`',
  'open-dispute': '`disput`',
  'accept-dispute': '`disput`, then `disput-paid`',
  'reject-dispute': '`disput`, then `expired`',
  fail: '`failed`',
  remind: '`paid`, and `payment.ack-overdue`',
  settle: '`paid`, and `settlement.paid`',
}

/** The statuses that a payment passes through when the simulated bank takes these steps. */
const outcomeOf = (steps: readonly SimulatedStep[], amount: bigint): string => {
  const ending = endings[steps.at(-1)?.action ?? 'transfer']
  if (ending !== undefined) return ending
  const money = steps.flatMap((step) => (step.action === 'transfer' ? [step.amount] : []))
  const endsFirst = steps[0]?.action === 'end-time'
  const sum = money.reduce((all, each) => all + each, 0n)
  if (money.length === 0) return '`expired`'
  if (endsFirst) return '`expired`, then `paid`'
  if (money[0] === amount) return money.length > 1 ? '`paid`; the second transfer is owed to the payer' : '`paid`'
  if (sum === amount) return '`processing`, then `paid`'
  if (sum < amount && steps.every(({ action }) => action === 'transfer')) return '`processing`'
  return sum < amount ? '`processing`, then `disput-paid`' : '`disput-paid`'
}

const storyInWords = (
  { steps, timeToPayMs, lacksRequisite, notifications }: Story,
  amount: bigint,
): readonly string[] => {
  const played = steps?.(amount)
  if (lacksRequisite) return ['no account is free', '409 `requisites_unavailable`']
  if (!played) return [`the time ends after ${span(timeToPayMs ?? 0)}`, '`expired`']
  const notes = {
    'twice-out-of-order': '; each notification arrives twice, and out of order',
    'fails-twice': '; the first two attempts of each notification fail',
  } as const
  return [stepsInWords(played, amount) + (notifications ? notes[notifications] : ''), outcomeOf(played, amount)]
}

/** Amounts that play a story in the sandbox. */
export const writeMagicAmounts = (): string => {
  const amounts = Array.from({ length: 100 }, (_, ending) => 100_000n + BigInt(ending))
  const rows = amounts.flatMap((amount) => {
    const story = storyOf(amount, 'rub')
    if (Object.keys(story).length === 0) return []
    return [[`\`.${formatDecimal(amount, 2).split('.')[1] ?? '00'}\``, ...storyInWords(story, amount)]]
  })
  return writeTable(['amount ends in', 'what happens', 'what you see'], rows)
}

/** What an event does with a payment that is already credited, and what the merchant then sees. */
const ofCredited: Partial<Record<SimulatedEvent, readonly [played: string, seen: string]>> = {
  'dispute-opened': ['operators propose another final amount', '`disput`'],
  'dispute-accepted': ['operators correct its final amount to `amount`', '`disput`, then `disput-paid` with it'],
  'dispute-rejected': ['operators propose another final amount and reject it', '`disput`, then `paid` again'],
}

/** Events of the simulate operation. */
export const writeSimulatedEvents = (): string => {
  const amount = 100_000n
  const row = (event: SimulatedEvent): readonly string[] => {
    const steps = simulateEvent(event, { amount, isCredited: false }, undefined, 0)
    const [played, seen] = ofCredited[event]?.map((words) => `; of a paid payment: ${words}`) ?? ['', '']
    return [`\`${event}\``, stepsInWords(steps, amount) + played, outcomeOf(steps, amount) + seen]
  }
  return writeTable(['`event`', 'what happens', 'what you see'], simulatedEvents.map(row))
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
