import type { Query } from '../api/client.ts'

/** Values of a filter `within`: how long ago at most. */
export const spans = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '31d', label: 'Last 31 days' },
]

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 }

/** The query of a list: `within`, such as `24h`, becomes `from`, the start of that minute in the past. */
export const fromWithin = ({ within, ...filters }: Query): Query => {
  if (within === undefined) return filters
  const minutes = Number(within.slice(0, -1)) * (minutesOf[within.slice(-1)] ?? 0)
  // Whole minutes: a page that is drawn again asks the same question.
  return { ...filters, from: new Date((Math.floor(Date.now() / 60_000) - minutes) * 60_000).toISOString() }
}
