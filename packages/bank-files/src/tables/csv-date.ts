import type { CsvMapping } from './csv-mapping.ts'
import { isDate } from '../booked.ts'

/** The day, month and year of a cell in the order in which they are written, and what follows them. */
export type DateParts = {
  readonly parts: readonly [string, string, string]
  readonly rest: string
  /** The separator; empty if the order is certain, because the month is a word or the year is first. */
  readonly separator: string
}

// Three letters distinguish all months of a language; `may` and `мая` are complete.
const months: readonly RegExp[] = [
  /^(?:jan|янв)/,
  /^(?:feb|фев)/,
  /^(?:mar|мар)/,
  /^(?:apr|апр)/,
  /^(?:may$|ма[йя]$)/,
  /^(?:jun|июн)/,
  /^(?:jul|июл)/,
  /^(?:aug|авг)/,
  /^(?:sep|сен)/,
  /^(?:oct|окт)/,
  /^(?:nov|ноя)/,
  /^(?:dec|дек)/,
]

/**
 * The parts of a date whose month is a word, year first: `10 Feb 18`, `10-Feb-2018`, `Feb 10, 2018`, `10 февраля 2018
 * г.`
 */
const namedParts = (text: string): DateParts | undefined => {
  const [, first = '', name = '', last = '', after = ''] =
    /^(\d{1,2})[ ./-]{0,2}(\p{L}{3,9})\.?,?[ /-]?(\d{4}|\d\d)(?!\d)(.*)$/su.exec(text) ?? []
  const [, american = '', dayOfMonth = '', year = '', rest = ''] =
    /^(\p{L}{3,9})\.? (\d{1,2}),? (\d{4})(?!\d)(.*)$/su.exec(text) ?? []
  const month = months.findIndex((pattern) => pattern.test((name || american).toLowerCase())) + 1
  if (month === 0) return undefined
  const full = last.length === 2 ? `20${last}` : last
  const parts = [year || full, String(month).padStart(2, '0'), dayOfMonth || first] as const
  return { parts, rest: rest || after, separator: '' }
}

/** Reads the date at the beginning of a cell in any order; `undefined` if there is none. */
export const dateParts = (cell: string): DateParts | undefined => {
  const text = cell.trim().replace(/^'/, '')
  const [, first, separator = '', second, third, rest = ''] =
    /^(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})(.*)$/s.exec(text) ??
    /^(\d{4})((?=\d{4}(?!\d))|:)(\d\d):?(\d\d)(|\D.*)$/s.exec(text) ??
    []
  const found: DateParts | undefined =
    first === undefined || second === undefined || third === undefined
      ? namedParts(text)
      : { parts: [first, second, third], rest, separator: first.length === 4 ? '' : separator }
  // `2018.02.10.` and `10.02.2018 г.`
  return found && { ...found, rest: found.rest.replace(/^\s*(?:г\.?|года|\.)(?=[\s,]|$)/u, '').trim() }
}

/**
 * The order of dates with two-digit parts, `10/02/18`, by what changes from row to row: days change more often than
 * years.
 */
const orderOfTwoDigits = (all: readonly DateParts[]): CsvMapping['dateOrder'] | 'unknown' => {
  const [firsts, , thirds] = [0, 1, 2].map((at) => new Set(all.map(({ parts }) => Number(parts[at]))))
  const counts = [firsts?.size ?? 0, thirds?.size ?? 0] as const
  if ([...(thirds ?? [])].some((third) => third > 31 || third === 0) || (counts[1] === 1 && counts[0] > 1)) return 'dmy'
  if ([...(firsts ?? [])].some((first) => first > 31) || (counts[0] === 1 && counts[1] > 1)) return 'ymd'
  return 'unknown'
}

/** The order of the dates of a column; `unknown` if several are possible, `undefined` if it has no date. */
export const guessDateOrder = (cells: readonly string[]): CsvMapping['dateOrder'] | 'unknown' | undefined => {
  const all = cells.flatMap((cell) => dateParts(cell) ?? [])
  if (all.length === 0) return undefined
  if (all.every(({ parts }) => parts[0].length === 4)) return 'ymd'
  if (all.some(({ separator }) => separator === '.')) return 'dmy'
  const unclear = all.filter(({ parts }) => parts[0].length < 4)
  if (unclear.some(({ parts }) => Number(parts[0]) > 12))
    return unclear.every(({ parts }) => parts[2].length === 2) ? orderOfTwoDigits(unclear) : 'dmy'
  return unclear.some(({ parts }) => Number(parts[1]) > 12) ? 'mdy' : 'unknown'
}

/** The hour of a 12-hour clock. */
const readHalf = (hour: number, half: string): number | undefined =>
  hour < 1 || hour > 12 ? undefined : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)

/** The date of a cell, with its time of day if it has one, or `undefined`. A two-digit year is in this century. */
export const readCsvDate = (cell: string, dateOrder: CsvMapping['dateOrder'], time: string): string | undefined => {
  const found = dateParts(cell)
  if (!found) return undefined
  const {
    parts: [first, second, third],
    rest,
  } = found
  const [year, month, dayOfMonth] =
    dateOrder === 'ymd' || first.length === 4
      ? [first, second, third]
      : dateOrder === 'dmy'
        ? [third, second, first]
        : [third, first, second]
  const full = year.length === 2 ? 2000 + Number(year) : Number(year)
  if (!isDate(full, Number(month), Number(dayOfMonth))) return undefined
  const date = `${full}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`
  const clock = rest === '' ? time.trim() : rest.replace(/^[T,]\s*/i, '')
  if (clock === '') return date
  const [, hours, minutes, seconds = '00', half, zone = ''] =
    /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(?:([ap])\.?m\.?|(Z|[+-]\d\d:?\d\d))?$/i.exec(clock) ?? []
  const hour = half === undefined ? Number(hours) : readHalf(Number(hours), half)
  if (hours === undefined || hour === undefined) return undefined
  return `${date}T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${zone.toUpperCase()}`
}
