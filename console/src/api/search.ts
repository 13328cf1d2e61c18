import { queryOptions } from '@tanstack/react-query'
import type { FoundAnswer } from '../../../src/operations/search.ts'
import { api } from './client.ts'

/** What the search finds. */
export const search = (typed: string) =>
  queryOptions({
    queryKey: ['search', typed],
    queryFn: () => api.get<{ results: FoundAnswer[] }>('/search', { q: typed, limit: '12' }),
    enabled: typed !== '',
  })
