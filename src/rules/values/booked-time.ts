import { day, type Instant } from '../time.ts'

/** When a bank booked money: at `bookedAt`, or at some time on a day if it reports no time of day. */
export type BookedTime = {
  /** For a day, its last moment, or the time of the report if the day had not ended. */
  readonly bookedAt: Instant
  /** For a day, its first moment; `null` if the bank reports the time. */
  readonly earliestAt?: Instant | null
  /** The day, such as `2026-01-31`, in the time zone of the account. */
  readonly bookedOn?: string | null
}

/** The booking time of a row that has a time or, as `bookedOn`, only a day; the day may not have ended yet. */
export const bookedTimeOf = (
  { bookedAt, bookedOn }: { readonly bookedAt: Instant; readonly bookedOn: string | null },
  now: Instant,
): BookedTime => {
  const at = Math.min(bookedAt, now)
  return { bookedAt: at, bookedOn, earliestAt: bookedOn === null ? null : Math.min(bookedAt + 1 - day, at) }
}

/** The first moment at which the money may have been booked. */
export const earliestOf = ({ bookedAt, earliestAt }: BookedTime): Instant => Math.min(earliestAt ?? bookedAt, bookedAt)

/** Whether the money may have been booked by then: of a bare day, the most favourable moment for the payer counts. */
export const mayBeBookedBy = (booked: BookedTime, limit: Instant): boolean => earliestOf(booked) <= limit

/** The time for which a file lists all money: from the first of its bookings to the last, counting bare days whole. */
export type ListedTime = { readonly from: Instant; readonly to: Instant }

/** The shortest time that contains both. */
export const spanOf = (one: ListedTime | undefined, other: ListedTime): ListedTime =>
  one ? { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) } : other
