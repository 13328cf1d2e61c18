import { isId } from './id-text.ts'
import { groupedNumber, maskNumber } from './masking.ts'

/** Most characters of a logged body. */
const maxBodyLength = 4000

/** Names whose values are never shown: they give access, or lead to a page that does. */
const secretName = /secret|token|password|authorization|signature|redirecturl|cvv|cvc/i
/** Names of numbers that identify a person or an account, however short they are. */
const numberName = /phone|pan$|account|cardnumber/i
/** Names of ids, which are shown whole; otherwise nothing could be looked up by them. */
const idName = /^(?:id|orderId|requestId|paymentId|endpointId|eventId|nextCursor|cursor)$/
const amountName = /amount|price|balance|available|held|paidOut|deducted|^min$|^max$/i

const longDigits = new RegExp(`${groupedNumber}|\\d(?:[ ()-]{0,2}\\d){8,40}`, 'g')
const opaque = /[A-Za-z0-9_-]{24,}/g

/** Hides possible tokens in a text, and all but the last four digits of phones, cards and accounts. */
export const redactText = (text: string): string =>
  text
    .replace(opaque, (found) =>
      isId(found.toLowerCase()) ? found : /\d{24}/.test(found) ? maskNumber(found) : `${found.slice(0, 4)}…`,
    )
    .replace(longDigits, (found, ...others: (string | number)[]) => {
      // Part of a UUID, whose groups may consist of digits only.
      const [offset, whole] = [Number(others.at(-2)), String(others.at(-1))]
      const around = whole.slice(Math.max(0, offset - 36), offset + found.length + 36)
      return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.test(around) ? found : maskNumber(found)
    })

const redactValue = (name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => redactValue(name, each))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [redactText(key), redactValue(key, each)]))
  if (value === null || typeof value === 'boolean') return value
  if (secretName.test(name)) return '…'
  if (typeof value === 'number') {
    const isLong = Math.abs(value) >= 1e8 && !amountName.test(name)
    return isLong || numberName.test(name) ? maskNumber(String(value)) : value
  }
  const text = typeof value === 'string' ? value : ''
  if (idName.test(name)) return text
  return numberName.test(name) && /\d/.test(text) ? maskNumber(text) : redactText(text)
}

/** A body as the request log keeps it: without secrets and whole numbers of people, and of limited length. */
export const redactBody = (body: unknown): string => {
  const text = JSON.stringify(redactValue('', body)) ?? ''
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}…`
}

/** An address as the request log keeps it; `isKnown` says that the ids in its path exist. */
export const redactAddress = (address: string, isKnown: boolean): string => {
  const [path = '', query] = address.split('?', 2)
  const shown = (isKnown ? path : redactText(path)).slice(0, 300)
  if (query === undefined) return shown
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) => `${redactText(name)}=${encodeURIComponent(String(redactValue(name, value)))}`,
  )
  return `${shown}?${pairs.join('&')}`.slice(0, 600)
}
