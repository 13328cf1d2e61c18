import { InvalidArgumentError } from 'commander'
import { parseDecimal } from '../rules/values/currency.ts'
import { findTypedDay, type TypedDay } from '../rules/search/search-day.ts'
import { day, hour, minute, second } from '../rules/time.ts'
import { Failure } from './failure.ts'
import { readText, type Surroundings } from './surroundings.ts'

// Node.js 24 has it, but the types of TypeScript 7.0 do not.
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, source: string) => object }

/** A number that JSON writes with the digits that were typed; it never becomes a double. */
export const exactNumber = (typed: string, { mayBeNegative = false } = {}): object => {
  if (!/^(0|[1-9]\d{0,20})(\.\d{1,20})?$/.test(mayBeNegative ? typed.replace(/^-/, '') : typed)) {
    throw new InvalidArgumentError(`"${typed}" is not an amount. Write digits with a dot, such as 5000.37.`)
  }
  return rawJSON(typed)
}

/** Reads a whole number. */
export const wholeNumber = (typed: string): number => {
  if (!/^-?\d{1,12}$/.test(typed)) throw new InvalidArgumentError('Write a whole number.')
  return Number(typed)
}

/** JSON `null`; for commander a plain `null` is an absent option. */
export const nothing = rawJSON('null')

/** Reads `yes` or `no`. */
export const yesOrNo = (typed: string): boolean => {
  if (typed === 'yes' || typed === 'no') return typed === 'yes'
  throw new InvalidArgumentError('Write yes or no.')
}

/** The units of spans, the longest first. */
export const units: Readonly<Record<string, number>> = { d: day, h: hour, m: minute, s: second }

/** Reads a span such as `90s`, `30m`, `24h`, `7d` or `0` as milliseconds. */
export const span = (typed: string): number => {
  if (typed === '0') return 0
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(typed) ?? []
  if (count === undefined) throw new InvalidArgumentError('Write a number and a unit: 90s, 30m, 24h or 7d.')
  return Number(count) * (units[unit] ?? 0)
}

/** Reads a percentage with at most four decimals, such as `1.25` or `-0.25`, as millionths. */
export const percent = (typed: string): number => {
  const isNegative = typed.startsWith('-')
  const millionths = parseDecimal(isNegative ? typed.slice(1) : typed, 4)
  if (typeof millionths !== 'bigint' || millionths < 0n) {
    throw new InvalidArgumentError('Write a percentage with at most four decimals, such as 1.25.')
  }
  return isNegative ? -Number(millionths) : Number(millionths)
}

/** Reads an amount of a quote currency with at most six decimals as millionths. */
export const quoteMicro = (typed: string): number => {
  const micro = parseDecimal(typed, 6)
  if (typeof micro !== 'bigint' || micro < 0n) {
    throw new InvalidArgumentError('Write an amount with at most six decimals, such as 0.25.')
  }
  return Number(micro)
}

/** Reads an amount with two decimals as minor units. Without them it could be meant as minor units. */
export const minorUnits = (typed: string): number => {
  if (!/^\d{1,12}\.\d\d$/.test(typed)) {
    throw new InvalidArgumentError('Write an amount with two decimals, such as 1.00.')
  }
  return Number(typed.replace('.', ''))
}

/** Words separated by commas. */
export const words = (typed: string): string[] => typed.split(',').map((word) => word.trim())

/** Reads pairs such as `cart=8213`, separated by commas. */
export const pairs = (typed: string): Record<string, string> =>
  Object.fromEntries(
    words(typed).map((word) => {
      const [, name, text] = /^([^=]+)=(.*)$/s.exec(word) ?? []
      if (name === undefined || text === undefined)
        throw new Failure([`"${word}" is not a name and its text, such as cart=8213.`], 2)
      return [name, text]
    }),
  )

/** Reads some of these words, separated by commas. */
export const wordsOf =
  <Word extends string>(known: readonly Word[], kind: string) =>
  (typed: string): Word[] =>
    words(typed).map((word) => {
      const found = known.find((each) => each === word)
      if (found === undefined) throw new Failure([`"${word}" is not a ${kind}: ${known.join(', ')}.`], 2)
      return found
    })

/** Reads opening hours such as `09:00-21:00` as minutes of the day. */
export const hours = (typed: string): [number, number] => {
  const [, ...parts] = /^(\d\d?):([0-5]\d)-(\d\d?):([0-5]\d)$/.exec(typed) ?? []
  const [from, fromMinute, to, toMinute] = parts.map(Number)
  const valid = from !== undefined && to !== undefined && from < 24 && (to < 24 || (to === 24 && toMinute === 0))
  if (!valid) throw new InvalidArgumentError('Write the hours as 09:00-21:00.')
  return [from * 60 + (fromMinute ?? 0), to * 60 + (toMinute ?? 0)]
}

/** Reads hours with their time zone (default: UTC), such as `22:00-08:00 Europe/Moscow`, as an object of the API. */
export const hoursInZone = (typed: string): { from: number; to: number; zone: string } => {
  const [between = '', zone = 'UTC'] = typed.split(' ')
  const [from, to] = hours(between)
  return { from, to: to % 1440, zone }
}

/** `2026-01-31`, `2026-01-31 12:30` or `2026-01-31T12:30:00`, with or without a zone such as `Z`, `+03` or `+03:00`. */
const timeForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?(Z|[+-]\d\d(?::?\d\d)?)?$/

const parseTime = (typed: string): Date | undefined => {
  const [, date, clock = '00:00', zone = ''] = timeForm.exec(typed.trim()) ?? []
  if (date === undefined) return undefined
  const offset = zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, whole: string, rest = '00') => `${whole}:${rest}`)
  const at = new Date(`${date}T${clock}${offset}`)
  // `Date` would read the 31st of a shorter month as a day of the next one.
  return Number.isNaN(at.getTime()) || Number.isNaN(Date.parse(date)) || !isDay(date) ? undefined : at
}

const isDay = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)

/** Reads a time as `payin` prints it, or in ISO 8601; without a zone in that of the terminal, like printed ones. */
export const time = (typed: string): string => {
  const at = parseTime(typed)
  if (at !== undefined) return at.toISOString()
  throw new InvalidArgumentError(
    'Write a day or a time, such as 2026-01-31 or "2026-01-31 12:30"; a zone (Z, +03:00) makes it that zone\'s.',
  )
}

/** Reads a time like `time`, or a span in milliseconds like `span`. */
export const timeOrSpan = (typed: string): string | number => {
  if (/^\d+[a-z]?$/i.test(typed)) return span(typed)
  if (/^\d{4}-/.test(typed)) return time(typed)
  throw new InvalidArgumentError(
    'Write a day or a time, such as 2026-01-31 or "2026-01-31 12:30", or a span, such as 1h.',
  )
}

/** Reads a time or a span like `timeOrSpan`, or a day in words, such as `yesterday` or `20 Nov`. */
export const timeSpanOrDay = (typed: string): string | number | TypedDay => {
  const found = findTypedDay(typed)
  if (found?.rest === '') return found.day
  if (/^\d/.test(typed)) return timeOrSpan(typed)
  throw new InvalidArgumentError(
    'Write a day or a time, such as yesterday, 20 Nov or 2026-01-31, or a span, such as 1h.',
  )
}

/** The digits of a number that was typed with spaces, hyphens, brackets or a plus. */
export const digits = (typed: string): string => typed.replace(/[\s()+-]/g, '')

/** A phone number with its country code, as the API takes it. */
export const phone = (typed: string): string => `+${digits(typed)}`

/** Checks that a text is a JSON document, and returns it unchanged; `path` is where it is from. */
export const checkDocument = (path: string, document: string, isArray: boolean): string => {
  try {
    const value: unknown = JSON.parse(document)
    if (typeof value === 'object' && value !== null && Array.isArray(value) === isArray) return document
  } catch (error) {
    throw new Failure([`${path} is not well-formed JSON: ${error instanceof Error ? error.message : ''}`], 2)
  }
  throw new Failure([`${path} is not a JSON ${isArray ? 'array' : 'object'}.`], 2)
}

/** The JSON object of a file, or of standard input for `-`, checked but unchanged. */
export const readDocument = async (surroundings: Surroundings, path: string): Promise<string> =>
  checkDocument(path, await readText(surroundings, path), false)

/** A value as typed, or the content of standard input for `-`. */
export const readTyped = async (surroundings: Surroundings, typed: string): Promise<string> =>
  typed === '-' ? (await readText(surroundings, typed)).trim() : typed
