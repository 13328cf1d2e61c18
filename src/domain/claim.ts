import { dueAt, lateUntil, type Payment, type PaymentStatus } from './payment.ts'
import { day, type Instant } from './time.ts'

/** What the payer of a closed payment says: how much it sent, and when. */
export type PayerClaim = { readonly amount: bigint; readonly paidAt: Instant }

const closedWithoutMoney: ReadonlySet<PaymentStatus> = new Set(['expired', 'canceled', 'failed'])

/** Until when a closed payment takes claims and receipts: a month for people after late money found it by itself. */
export const claimableUntil = (payment: Pick<Payment, 'expiredAt' | 'terms'>): Instant => lateUntil(payment) + 30 * day

/**
 * Whether the payer may claim to have paid: the payment is closed without money, or its time is over and no job has
 * written that yet, the payer has seen where to pay, and it is not too long ago.
 */
export const mayClaim = (payment: Payment, now: Instant): boolean => {
  if (!payment.requisiteShown || payment.received > 0n || now >= claimableUntil(payment)) return false
  return closedWithoutMoney.has(payment.status) || now >= (dueAt(payment) ?? Number.POSITIVE_INFINITY)
}

/** Whether the payer may send receipts: it says that it has paid, and nobody has found the money yet. */
export const maySendReceipt = (payment: Payment, now: Instant): boolean =>
  mayClaim(payment, now) || (payment.requisiteShown && (payment.status === 'processing' || payment.status === 'disput'))

/** Whether a payment can have been made at the time that the payer says; clocks of payers are off by hours. */
export const isClaimTime = (payment: Pick<Payment, 'createdAt'>, paidAt: Instant, now: Instant): boolean =>
  paidAt > payment.createdAt - day && paidAt < now + day
