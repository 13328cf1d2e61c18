/** Longest stored text of a row, in characters. */
const maxTextLength = 1000

/** A text with single spaces, trimmed, and cut at `maxTextLength`; `null` if nothing is left. */
export const tidyText = (text: string | undefined | null): string | null => {
  const tidy = (text ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
    .toWellFormed()
  return tidy === '' ? null : tidy
}

/** The non-null texts. */
export const present = (...texts: readonly (string | null)[]): string[] => texts.filter((text) => text !== null)

/** The letters and digits of a text in lower case: the same for all spellings of a text. */
export const letters = (text: string | null): string => (text ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Two texts about one row as one text; what one of them repeats of the other is left out. */
export const joinTexts = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other
  if (letters(one).includes(letters(other))) return one
  return letters(other).includes(letters(one)) ? other : tidyText(`${one} ${other}`)
}

/** An account number normalised for look-ups: letters and digits only, so `DE12 3456` is `DE123456`. */
export const plainAccount = (account: string): string => account.toUpperCase().replace(/[^0-9A-Z]/g, '')

const mobile = /(?<!\d)(?:\+?7|8)[ (-]{0,2}(9\d\d)[ )-]{0,2}(\d{3})[ -]?(\d\d)[ -]?(\d\d)(?!\d)/g

/**
 * The Russian mobile number in a text, where banks put that of an SBP payer; `null` if there is none or more than one.
 */
export const findPhone = (text: string | null): string | null => {
  const found = new Set((text ?? '').matchAll(mobile).map((match) => `7${match.slice(1).join('')}`))
  return found.size === 1 ? ([...found][0] ?? null) : null
}
