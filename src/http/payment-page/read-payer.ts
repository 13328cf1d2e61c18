import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { isPrintable } from '../../rules/payments/order-id.ts'
import type { PayerDetails } from '../../engine/payments/payer-changes.ts'

/** Longest phone number that is accepted, including spaces and punctuation. */
export const maxPhoneLength = 40

const known = (country: string | null): CountryCode | undefined =>
  country !== null && isSupportedCountry(country) ? country : undefined

/** Whether a phone number has an extension, which no bank knows: `+7 495 123-45-67 доб. 12`, `…,12`, `…#12`. */
export const hasExtension = (text: string): boolean =>
  /\d\D*(?:доб|ext|вн|[x,;#])\D*\d/iu.test(text.slice(0, maxPhoneLength))

/**
 * Reads the form of the payer's details. Without a country the number must begin with a country code, with or without a
 * plus. `undefined` when it is not a complete phone number.
 */
export const readPayer = (
  form: Readonly<Record<string, unknown>>,
  country: string | null,
): Pick<PayerDetails, 'phone'> | undefined => {
  const { phone: text } = form
  if (typeof text !== 'string' || text.length > maxPhoneLength) return undefined
  const defaultCountry = known(country)
  const written = defaultCountry || text.trim().startsWith('+') ? text : `+${text}`
  // The field begins with +7: a number with an 8 or another +7 may be pasted after it.
  const plain = hasExtension(text) ? '' : written.replace(/^\s*\+7[\s(-]*\+?[78](?=(?:\D*\d){10}\D*$)/, '+7')
  const phone = parsePhoneNumberFromString(plain, { ...(defaultCountry ? { defaultCountry } : {}), extract: false })
  if (!phone?.isValid()) return undefined
  return { phone: phone.number.slice(1) }
}

/** The country code of phone numbers, `+7`; empty for an unknown country. */
export const callingCode = (country: string): string => {
  const code = known(country)
  return code === undefined ? '' : `+${getCountryCallingCode(code)}`
}

/** An example of a phone number of the country; `undefined` for an unknown country. */
export const examplePhone = (country: string | null): string | undefined => {
  const code = known(country)
  return code && getExampleNumber(code, examples)?.formatInternational()
}

/** Longest name of a payer that is accepted. */
export const maxNameLength = 80

/**
 * Reads the name of a payer as its bank shows it: two to four words, one of them at least more than an initial. `undefined` if it is
 * no such name.
 */
export const readName = (form: Readonly<Record<string, unknown>>): string | undefined => {
  const { name: text } = form
  if (typeof text !== 'string') return undefined
  const name = text.trim().replace(/\s+/gu, ' ')
  const words = name.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []
  const isName = words.length >= 2 && words.length <= 4 && words.some((word) => word.length > 1)
  return isName && name.length <= maxNameLength && isPrintable(name) ? name : undefined
}
