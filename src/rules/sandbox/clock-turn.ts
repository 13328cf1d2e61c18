import { acceptUntil, lateUntil, type Payment } from '../payments/payment.ts'
import { methodRules } from '../values/payment-method.ts'
import { bankingTimeBetween, day, type Instant } from '../time.ts'

/** A turn of a sandbox merchant's clock: how far forward, and when the turn happens. */
export type ClockTurn = { readonly byMs: number; readonly now: Instant }

/** The longest turn; go further with several turns. */
export const farthestTurnMs = 90 * day

/**
 * A moment after a turn: a future one moves closer by the turn, at the earliest to now. Past moments never change, and
 * moments keep their order.
 */
export const turnedMoment = (moment: Instant, { byMs, now }: ClockTurn): Instant =>
  moment <= now ? moment : Math.max(now, moment - byMs)

/**
 * The times of an unpaid payment after a turn, so that each of its moments is as in `turnedMoment`; windows after
 * `expiredAt` are kept as lengths. A late window that would end on a day that does not count ends before it.
 */
export const turnedTimes = (payment: Payment, turn: ClockTurn) => {
  // One millisecond back if the moment has come, so that money booked from now on is after it.
  const passed = Math.max(payment.createdAt, turn.now - 1)
  const end = (moment: Instant): Instant => {
    const turned = turnedMoment(moment, turn)
    return moment > turn.now && turned === turn.now ? passed : turned
  }
  const expiredAt = end(payment.expiredAt)
  const graceEnd = Math.max(expiredAt, end(acceptUntil(payment)))
  const lateEnd = Math.max(graceEnd, end(lateUntil(payment)))
  const { claimedAt, method, terms } = payment
  const isInstant = methodRules[method].rail === 'instant'
  const confirmEnd = (from: Instant): Instant => Math.max(from, end(from + terms.confirmDeadlineMs))
  return {
    expiredAt,
    graceMs: graceEnd - expiredAt,
    lateWindowMs: isInstant ? lateEnd - graceEnd : bankingTimeBetween(graceEnd, lateEnd),
    confirmDeadlineMs: claimedAt === null ? terms.confirmDeadlineMs : confirmEnd(claimedAt) - claimedAt,
  }
}
