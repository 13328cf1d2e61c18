import { isDate } from '../booked.ts'
import type { StatementRow, StatementSink } from '../statement.ts'
import { day } from '../booked.ts'

/** A row without its day, and the days that it may be of, the likeliest first. */
export type UndatedRow = { readonly row: Omit<StatementRow, 'booked'>; readonly days: readonly PossibleDay[] }
type PossibleDay = { readonly day: string; readonly isNear: boolean }
/** First and last day of a statement. */
export type Period = { readonly from: string; readonly to: string }

/** Most rows that wait for the end of their statement: a longer one is not held in memory. */
const maxHeld = 1000
const halfYearMs = 184 * day

/** The day of a date without century (`260131`); `null` if there is none. */
export const isoDay = (text: string): string | null => {
  const [year, month, dayOfMonth] = [text.slice(0, 2), text.slice(2, 4), text.slice(4, 6)]
  const isDay = isDate(2000 + Number(year), Number(month), Number(dayOfMonth))
  return isDay ? `20${year}-${month}-${dayOfMonth}` : null
}

/** The days of the month before a day, and the day after it. */
export const daysAround = (text: string): Period => {
  const shifted = (days: number) => new Date(Date.parse(text) + days * day).toISOString().slice(0, 10)
  return { from: shifted(-31), to: shifted(1) }
}

/** The days that an entry date (`0131`) may be, by its distance from the value date (`260131`). */
export const possibleDays = (valueDate: string, entryDate: string): readonly PossibleDay[] => {
  const [year = 0, month = 0, dayOfMonth = 0] = (valueDate.match(/\d\d/g) ?? []).map(Number)
  // Banks that count 30 days in each month have a 30th of February.
  const valueAt = Date.UTC(2000 + year, month - 1, dayOfMonth)
  return [year, year - 1, year + 1]
    .flatMap((each) => isoDay(String(each).padStart(2, '0') + entryDate) ?? [])
    .map((each) => ({ day: each, apart: Math.abs(Date.parse(each) - valueAt) }))
    .toSorted((one, other) => one.apart - other.apart)
    .map(({ day: each, apart }) => ({ day: each, isNear: apart <= halfYearMs }))
}

/**
 * Finds the years of days that a file writes without one: a day is in the period of its statement, else near the value
 * date. Rows are held until their statement ends, unless its first day is enough to be certain.
 */
export class EntryDays {
  readonly #sink: StatementSink
  #held: UndatedRow[] = []
  #isLong = false

  constructor(sink: StatementSink) {
    this.#sink = sink
  }

  /** Takes a row of a statement that begins on a day; `null` if that or the whole period is known already. */
  take(row: UndatedRow, from: string | null, period: Period | null): void {
    const isCertain = from === null || this.#isLong || isOnly(row, from)
    if (isCertain && this.#held.length === 0) return this.#give(row, period)
    this.#held.push(row)
    if (this.#held.length < maxHeld) return
    this.end(null)
    this.#isLong = true
  }

  /** Gives the rows that were held; `period` is that of their statement, if known. */
  end(period: Period | null): void {
    for (const row of this.#held.splice(0)) this.#give(row, period)
    this.#isLong = false
  }

  #give({ row, days }: UndatedRow, period: Period | null): void {
    const booked = (period && findWithin(days, period)) ?? days.find(({ isNear }) => isNear)?.day
    if (booked !== undefined) return this.#sink.row({ ...row, booked })
    const reason =
      'The row (:61:) has the entry date 0229, but neither its statement nor its value date is in a leap year. Ask the bank for a corrected file.'
    this.#sink.fault(row.line, reason)
  }
}

/** The day that is in a period, which may be some years from the value date. */
const findWithin = (days: UndatedRow['days'], { from, to }: Period): string | undefined => {
  const entryDate = days[0]?.day.slice(5).replace('-', '') ?? ''
  const ofPeriod = [from, to].flatMap((each) => isoDay(each.slice(2, 4) + entryDate) ?? [])
  return [...days.map((each) => each.day), ...ofPeriod].find((each) => each >= from && each <= to)
}

/**
 * Whether the likeliest day is the only one, or in the year from a day on: no other one can be in a statement that
 * begins there.
 */
const isOnly = ({ days: [nearest, ...others] }: UndatedRow, from: string): boolean => {
  if (!nearest?.isNear) return false
  const yearLater = `${Number(from.slice(0, 4)) + 1}${from.slice(4)}`
  return others.length === 0 || (nearest.day >= from && nearest.day < yearLater)
}
