/** The most digits before the decimals. */
const longestWhole = 15

/** The digits of a number whose groups of three are separated, or null if they are not groups of three. */
const joinGroups = (groups: readonly string[]): string | null => {
  const [first = '', ...others] = groups
  const isGrouped = /^\d{1,3}$/.test(first) && others.every((group) => /^\d{3}$/.test(group))
  return others.length === 0 || isGrouped ? groups.join('') : null
}

/** What a mark that is written once separates: thousands, decimals, or nothing that is certain. */
const splitOnce = (whole: string, after: string, mark: string, thousands: string | undefined): string[] | null => {
  if (/^\d{3}$/.test(after)) return mark === thousands && /^[1-9]\d{0,2}$/.test(whole) ? [whole + after, ''] : null
  return after.length <= 2 ? [whole, after] : null
}

/** The whole part and the decimals of digits with points and commas, or null if they are not certain. */
const splitMarks = (text: string, thousands: string | undefined): (string | null)[] | null => {
  const marks = [...text].filter((character) => character === ',' || character === '.')
  const last = marks.at(-1)
  if (last === undefined) return [text, '']
  const at = text.lastIndexOf(last)
  const [before, after] = [text.slice(0, at), text.slice(at + 1)]
  if (marks.length === 1) return splitOnce(before, after, last, thousands)
  const others = new Set(marks.slice(0, -1))
  if (others.size !== 1) return null
  // One mark several times separates thousands; a different one at the end, decimals.
  if (others.has(last)) return [joinGroups(text.split(last)), '']
  const [other = ''] = others
  return after.length <= 2 ? [joinGroups(before.split(other)), after] : null
}

/**
 * Reads a number as a message writes it into a decimal text with two decimals: `1 000,5` → `1000.50`. Null: it is not
 * certain what it is. One mark before three digits (`2,570`) is only read if the bank has it as its mark of thousands.
 */
export const readDecimal = (text: string, thousands?: ',' | '.'): string | null => {
  const isNegative = /^[-−–]/.test(text)
  const groups = text.replace(/^[-−–+]\s?/, '').split(/[\s']/)
  const [tail = ''] = groups.slice(-1)
  const [, last = '', rest = ''] = /^(\d*)(.*)$/s.exec(tail) ?? []
  // Spaces separate thousands; then a mark separates decimals.
  const split = groups.length === 1 ? splitMarks(tail, thousands) : [joinGroups([...groups.slice(0, -1), last]), rest]
  if (split === null) return null
  const [whole, decimals = ''] = split
  const fraction = groups.length === 1 ? decimals : (decimals?.replace(/^[.,]/, '') ?? '')
  if (whole === null || whole === undefined || whole.length > longestWhole || !/^\d+$/.test(whole)) return null
  if (!/^\d{0,2}$/.test(fraction ?? '') || (groups.length > 1 && rest !== '' && fraction === '')) return null
  if (/^0\d/.test(whole)) return null
  const value = `${whole}.${(fraction ?? '').padEnd(2, '0')}`
  return isNegative && !/^0\.00$/.test(value) ? `-${value}` : value
}
