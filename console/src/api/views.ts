import { queryOptions } from '@tanstack/react-query'
import type { ViewedList } from '../../../src/domain/saved-view.ts'
import type { View } from '../../../src/http/operator-api/views.ts'
import { api, type Query } from './client.ts'

/** The views that the person has saved. */
export const views = queryOptions({
  queryKey: ['views'],
  queryFn: async () => (await api.get<{ views: View[] }>('/views')).views,
  staleTime: 60_000,
})

/** Saves filters under a name, replacing a view of that name. */
export const saveView = (list: ViewedList, name: string, filters: Query) =>
  api.put<{ views: View[] }>(`/views/${list}/${encodeURIComponent(name)}`, {
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value)),
  })

/** Deletes a view. */
export const deleteView = (list: ViewedList, name: string) =>
  api.delete<{ views: View[] }>(`/views/${list}/${encodeURIComponent(name)}`)
