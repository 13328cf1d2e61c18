/** A point in time: milliseconds since 1970-01-01T00:00:00Z, always from the one clock. */
export type Instant = number

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/**
 * How far the clocks of processes, databases and banks may differ. A time of something past that is further ahead was
 * written by a clock that was wrong.
 */
export const mostAheadMs = 2 * minute

/** Whether the time of something past was written by a clock that was ahead. */
export const isAhead = (at: Instant, now: Instant): boolean => at > now + mostAheadMs

/**
 * The times that count within a window before now. What is further ahead than the window was dated by a clock that was
 * wrong and does not count; what is less far ahead does, so that a clock that is behind frees nothing.
 */
export const windowAround = (now: Instant, windowMs: number): { readonly since: Instant; readonly until: Instant } => ({
  since: now - windowMs,
  until: now + windowMs + mostAheadMs,
})

/** Now, and the latest time that a right clock plans at most `longestMs` ahead: what is later comes now. */
export const planBounds = (now: Instant, longestMs = 0): { readonly now: Instant; readonly latest: Instant } => ({
  now,
  latest: now + longestMs + mostAheadMs,
})

/** When the day of a time begins, in a time zone that is ahead of UTC by this much. */
export const startOfDay = (at: Instant, offsetMs: number): Instant => Math.floor((at + offsetMs) / day) * day - offsetMs

const week = 7 * day
const bankingDays = 5 * day
/** 1970-01-05, the first Monday. */
const firstMonday = 4 * day

/** The time that has passed on Mondays to Fridays, UTC, since the first Monday. */
const bankingTime = (at: Instant): number => {
  const weeks = Math.floor((at - firstMonday) / week)
  return weeks * bankingDays + Math.min(at - firstMonday - weeks * week, bankingDays)
}

/** The time between two instants without the Saturdays and Sundays, UTC. */
export const bankingTimeBetween = (from: Instant, until: Instant): number => bankingTime(until) - bankingTime(from)

/** The instant after a span in which Saturdays and Sundays, UTC, do not count. */
export const afterBankingTime = (from: Instant, spanMs: number): Instant => {
  if (spanMs <= 0) return from
  const time = bankingTime(from) + spanMs
  const weeks = Math.ceil(time / bankingDays) - 1
  return firstMonday + weeks * week + (time - weeks * bankingDays)
}

/** ISO 8601 in UTC with milliseconds and `Z`, the only form of a time on the wire (docs/domain.md §3.7). */
export const formatInstant = (instant: Instant): string => new Date(instant).toISOString()

/** Start of the day and of the month that contain `instant`, in a zone with a fixed offset from UTC. */
export const periodStarts = (instant: Instant, utcOffsetMinutes: number): { day: Instant; month: Instant } => {
  const local = new Date(instant + utcOffsetMinutes * minute)
  const year = local.getUTCFullYear()
  const month = local.getUTCMonth()
  return {
    day: Date.UTC(year, month, local.getUTCDate()) - utcOffsetMinutes * minute,
    month: Date.UTC(year, month, 1) - utcOffsetMinutes * minute,
  }
}

/** End of the day and of the month that contain `instant`, in a zone with a fixed offset from UTC. */
export const periodEnds = (instant: Instant, utcOffsetMinutes: number): { day: Instant; month: Instant } => {
  const local = new Date(instant + utcOffsetMinutes * minute)
  return {
    day: periodStarts(instant, utcOffsetMinutes).day + day,
    month: Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - utcOffsetMinutes * minute,
  }
}

/** A minute of the day as a clock shows it, such as `09:30`. */
export const formatMinuteOfDay = (minuteOfTheDay: number): string =>
  [Math.floor(minuteOfTheDay / 60), minuteOfTheDay % 60].map((part) => String(part).padStart(2, '0')).join(':')

/** Minute of the day, 0–1439, in a zone with a fixed offset from UTC. */
export const minuteOfDay = (instant: Instant, utcOffsetMinutes: number): number => {
  const local = new Date(instant + utcOffsetMinutes * minute)
  return local.getUTCHours() * 60 + local.getUTCMinutes()
}

/** A span in words, from milliseconds: `1 h 30 min`. */
export const printSpan = (ms: number): string => {
  const parts = [
    [Math.floor(ms / day), 'd'],
    [Math.floor(ms / hour) % 24, 'h'],
    [Math.floor(ms / minute) % 60, 'min'],
    [(ms / second) % 60, 's'],
  ] as const
  const shown = parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unit}`)
  return shown.length > 0 ? shown.join(' ') : '0'
}

/** When the day, the week (on Monday) and the month of a time began, in UTC. */
export const startsOf = (now: Instant): Readonly<Record<'day' | 'week' | 'month', Instant>> => {
  const date = new Date(now)
  const today = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  const sinceMonday = (date.getUTCDay() + 6) % 7
  return { day: today, week: today - sinceMonday * day, month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) }
}
