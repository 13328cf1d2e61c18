/** A day that somebody typed. Without a year, it is the last such day. */
export type TypedDay =
  | { readonly daysAgo: number }
  | { readonly year: number | null; readonly month: number; readonly day: number }

/** From the start of a day until the start of the next one. */
export type DaySpan = { readonly from: Date; readonly to: Date }

const daysAgo: Readonly<Record<string, number>> = { today: 0, yesterday: 1, сегодня: 0, вчера: 1, позавчера: 2 }

/** The months, each in English and in two forms of Russian. */
const months = [
  ['january', 'января', 'январь'],
  ['february', 'февраля', 'февраль'],
  ['march', 'марта', 'март'],
  ['april', 'апреля', 'апрель'],
  ['may', 'мая', 'май'],
  ['june', 'июня', 'июнь'],
  ['july', 'июля', 'июль'],
  ['august', 'августа', 'август'],
  ['september', 'сентября', 'сентябрь'],
  ['october', 'октября', 'октябрь'],
  ['november', 'ноября', 'ноябрь'],
  ['december', 'декабря', 'декабрь'],
]
/** Names of months may be cut after three letters, but are nothing longer: `Marina 20` is no day. */
const beginnings = (name: string): string[] =>
  Array.from({ length: name.length - 2 }, (_, index) => name.slice(0, index + 3))

/** `20 Nov`, `20 November 2026`, `Nov 20`, `20 ноября`. */
const alternatives = [...new Set(months.flat().flatMap(beginnings))].join('|')
const dayFirst = `(\\d{1,2})\\.? (${alternatives})\\.?(?: (20\\d\\d))?`
const monthFirst = `(${alternatives})\\.? (\\d{1,2})(?:,? (20\\d\\d))?`
const numeric = `(20\\d\\d)-(\\d\\d)-(\\d\\d)|(\\d{1,2})\\.(\\d{1,2})\\.(20\\d\\d)`
const pattern = new RegExp(
  `(?<!\\S)(?:(${Object.keys(daysAgo).join('|')})|${numeric}|${dayFirst}|${monthFirst})(?!\\S)`,
  'i',
)

const monthOf = (typed: string): number =>
  1 + months.findIndex((names) => names.some((name) => name.startsWith(typed.toLowerCase())))

/** Whether the day exists: the 31st of a shorter month does not. */
const exists = (year: number | null, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year ?? 2000, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const toDay = (found: readonly (string | undefined)[]): TypedDay | null => {
  const [word, y, m, d, d2, m2, y2, d3, name3, y3, name4, d4, y4] = found
  if (word !== undefined) return { daysAgo: daysAgo[word.toLowerCase()] ?? 0 }
  const name = name3 ?? name4
  const month = name === undefined ? Number(m ?? m2) : monthOf(name)
  const [day, typedYear] = [Number(d ?? d2 ?? d3 ?? d4), y ?? y2 ?? y3 ?? y4]
  const year = typedYear === undefined ? null : Number(typedYear)
  return exists(year, month, day) ? { year, month, day } : null
}

/**
 * The day in a text, such as `yesterday`, `2026-11-20`, `20.11.2026`, `20 Nov` or `20 ноября`, and the text without it;
 * `null` if there is none.
 */
export const findTypedDay = (typed: string): { readonly day: TypedDay; readonly rest: string } | null => {
  // Pasted texts may have other spaces.
  const text = typed.replace(/\s+/g, ' ').trim()
  const found = pattern.exec(text)
  if (found === null) return null
  const day = toDay(found.slice(1))
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return day && { day, rest: rest.replace(/\s+/g, ' ').trim() }
}

/** When a typed day begins and ends, in the zone of the browser or terminal where this runs. */
export const spanOfDay = (typed: TypedDay, now: Date): DaySpan => {
  const from = startOf(typed, now)
  return { from, to: new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1) }
}

const startOf = (typed: TypedDay, now: Date): Date => {
  const thisYear = now.getFullYear()
  if ('daysAgo' in typed) return new Date(thisYear, now.getMonth(), now.getDate() - typed.daysAgo)
  const { year, month, day } = typed
  if (year !== null) return new Date(year, month - 1, day)
  // Leap days come every eight years at worst.
  for (let before = 0; before <= 8; before++) {
    const start = new Date(thisYear - before, month - 1, day)
    if (start <= now && start.getDate() === day) return start
  }
  return new Date(thisYear, month - 1, day)
}
