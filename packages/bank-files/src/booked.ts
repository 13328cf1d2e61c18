import type { StatementRow } from './statement.ts'

const minute = 60_000
/** One day in milliseconds. */
export const day = 24 * 60 * minute

/** Whether this day exists in this century. */
export const isDate = (year: number, month: number, dayOfMonth: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth))
  return year >= 2000 && year < 2100 && date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth
}

const bookedPattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

const offsetOf = (zone: string): number => {
  if (zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return zone.startsWith('-') ? -minutes : minutes
}

/**
 * When a row was booked, in the time zone of its account unless it has its own. A bare date becomes the last moment of
 * its day; the whole day may be meant. `undefined` if there is no such time.
 */
export const bookedInstant = (booked: string, utcOffsetMinutes: number): number | undefined => {
  const [, ...parts] = bookedPattern.exec(booked) ?? []
  const [year = 0, month = 0, dayOfMonth = 0, hours, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => (part === undefined ? undefined : Number(part)))
  if (!isDate(year, month, dayOfMonth)) return undefined
  const zone = parts[6]
  const midnight = Date.UTC(year, month - 1, dayOfMonth) - (zone ? offsetOf(zone) : utcOffsetMinutes) * minute
  if (hours === undefined) return midnight + day - 1
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/**
 * The row with only its day, if its file has one time of day for all rows and that is midnight in the time zone of its
 * account.
 */
export const withDayAtAccount = (row: StatementRow, utcOffsetMinutes: number): StatementRow => {
  const at = row.isOneTime === true ? bookedInstant(row.booked, utcOffsetMinutes) : undefined
  if (at === undefined) return row
  const local = at + utcOffsetMinutes * minute
  return local % day === 0 ? { ...row, booked: new Date(local).toISOString().slice(0, 10) } : row
}

/** The text of a booking time without midnight, which banks write if they have no time of day. */
export const withoutMidnight = (booked: string): string =>
  booked.replace(/T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/, '')
