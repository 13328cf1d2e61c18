import { isId } from './id-text.ts'

/** Matches an id after a word, as in `payment:{id}`. */
const idInText = /(?<=^[a-z-]+:)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** An id begins with the millisecond in which it was made: its first two groups. */
const timeLength = 13
const endLength = 6

/**
 * Shortens ids to what can still be typed: the beginning, which is the time when the id was made and usually suffices,
 * and the end too if several of these ids begin alike. Ids that are `madeTogether`, such as those of a file's rows,
 * always keep their end, because others that begin alike may not be in this list. Other texts do not change.
 */
export const shortenIds = (texts: readonly string[], { madeTogether = false } = {}): string[] => {
  const ids = [...new Set(texts.filter((text) => isId(text)))]
  const countBy = (shorten: (text: string) => string): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const each of ids) counts.set(shorten(each), (counts.get(shorten(each)) ?? 0) + 1)
    return counts
  }
  const beginning = (text: string): string => text.slice(0, timeLength)
  const bothEnds = (text: string): string => `${beginning(text)}..${text.slice(-endLength)}`
  const beginnings = countBy(beginning)
  const ends = countBy(bothEnds)
  return texts.map((text) => {
    // The audit names things like `payment:{id}`.
    if (!isId(text)) return text.replace(idInText, bothEnds)
    if (!madeTogether && beginnings.get(beginning(text)) === 1) return beginning(text)
    return ends.get(bothEnds(text)) === 1 ? bothEnds(text) : text
  })
}
