import { currencyDecimals } from '../values/currency.ts'
import { day, second } from '../time.ts'

/**
 * One step of the simulated bank, payer or operator. Without an `amount` a reversal takes back everything, and a
 * dispute is about its payment's amount. That of a refund counts if the merchant has asked for none.
 */
export type SimulatedStep =
  | { readonly action: 'transfer' | 'refund' | 'fail-refund'; readonly amount: bigint; readonly delayMs: number }
  | { readonly action: 'end-time' | 'fail' | 'reject-dispute' | 'remind' | 'settle'; readonly delayMs: number }
  | {
      readonly action: 'reversal' | 'open-dispute' | 'accept-dispute'
      readonly amount: bigint | null
      readonly delayMs: number
    }

/** Events of the simulate operation (docs/domain.md §10). */
export const simulatedEvents = [
  'paid',
  'partial',
  'underpaid',
  'overpaid',
  'late',
  'expired',
  'duplicate',
  'reversed',
  'dispute-opened',
  'dispute-accepted',
  'dispute-rejected',
  'failed',
  'ack-overdue',
  'settled',
  'refunded',
  'refund-failed',
] as const
export type SimulatedEvent = (typeof simulatedEvents)[number]

/**
 * Who reports simulated money: a feed or a bank's message on a phone, immediately; or nobody until the bank's statement is
 * imported.
 */
export const simulatedReporters = ['feed', 'message', 'statement'] as const
export type SimulatedReporter = (typeof simulatedReporters)[number]

/** The longest delay of a simulated event. */
export const longestDelayMs = day

const atLeastOne = (amount: bigint): bigint => (amount > 0n ? amount : 1n)

/** The most money that a merchant may simulate for a payment: all sandbox merchants share its books. */
export const mostSimulated = (amount: bigint): bigint => amount * 10n

/** Steps of a simulated event for a payment; `money` replaces the event's usual sum. */
export const simulateEvent = (
  event: SimulatedEvent,
  { amount, isCredited }: { readonly amount: bigint; readonly isCredited: boolean },
  money: bigint | undefined,
  delayMs: number,
): SimulatedStep[] => {
  const transfer = (usual: bigint, later = 0): SimulatedStep => ({
    action: 'transfer',
    amount: atLeastOne(money ?? usual),
    delayMs: delayMs + later,
  })
  const end = (later = 0): SimulatedStep => ({ action: 'end-time', delayMs: delayMs + later })
  // Only a payment whose time has ended can be in dispute, and only a disputed one can leave the dispute.
  const dispute: SimulatedStep[] = [end(), { action: 'open-dispute', amount: money ?? null, delayMs: delayMs + 1 }]
  /** A step that needs a credit; adds the credit first if there is none. */
  const afterCredit = (
    step: SimulatedStep & { readonly action: 'reversal' | 'remind' | 'settle' | 'refund' | 'fail-refund' },
  ): SimulatedStep[] =>
    isCredited
      ? [step]
      : [
          { action: 'transfer', amount: atLeastOne(amount), delayMs },
          { ...step, delayMs: delayMs + second },
        ]
  /** Half of it by default: of a first payment the balance, less the fee, does not cover the whole. */
  const refund = (action: 'refund' | 'fail-refund'): SimulatedStep[] =>
    afterCredit({ action, amount: money ?? atLeastOne(amount / 2n), delayMs })
  const steps: Record<SimulatedEvent, SimulatedStep[]> = {
    paid: [transfer(amount)],
    partial: [transfer(amount / 2n)],
    underpaid: [transfer((amount * 9n) / 10n), end(1)],
    overpaid: [transfer(amount + atLeastOne(amount / 10n))],
    late: [end(), transfer(amount, 1)],
    expired: [end()],
    duplicate: [transfer(amount), transfer(amount, second)],
    reversed: afterCredit({ action: 'reversal', amount: money ?? null, delayMs }),
    'dispute-opened': dispute,
    'dispute-accepted': [...dispute, { action: 'accept-dispute', amount: money ?? null, delayMs: delayMs + 2 }],
    'dispute-rejected': [...dispute, { action: 'reject-dispute', delayMs: delayMs + 2 }],
    failed: [{ action: 'fail', delayMs }],
    'ack-overdue': afterCredit({ action: 'remind', delayMs }),
    settled: afterCredit({ action: 'settle', delayMs }),
    refunded: refund('refund'),
    'refund-failed': refund('fail-refund'),
  }
  return steps[event]
}

/** What the sandbox does with the notifications of a payment: each twice and the first last, or two failed tries. */
export type NotificationPlay = 'twice-out-of-order' | 'fails-twice'

/** What a sandbox payment does automatically, depending on the minor units of its amount. */
export type Story = {
  /** The simulated bank's steps, timed from the creation. */
  readonly steps?: (amount: bigint) => SimulatedStep[]
  /** Time to pay, instead of the merchant's terms. */
  readonly timeToPayMs?: number
  /** As if no requisite were free. */
  readonly lacksRequisite?: true
  readonly notifications?: NotificationPlay
}

const soon = 2 * second

const playEvent =
  (event: SimulatedEvent) =>
  (amount: bigint): SimulatedStep[] =>
    simulateEvent(event, { amount, isCredited: false }, undefined, soon)

const playHalves = (amount: bigint): SimulatedStep[] => [
  { action: 'transfer', amount: atLeastOne(amount / 2n), delayMs: soon },
  { action: 'transfer', amount: amount - atLeastOne(amount / 2n), delayMs: 2 * soon },
]

const playLate = (amount: bigint): SimulatedStep[] => [
  { action: 'end-time', delayMs: 10 * second },
  { action: 'transfer', amount, delayMs: 12 * second },
]

/** Stories by the last two digits of the amount (docs/domain.md §10). */
const stories = {
  '01': { steps: playEvent('paid') },
  '02': { steps: playHalves },
  '03': { steps: playEvent('underpaid') },
  '04': { steps: playEvent('overpaid') },
  '05': { timeToPayMs: 10 * second },
  '06': { steps: playLate, timeToPayMs: 10 * second },
  '07': { lacksRequisite: true },
  // Two notifications, because a single one cannot be out of order.
  '08': { steps: playHalves, notifications: 'twice-out-of-order' },
  '09': { steps: playEvent('paid'), notifications: 'fails-twice' },
} as const satisfies Readonly<Record<string, Story>>
export type StoryEnding = keyof typeof stories

/** The story of an amount; empty for ordinary amounts, and for currencies that do not have two decimals. */
export const storyOf = (amount: bigint, currency: string): Story =>
  (currencyDecimals(currency) === 2 && stories[String(amount % 100n).padStart(2, '0') as StoryEnding]) || {}

/** What a sandbox payment's amount does to its notifications; `null` for ordinary amounts. */
export const notificationPlay = (amount: bigint, currency: string): NotificationPlay | null =>
  storyOf(amount, currency).notifications ?? null

/** How long the first notification of such a payment is held back, so that the second one overtakes it. */
export const heldBackMs = 6 * second

/** After how long the same notification is sent again. */
export const sentAgainAfterMs = second

/** How many tries of a notification fail without being sent. */
export const simulatedFailures = 2
