import { type BookedTime, mayBeBookedBy } from '../values/booked-time.ts'
import { distanceOf } from '../values/currency.ts'
import { acceptUntil, creditCap, dueAt, type Payment, type PaymentChange, toleranceOf } from './payment.ts'
import type { Instant } from '../time.ts'

const review = (reason: 'overpaid' | 'underpaid' | 'late', received: bigint): PaymentChange => ({
  to: 'disput',
  trigger: 'money-mismatch-review',
  reason,
  received,
})

const mismatch = (payment: Payment, received: bigint): PaymentChange => {
  const { terms } = payment
  const reason = received > payment.amount ? 'overpaid' : 'underpaid'
  const policy = (reason === 'overpaid' ? terms.overpaidPolicy : terms.underpaidPolicy) ?? terms.mismatchPolicy
  const creditable = received >= terms.minMinor && received <= terms.maxMinor && received <= creditCap(payment)
  if (policy === 'credit-received' && creditable) {
    return { to: 'disput-paid', trigger: 'money-mismatch-credited', reason, received, finalAmount: received }
  }
  return review(reason, received)
}

/** What money does to an open or expired payment (docs/domain.md §6.5): a change, or `wait` with the new sum. */
export const receiveMoney = (
  payment: Payment,
  money: BookedTime & { readonly amount: bigint },
): PaymentChange | { readonly wait: bigint } => {
  const received = payment.received + money.amount
  const inTime = mayBeBookedBy(money, acceptUntil(payment))
  const distance = distanceOf(received, payment.amount)
  if (distance === 0n && !inTime) {
    if (payment.terms.latePolicy === 'review') return review('late', received)
    return { to: 'paid', trigger: 'money-late', reason: 'late', received }
  }
  if (inTime && distance <= toleranceOf(payment)) {
    return { to: 'paid', trigger: 'money-right', reason: distance === 0n ? 'exact' : 'tolerance', received }
  }
  if (received > payment.amount || !inTime) return mismatch(payment, received)
  if (payment.terms.partialPolicy === 'review') return review('underpaid', received)
  if (payment.status === 'processing') return { wait: received }
  return { to: 'processing', trigger: 'money-partial', reason: 'partial', received }
}

/** What the end of its time does to a payment; `undefined` while it has not come at `now`. */
export const endOfTime = (payment: Payment, now: Instant): PaymentChange | undefined => {
  const due = dueAt(payment)
  if (due === null || now < due) return undefined
  if (payment.received > 0n) return mismatch(payment, payment.received)
  if (payment.status === 'processing' && payment.receiptAt !== null) {
    return { to: 'disput', trigger: 'receipt-at-deadline', reason: 'receipt' }
  }
  return { to: 'expired', trigger: 'time-out', reason: 'timeout' }
}
