import { dueAt, lateUntil, type Payment, unpaidStatuses } from './payment.ts'
import { day, type Instant, minute } from '../time.ts'

/** The claim of a closed payment's payer: how much it sent, and when. */
export type PayerClaim = { readonly amount: bigint; readonly paidAt: Instant }

/** Until when a closed payment accepts claims and receipts: a month after the end of its late window. */
export const claimableUntil = (payment: Pick<Payment, 'expiredAt' | 'terms' | 'method'>): Instant =>
  lateUntil(payment) + 30 * day

/**
 * Whether the payer may claim to have paid: the payment was closed without money (or its time has ended and the job is
 * late), the payer has seen where to pay, and it is not too long ago.
 */
export const mayClaim = (payment: Payment, now: Instant): boolean => {
  if (!payment.requisiteShown || payment.received > 0n || now >= claimableUntil(payment)) return false
  return unpaidStatuses.has(payment.status) || now >= (dueAt(payment) ?? Number.POSITIVE_INFINITY)
}

/** Whether the payer may send receipts: it claims to have paid, and the money has not been found yet. */
export const maySendReceipt = (payment: Payment, now: Instant): boolean =>
  mayClaim(payment, now) || (payment.requisiteShown && (payment.status === 'processing' || payment.status === 'disput'))

/**
 * Whether the time that the payer gives is plausible: not in the future, unless it may be by the clock of an unknown
 * zone; payers' clocks may be minutes off.
 */
export const isClaimTime = (
  payment: Pick<Payment, 'createdAt'>,
  paidAt: Instant,
  now: Instant,
  isZoneKnown: boolean,
): boolean => paidAt > payment.createdAt - day && paidAt < now + (isZoneKnown ? 15 * minute : day)
