import type { StatementCharset } from './statement.ts'

/** How frequent letters are in Russian texts, in thousandths. */
const frequencies: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{
      о: 110,
      е: 85,
      а: 80,
      и: 74,
      н: 67,
      т: 63,
      с: 55,
      р: 47,
      в: 45,
      л: 44,
      к: 35,
      м: 32,
      д: 30,
      п: 28,
      у: 26,
      я: 20,
    },
    ...{ ы: 19, ь: 17, г: 17, з: 16, б: 16, ч: 14, й: 12, х: 10, ж: 9, ш: 7, ю: 6, ц: 5, щ: 4, э: 3, ф: 3, ъ: 1, ё: 1 },
  }),
)
/** The penalty for a character that is neither a letter nor a sign of the language. */
const foreign = 40

/** The text of bytes in a character set; `undefined` if they are not valid in it. */
export const decode = (bytes: Uint8Array, charset: StatementCharset): string | undefined => {
  try {
    // The bytes may end within a character.
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

// Signs that occur between the words of Russian texts; other non-ASCII signs do not.
const signs = /[«»–—“”„…\u00a0]/

/**
 * How much a text looks Russian: common letters raise the score; foreign signs, and words of two alphabets, lower it.
 */
const scoreRussian = (text: string | undefined): number => {
  let score = 0
  for (const [word] of (text ?? '').matchAll(/[\p{L}№]+|\P{ASCII}/gu)) {
    const isMixed = /[a-z]/i.test(word)
    for (const letter of word.toLowerCase()) {
      const frequency = frequencies.get(letter) ?? (letter === '№' ? 0 : undefined)
      if (/[a-z]/.test(letter) || signs.test(letter)) continue
      score += isMixed || frequency === undefined ? -foreign : frequency
    }
  }
  return score
}

// The letters of ISO 8859-15 that are signs in ISO 8859-1.
const onlyIn15 =
  /[a-z\u00c0-\u00ff][\u00a6\u00a8\u00b4\u00b8\u00bc\u00bd\u00be]|[\u00a6\u00a8\u00b4\u00b8\u00bc\u00bd\u00be][a-z\u00c0-\u00ff]|\u00a4/i

/**
 * The character set that bytes seem to have: UTF-8 if they are valid, else by the frequency of the resulting letters.
 * Accented letters between ASCII letters mean Western Europe.
 */
export const guessCharset = (head: Uint8Array): StatementCharset => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (decode(head, 'utf-8') !== undefined) return 'utf-8'
  const [windows, dos] = (['windows-1251', 'ibm866'] as const).map((charset) => scoreRussian(decode(head, charset)))
  if (Math.max(windows ?? 0, dos ?? 0) > 0) return (dos ?? 0) > (windows ?? 0) ? 'ibm866' : 'windows-1251'
  return onlyIn15.test(decode(head, 'iso-8859-1') ?? '') ? 'iso-8859-15' : 'iso-8859-1'
}
