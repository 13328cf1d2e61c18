import { day, hour, type Instant, minute, second } from '../time.ts'
import type { BookedTime } from '../values/booked-time.ts'

/** Messages that come later than this have their date from when they were sent. */
const longestDelayMs = 31 * day

/** Clocks of banks and phones differ by this much. */
const skewMs = 2 * minute

type Clock = { readonly ms: number; readonly unitMs: number }

const readClock = (text: string): Clock | undefined => {
  const [, hours = '', minutes = '', seconds] = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)/.exec(text) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return undefined
  const ms = Number(hours) * hour + Number(minutes) * minute + Number(seconds ?? 0) * second
  return { ms, unitMs: seconds === undefined ? minute : second }
}

const midnightOf = (year: number, month: number, date: number): Instant | undefined => {
  const at = Date.UTC(year < 100 ? 2000 + year : year, month - 1, date)
  const read = new Date(at)
  return read.getUTCMonth() === month - 1 && read.getUTCDate() === date ? at : undefined
}

/** The midnights that a printed date may mean, as if it were UTC; the most usual order first. */
const readDays = (text: string, reference: Instant): Instant[] => {
  const [, ...parts] = /(?<![\d:])(\d{2}|\d{4})[./-](\d{2})(?:[./-](\d{4}|\d{2}))?(?![\d:])/.exec(text) ?? []
  const [first, middle, last] = parts.map((each) => (each === undefined ? undefined : Number(each)))
  if (first === undefined || middle === undefined) return []
  const year = new Date(reference).getUTCFullYear()
  const orders =
    last === undefined
      ? [year, year - 1, year + 1].map((each) => midnightOf(each, middle, first))
      : [midnightOf(last, middle, first), midnightOf(first, middle, last)]
  return orders.filter((each) => each !== undefined)
}

const within = (at: Instant, from: Instant, to: Instant): Instant => Math.min(Math.max(at, from), to)

/**
 * When the money of a message was booked: as the bank has printed it, in the time zone of the account unless it says
 * Moscow; within that minute or day, when the message was sent. A printed time that is not one of the last month does not
 * count. `reference` is when the message was sent, or else received.
 */
export const readPrintedTime = (printed: string | null, offsetMs: number, reference: Instant): BookedTime => {
  const isMoscow = /мск|msk/i.test(printed ?? '')
  const offset = isMoscow ? 3 * hour : offsetMs
  const local = reference + offset
  const clock = printed === null ? undefined : readClock(printed)
  const isNear = (at: Instant): boolean => at <= local + skewMs && at > local - longestDelayMs
  const date = printed === null ? undefined : readDays(printed, local).find(isNear)
  if (clock === undefined) {
    if (date === undefined || date + day > local) return { bookedAt: reference }
    return { bookedAt: date + day - 1 - offset, earliestAt: date - offset }
  }
  const today = Math.floor(local / day) * day
  const at = [date ?? today, (date ?? today) - (date === undefined ? day : 0)]
    .map((each) => each + clock.ms)
    .find(isNear)
  if (at === undefined) return { bookedAt: reference }
  return { bookedAt: within(local, at, at + clock.unitMs - 1) - offset }
}
