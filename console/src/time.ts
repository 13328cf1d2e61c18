import { useSyncExternalStore } from 'react'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { language, say, timeLanguage } from './language.ts'

/** How often relative times are updated. */
const tickMs = 15 * second

let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, tickMs)

/** The time, at most some seconds old; components that use it are drawn again as it changes. */
export const useNow = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => now,
  )

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
]
const relative = new Intl.RelativeTimeFormat(language, {
  numeric: 'always',
  style: language === 'en' ? 'narrow' : 'short',
})

/** How long ago a time was or how far ahead it is, such as `3 min ago`; `now` within some seconds. */
export const formatRelative = (at: number, from: number): string => {
  const span = at - from
  if (Math.abs(span) < tickMs) return say('now')
  const [unit, length] = units.find(([, each]) => Math.abs(span) >= each) ?? ['second', second]
  return relative.format(Math.trunc(span / length), unit)
}

const clock = new Intl.DateTimeFormat(timeLanguage, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** The day and month of a time, such as `31 Jan`. */
export const dayAndMonth = new Intl.DateTimeFormat(timeLanguage, { day: 'numeric', month: 'short' })
/** The hour and minute of a time. */
export const hourAndMinute = new Intl.DateTimeFormat(timeLanguage, { hour: '2-digit', minute: '2-digit' })
/** The day, month and year of a time. */
export const dayAndYear = new Intl.DateTimeFormat(timeLanguage, { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat(timeLanguage, { dateStyle: 'long', timeStyle: 'long' })

/** A time in the browser's zone: without its date if it is today, without its year if it is this year. */
export const formatTime = (at: number, from: number): string => {
  const [date, today] = [new Date(at), new Date(from)]
  if (date.toDateString() === today.toDateString()) return clock.format(date)
  const isThisYear = date.getFullYear() === today.getFullYear()
  return `${(isThisYear ? dayAndMonth : dayAndYear).format(date)}, ${clock.format(date).slice(0, 5)}`
}

/** A day such as `2026-01-31`, without its year if it is this year. */
export const formatDay = (of: string, from: number): string => {
  const date = new Date(`${of}T12:00:00`)
  return (date.getFullYear() === new Date(from).getFullYear() ? dayAndMonth : dayAndYear).format(date)
}

/** A time to the second, with its zone. */
export const formatExact = (at: number): string => exact.format(at)
