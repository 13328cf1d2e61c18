import { queryOptions } from '@tanstack/react-query'
import type { OperatorPayment, Timeline } from '../../../src/http/operator-api/payments.ts'
import { addressOf, api, type Query } from './client.ts'

type Page = {
  readonly payments: readonly OperatorPayment[]
  readonly nextCursor?: string
  readonly count?: { readonly matching: number; readonly isExact: boolean }
}

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 }

/** The query of a list: `within`, such as `24h`, is the time that many minutes, hours or days ago. */
const toQuery = ({ within, ...filters }: Query): Query => {
  if (within === undefined) return filters
  const minutes = Number(within.slice(0, -1)) * (minutesOf[within.slice(-1)] ?? 0)
  return { ...filters, from: new Date(Date.now() - minutes * 60_000).toISOString() }
}

/** A page of the list of payments. */
export const readPayments = (filters: Query, cursor: string | undefined): Promise<Page> =>
  api.get<Page>('/payments', { ...toQuery(filters), limit: '100', cursor })

/** How many payments have these filters, as far as it can be counted soon. */
export const paymentCount = (filters: Query) =>
  queryOptions({
    queryKey: ['payments', 'count', filters],
    queryFn: async () => (await api.get<Page>('/payments', { ...toQuery(filters), limit: '1', count: 'true' })).count,
  })

/** The address of the export of all of them. */
export const paymentsCsv = (filters: Query): string => addressOf('/payments.csv', toQuery(filters))

/** A payment with everything that happened to it; `key` is its merchant and its id, with a slash between them. */
export const paymentTimeline = (key: string) =>
  queryOptions({
    queryKey: ['payments', 'timeline', key],
    queryFn: () => api.get<Timeline>(`/payments/${key.split('/').map(encodeURIComponent).join('/')}`),
  })
