/** Matches an id of the service. */
const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The same after a word. */
const idInText = /(?<=^[a-z-]+:)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** An id of the service begins with the millisecond in which it was made: its first two groups. */
const timeLength = 13
const endLength = 6

/**
 * Ids as short as they can be typed back: the beginning, which says when it was made and usually is enough, and the end
 * where several of these ids begin alike. Ids that are `madeTogether`, as those of the rows of a file, always keep their
 * end: others that begin alike may not be in this list. Other texts stay as they are.
 */
export const shortenIds = (texts: readonly string[], { madeTogether = false } = {}): string[] => {
  const ids = [...new Set(texts.filter((text) => id.test(text)))]
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
    // `payment:{id}`, as the audit names things.
    if (!id.test(text)) return text.replace(idInText, bothEnds)
    if (!madeTogether && beginnings.get(beginning(text)) === 1) return beginning(text)
    return ends.get(bothEnds(text)) === 1 ? bothEnds(text) : text
  })
}
