import { queryOptions } from '@tanstack/react-query'
import type { BalancesAnswer } from '../../../src/operations/ledger.ts'
import type { DestinationAnswer } from '../../../src/operations/destinations.ts'
import type { BalanceEntry, SettlementWithEvents } from '../../../src/operations/settlements.ts'
import { formatDecimal, parseDecimal, quoteDecimals } from '../../../src/rules/values/currency.ts'
import { api } from './client.ts'

/** A settlement with its events; `key` is its merchant and its id, with a slash between them. */
export const settlement = (key: string) =>
  queryOptions({
    queryKey: ['settlements', 'one', key],
    queryFn: () => api.get<SettlementWithEvents>(`/settlements/${key}`),
  })

type Entries = { readonly entries: readonly BalanceEntry[]; readonly nextCursor?: string }

/** The last payments that a settlement pays out; `key` as above. */
export const settledEntries = (key: string) =>
  queryOptions({
    queryKey: ['settlements', 'entries', key],
    queryFn: () => api.get<Entries>(`/settlements/${key}/entries`, { limit: '100' }),
  })

const read = (sum: string): bigint => {
  const amount = parseDecimal(sum, quoteDecimals)
  return typeof amount === 'bigint' ? amount : 0n
}

/**
 * What a settlement may take of what a merchant is owed, as exact text; with what of it no bank has proven, and what it
 * leaves because of that.
 */
export const availableOf = (merchantId: string) =>
  queryOptions({
    queryKey: ['ledger', 'available', merchantId],
    queryFn: async () => {
      const { balances } = await api.get<BalancesAnswer>('/ledger/balances', { merchantId })
      const found = balances.find(({ account }) => account === `merchant:${merchantId}:available`)
      const { balance = '0', unproven, waiting } = found ?? {}
      // In the ledger, what is owed to a merchant is negative.
      const owed = balance.startsWith('-') ? read(balance.slice(1)) : 0n
      const left = owed - read(waiting ?? '0')
      return { most: formatDecimal(left > 0n ? left : 0n, quoteDecimals), unproven, waiting }
    },
    enabled: merchantId !== '',
  })

/** Where settlements of a merchant may be sent, the newest first. */
export const destinationsOf = (merchantId: string) =>
  queryOptions({
    queryKey: ['destinations', merchantId],
    queryFn: async () =>
      (await api.get<{ destinations: DestinationAnswer[] }>('/destinations', { merchantId, limit: '100' }))
        .destinations,
    enabled: merchantId !== '',
  })
