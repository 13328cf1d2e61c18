import { queryOptions } from '@tanstack/react-query'
import type { Timeline } from '../../../src/operations/payments.ts'
import { api } from './client.ts'

/** A payment with everything that happened to it; `key` is its merchant and its id, with a slash between them. */
export const paymentTimeline = (key: string) =>
  queryOptions({
    queryKey: ['payments', 'timeline', key],
    queryFn: () => api.get<Timeline>(`/payments/${key.split('/').map(encodeURIComponent).join('/')}`),
  })
