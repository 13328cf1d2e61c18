import { foldLookAlikes } from '../values/look-alikes.ts'

// Letters that look the same in Latin and Cyrillic, so that payers may type either, and digits that look like no letter.
const letters = 'ABEKMHPCTX'
const digits = '23456789'
const both = letters + digits
/** The first character is a letter and the third one a digit, so that no code is a word or a number. */
const columns = [letters, both, digits, both, both]

/**
 * The code that a payer writes into the message of a transfer where several payments share an amount: `K7M2X`. It is
 * derived from the payment's id, and two payments have the same one once in half a million.
 */
export const paymentCode = (paymentId: string): string => {
  // FNV-1a: every character of the id changes all of the code.
  let hash = 0x811c9dc5
  for (const character of paymentId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0
  // The lowest bits of such a hash are the weakest.
  let rest = hash ^ (hash >>> 15)
  return columns
    .map((column) => {
      const size = column.length
      const character = column[(rest >>> 0) % size] ?? ''
      rest = Math.floor((rest >>> 0) / size)
      return character
    })
    .join('')
}

const pattern = new RegExp(`^${columns.map((column) => `[${column}]`).join('')}$`)

/** The words of a text that may be codes of payments, in whatever letters and case they were typed. */
export const findCodes = (text: string): ReadonlySet<string> => {
  const words = foldLookAlikes(text)
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
  return new Set(words.filter((word) => pattern.test(word)))
}
