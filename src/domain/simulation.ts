import { currencyDecimals } from './currency.ts'
import { second } from './time.ts'

/** One step of the simulated bank: a transfer, or the end of the payer's time. */
export type SimulatedStep =
  | { readonly action: 'transfer'; readonly amount: bigint; readonly delayMs: number }
  | { readonly action: 'end-time'; readonly delayMs: number }

/** Events of the simulate operation (docs/domain.md §10). */
export const simulatedEvents = ['paid', 'partial', 'underpaid', 'overpaid', 'late', 'expired', 'duplicate'] as const
/** One of `simulatedEvents`. */
export type SimulatedEvent = (typeof simulatedEvents)[number]

const atLeastOne = (amount: bigint): bigint => (amount > 0n ? amount : 1n)

/** Steps of a simulated event for a payment of `amount`; `money` replaces the event's usual sum. */
export const simulateEvent = (
  event: SimulatedEvent,
  amount: bigint,
  money: bigint | undefined,
  delayMs: number,
): SimulatedStep[] => {
  const transfer = (usual: bigint, later = 0): SimulatedStep => ({
    action: 'transfer',
    amount: atLeastOne(money ?? usual),
    delayMs: delayMs + later,
  })
  const end = (later = 0): SimulatedStep => ({ action: 'end-time', delayMs: delayMs + later })
  const steps: Record<SimulatedEvent, SimulatedStep[]> = {
    paid: [transfer(amount)],
    partial: [transfer(amount / 2n)],
    underpaid: [transfer((amount * 9n) / 10n), end(1)],
    overpaid: [transfer(amount + atLeastOne(amount / 10n))],
    late: [end(), transfer(amount, 1)],
    expired: [end()],
    duplicate: [transfer(amount), transfer(amount, second)],
  }
  return steps[event]
}

/** The kopecks (last two digits of the amount) that make a sandbox payment play a story by itself. */
export const kopecks = (amount: bigint, currency: string): number | undefined =>
  currencyDecimals(currency) === 2 ? Number(amount % 100n) : undefined

/** Kopecks for which the sandbox acts as if no requisite were free. */
export const kopecksWithoutRequisite = 7

/** Time to pay that certain kopecks force instead of the merchant's terms. */
export const kopecksTimeToPayMs: Readonly<Record<number, number>> = { 5: 10 * second, 6: 10 * second }

/** The story that a sandbox payment's kopecks tell, as steps from its creation; none for ordinary amounts. */
export const kopecksStory = (amount: bigint, currency: string): SimulatedStep[] => {
  const soon = 2 * second
  switch (kopecks(amount, currency)) {
    case 1:
    case 9:
      return simulateEvent('paid', amount, undefined, soon)
    case 2:
    // Two notifications, as one alone cannot come out of order.
    case 8:
      return [
        { action: 'transfer', amount: atLeastOne(amount / 2n), delayMs: soon },
        { action: 'transfer', amount: amount - atLeastOne(amount / 2n), delayMs: 2 * soon },
      ]
    case 3:
      return simulateEvent('underpaid', amount, undefined, soon)
    case 4:
      return simulateEvent('overpaid', amount, undefined, soon)
    case 6:
      return [
        { action: 'end-time', delayMs: 10 * second },
        { action: 'transfer', amount, delayMs: 12 * second },
      ]
    default:
      return []
  }
}

/** What the sandbox plays with the notifications of a payment: each twice and the first one last, or two failed tries. */
export type NotificationPlay = 'twice-out-of-order' | 'fails-twice'

/** What a sandbox payment's kopecks do to its notifications; `null` for ordinary amounts. */
export const notificationPlay = (amount: bigint, currency: string): NotificationPlay | null => {
  const story = kopecks(amount, currency)
  return story === 8 ? 'twice-out-of-order' : story === 9 ? 'fails-twice' : null
}

/** How long the first notification of such a payment is held back, so that the second one overtakes it. */
export const heldBackMs = 6 * second

/** After how long the same notification is sent again. */
export const repeatedAfterMs = second

/** How many tries of a notification fail without being sent. */
export const simulatedFailures = 2
