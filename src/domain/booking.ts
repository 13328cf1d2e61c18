import type { Instant } from './time.ts'
import { sameBookingMs } from './transfer.ts'

/** A row of a booking as one file reports it: the sum, or one of its parts. Amounts are minor units. */
export type BookingRow = {
  readonly fingerprint: string
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly bankReference: string | null
}

const sumOf = (rows: readonly BookingRow[]): bigint => rows.reduce((sum, row) => sum + row.amount, 0n)

/**
 * Compares the rows of a booking with the rows by which other files have reported it, as a sum or in parts: the
 * earliest form counts. The rows are `as-reported`; `alreadyKnown`, if other files reported the booking in another
 * form, as the returned rows; or `contradictory`, if the sums differ. `isCertain` is as in `Booking`.
 */
export const readBooking = <T extends BookingRow & { readonly bookingAmount: bigint | null }>(
  booking: { readonly reference: string | null; readonly amount: bigint; readonly isCertain: boolean },
  rows: readonly BookingRow[],
  before: readonly T[],
): 'as-reported' | 'contradictory' | { readonly alreadyKnown: readonly T[] } => {
  const [first] = rows
  const near = before.filter((each) => first && Math.abs(each.bookedAt - first.bookedAt) <= sameBookingMs)
  const known = new Set(near.map((each) => each.fingerprint))
  if (near.length === 0 || rows.every((row) => known.has(row.fingerprint))) return 'as-reported'
  const isSum = (row: BookingRow): boolean => row.bankReference === booking.reference
  const same = near.filter((each) => each.bookingAmount === booking.amount)
  if (same.length > 0) {
    const isOtherForm = rows.length !== same.length || (booking.isCertain && rows.some(isSum) !== same.some(isSum))
    return isOtherForm && sumOf(same) === booking.amount ? { alreadyKnown: same } : 'as-reported'
  }
  return booking.isCertain && rows.some(isSum) !== near.some(isSum) ? 'contradictory' : 'as-reported'
}
