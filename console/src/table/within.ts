import type { Query } from '../api/client.ts'

/** Values of the filter `within`. */
export const spans = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '1d', label: 'Today' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
]

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60 }

/** The first moment of the day some days ago, in the zone of the browser. */
export const dayStart = (daysAgo: number, now = new Date()): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/**
 * When a span begins: hours are counted back from the current minute, so that a page that is drawn again sends the same
 * query; days begin at midnight, and today is one of them.
 */
const startOf = (within: string): Date => {
  const count = Number(within.slice(0, -1))
  if (within.endsWith('d')) return dayStart(count - 1)
  return new Date((Math.floor(Date.now() / 60_000) - count * (minutesOf[within.slice(-1)] ?? 0)) * 60_000)
}

/** The query of a list: `within`, such as `24h`, becomes `from`. */
export const fromWithin = ({ within, ...filters }: Query): Query =>
  within === undefined ? filters : { ...filters, from: startOf(within).toISOString() }
