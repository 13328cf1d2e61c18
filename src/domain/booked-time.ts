import { day, type Instant } from './time.ts'

/** When a bank booked money: at `bookedAt`, or some time on a day where it reports no time of day. */
export type BookedTime = {
  /** Of a day its last moment, or when it was reported where the day had not ended. */
  readonly bookedAt: Instant
  /** Of a day its first moment; `null` where the bank reports the time. */
  readonly earliestAt?: Instant | null
  /** The day, such as `2026-01-31`, in the zone of the account. */
  readonly bookedOn?: string | null
}

/** When a row was booked that gives a time or, as `bookedOn`, only a day; the day may not have ended yet. */
export const bookedTimeOf = (
  { bookedAt, bookedOn }: { readonly bookedAt: Instant; readonly bookedOn: string | null },
  now: Instant,
): BookedTime => {
  const at = Math.min(bookedAt, now)
  return { bookedAt: at, bookedOn, earliestAt: bookedOn === null ? null : Math.min(bookedAt + 1 - day, at) }
}

/** The first moment at which the money may have been booked. */
export const earliestOf = ({ bookedAt, earliestAt }: BookedTime): Instant => Math.min(earliestAt ?? bookedAt, bookedAt)

/** Whether the money may have been booked by then: of a day, the moment that is best for its payer counts. */
export const mayBeBookedBy = (booked: BookedTime, limit: Instant): boolean => earliestOf(booked) <= limit

/** A time of which a file lists all money: from the first of its bookings to the last, whole days of bare ones. */
export type ListedTime = { readonly from: Instant; readonly to: Instant }

/** The least time that has both. */
export const spanOf = (one: ListedTime | undefined, other: ListedTime): ListedTime =>
  one ? { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) } : other

/** What a report says of the time that its file lists, by requisite. */
export const listedFor = (listed: ReadonlyMap<string, ListedTime>, requisiteId: string): { listed?: ListedTime } => {
  const own = listed.get(requisiteId)
  return own ? { listed: own } : {}
}
