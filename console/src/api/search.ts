import { queryOptions } from '@tanstack/react-query'
import { findTypedDay, spanOfDay } from '../../../src/rules/search/search-day.ts'
import type { FoundAnswer } from '../../../src/operations/search.ts'
import { api } from './client.ts'

/** What a typed text asks for: a day in it, such as `yesterday`, is one in the zone of the browser. */
export const readTyped = (typed: string) => {
  const found = findTypedDay(typed)
  if (found === null) return { q: typed, day: null }
  return { q: found.rest === '' ? undefined : found.rest, day: spanOfDay(found.day, new Date()) }
}

/** What the search finds. */
export const search = (typed: string) =>
  queryOptions({
    queryKey: ['search', typed],
    queryFn: () => {
      const { q, day } = readTyped(typed)
      const span = day === null ? {} : { from: day.from.toISOString(), to: day.to.toISOString() }
      return api.get<{ results: FoundAnswer[] }>('/search', { q, ...span, limit: '12' })
    },
    enabled: typed !== '',
  })
