import { mayClaim, dueAt, type Payment, unpaidStatuses } from '../../rules/payments/payment.ts'
import type { Instant } from '../../rules/time.ts'

/** What the payer's page shows; one rendering each. */
export type PageState =
  | 'details'
  | 'pay'
  | 'checking'
  | 'part'
  | 'part-over'
  | 'paid'
  | 'credited'
  | 'expired'
  | 'claimed'
  | 'rejected'
  | 'review'
  | 'canceled'
  | 'failed'

/** States in which nothing more is expected: the main link leads back to the shop. */
export const closedStates: ReadonlySet<PageState> = new Set([
  'paid',
  'credited',
  'expired',
  'rejected',
  'canceled',
  'failed',
])

const stateOfStatus = (payment: Payment, now: Instant): PageState => {
  switch (payment.status) {
    case 'new':
      if (now >= payment.expiredAt) return 'expired'
      return payment.type === 'staged' && !payment.requisiteShown ? 'details' : 'pay'
    case 'processing':
      if (payment.received > 0n) return now < payment.expiredAt ? 'part' : 'part-over'
      return now < (dueAt(payment) ?? now) ? 'checking' : 'expired'
    case 'disput-paid':
      return 'credited'
    case 'disput':
      return 'review'
    default:
      return payment.status
  }
}

/**
 * The state of a payment's page at `now`. A deadline counts at once, before the job has written the change: nobody may be
 * asked to pay to a requisite that no longer waits for the payment.
 */
export const pageState = (payment: Payment, now: Instant): PageState => {
  const { claimReceivedAt, changedAt, status, statusReason } = payment
  const isRejected = statusReason === 'rejected' && unpaidStatuses.has(status)
  if (isRejected && (claimReceivedAt ?? 0) <= changedAt) return 'rejected'
  return claimReceivedAt === null || !mayClaim(payment, now) ? stateOfStatus(payment, now) : 'claimed'
}

/** How often a page in this state polls while it has no event stream, in milliseconds; 0 for never. */
export const pollMs = (state: PageState): number => {
  switch (state) {
    case 'pay':
    case 'checking':
    case 'part':
    case 'part-over':
      return 3000
    case 'details':
    case 'expired':
    case 'claimed':
    case 'rejected':
    case 'review':
      return 10_000
    default:
      return 0
  }
}
