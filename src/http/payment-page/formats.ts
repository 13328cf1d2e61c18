import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { currencyDecimals } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { PaymentMethod } from '../../domain/payment.ts'
import { hour, minute, second } from '../../domain/time.ts'
import type { Locale } from './dictionary.ts'

/** A value as a person reads it and as a machine takes it from the clipboard. */
export type Copyable = { readonly shown: string; readonly machine: string }

/** An amount for people, `5 000,37 ₽`, and for a bank's app, `5000.37`; exact, it never passes through a double. */
export const formatMoney = (locale: Locale, minor: bigint, currency: string): Copyable => {
  const machine = formatDecimal(minor, currencyDecimals(currency)) as `${number}`
  const digits = currencyDecimals(currency)
  const options = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return { shown: new Intl.NumberFormat(locale, options).format(machine), machine }
}

/** A requisite's digits for people, `+7 999 123 45 67` or groups of four, and for a bank's app, `+79991234567` or digits. */
export const formatRequisite = (method: PaymentMethod, digits: string): Copyable => {
  if (method !== 'sbp' && method !== 'by-phone') {
    return { shown: digits.replace(/(\d{4})(?=\d)/g, '$1 '), machine: digits }
  }
  const machine = `+${digits}`
  return { shown: parsePhoneNumberFromString(machine)?.formatInternational() ?? machine, machine }
}

/** A span of time as a clock shows it: `29:31`, `1:05:00`. */
export const formatLeft = (ms: number): string => {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const minutes = (ms % hour) / minute
  const seconds = two((ms % minute) / second)
  return ms < hour ? `${Math.floor(minutes)}:${seconds}` : `${Math.floor(ms / hour)}:${two(minutes)}:${seconds}`
}
