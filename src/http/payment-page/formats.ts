import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { currencyDecimals, formatDecimal } from '../../rules/values/currency.ts'
import { methodRules, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { hour, type Instant, minute, second } from '../../rules/time.ts'
import type { Locale } from './languages.ts'

/** A value as people read it, and as it is copied for a bank's app. */
export type Copyable = { readonly shown: string; readonly machine: string }

/** Makes a value once per key, for up to 1000 keys: a formatter takes 20 to 60 µs to make, and 1 µs to use (Node 24.21). */
export const remember = <T, Key extends string = string>(make: (key: Key) => T): ((key: Key) => T) => {
  const made = new Map<Key, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size > 1000) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}

const moneyFormat = remember((key) => {
  const [locale, currency = ''] = key.split(' ')
  const digits = currencyDecimals(currency)
  const options = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, options)
})

/** An amount for people, `5 000,37 ₽`, and for a bank's app, `5000.37` or `5000`; exact, never through a double. */
export const formatMoney = (locale: Locale, minor: bigint, currency: string): Copyable => {
  const machine = formatDecimal(minor, currencyDecimals(currency)) as `${number}`
  return { shown: moneyFormat(`${locale} ${currency}`).format(machine), machine: machine.replace(/\.0+$/, '') }
}

/** Digits in groups of four, the last of two to five. */
export const groupDigits = (digits: string): string => digits.replace(/(\d{4})(?=\d\d)/g, '$1 ')

/** A phone number in E.164 for people: `+7 999 123 45 67`. */
export const formatPhone = remember((machine) => parsePhoneNumberFromString(machine)?.formatInternational() ?? machine)

/**
 * A requisite's number for people, `+7 999 123 45 67` or in groups of four, the last of two to five digits, and for a
 * bank's app, `+79991234567` or digits only.
 */
export const formatRequisite = (method: PaymentMethod, digits: string): Copyable => {
  if (methodRules[method].numberKind !== 'phone') {
    return { shown: groupDigits(digits), machine: digits }
  }
  const machine = `+${digits}`
  return { shown: formatPhone(machine), machine }
}

/** The country of a phone number in digits with its country code; `undefined` if that is not certain. */
export const countryOfPhone = (digits: string): string | undefined => parsePhoneNumberFromString(`+${digits}`)?.country

/** The digits of a phone number abroad without its country code, in groups, and the code: `90 123 45 67` and `+998`. */
export const formatAbroad = (machine: string): { readonly code: string; readonly national: string } => {
  const phone = parsePhoneNumberFromString(machine)
  const code = phone ? `+${phone.countryCallingCode}` : ''
  return { code, national: formatPhone(machine).slice(code.length).trim() }
}

/** A span of time as a clock shows it: `29:31`, `1:05:00`. */
export const formatLeft = (ms: number): string => {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const minutes = (ms % hour) / minute
  const seconds = two((ms % minute) / second)
  return ms < hour ? `${Math.floor(minutes)}:${seconds}` : `${Math.floor(ms / hour)}:${two(minutes)}:${seconds}`
}

const unitFormat = remember((key) => {
  const [locale, unit = ''] = key.split(' ')
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: unit === 'minute' ? 'long' : 'short' })
})

/** A number with its unit in the right plural: `5 minutes`, `5 минут`, `5 MB`. */
export const formatUnit = (locale: Locale, value: number, unit: 'minute' | 'megabyte'): string =>
  unitFormat(`${locale} ${unit}`).format(value)

/** Name of a zone with a fixed offset: `UTC+3`, `UTC+5:30`. */
export const zoneName = (offsetMinutes: number): string => {
  const size = Math.abs(offsetMinutes)
  const minutes = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`
  return size === 0 ? 'UTC' : `UTC${offsetMinutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${minutes}`
}

const inZone = (options: Intl.DateTimeFormatOptions) => {
  const format = remember(
    (locale) => new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { ...options, timeZone: 'UTC' }),
  )
  return (locale: Locale, instant: Instant, offsetMinutes: number): string =>
    `${format(locale).format(instant + offsetMinutes * minute)} (${zoneName(offsetMinutes)})`
}

/** A point in time for people, with its zone: `21 November 2026 at 07:20 (UTC+3)`. */
export const formatTime = inZone({ dateStyle: 'long', timeStyle: 'short' })

/** The time of day with its zone: `19:30 (UTC+3)`. */
export const formatClock = inZone({ timeStyle: 'short' })

const regionNames = remember((locale) => new Intl.DisplayNames(locale, { type: 'region' }))

/** Name of a country by its two-letter code. */
export const formatCountry = (locale: Locale, country: string): string => regionNames(locale).of(country) ?? country

const currencyNames = remember((locale) => new Intl.DisplayNames(locale, { type: 'currency' }))

/** Name of a currency by its code: `Russian Ruble`, «российский рубль». */
export const formatCurrency = (locale: Locale, currency: string): string => {
  const code = currency.toUpperCase()
  return currencyNames(locale).of(code) ?? code
}
