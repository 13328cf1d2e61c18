import { queryOptions } from '@tanstack/react-query'
import type { BalancesAnswer } from '../../../src/operations/ledger.ts'
import type { DestinationAnswer } from '../../../src/operations/destinations.ts'
import type { BalanceEntry, SettlementWithEvents } from '../../../src/operations/settlements.ts'
import { amountDigits, currencyDecimals, parseDecimal } from '../../../src/rules/values/currency.ts'
import { api } from './client.ts'

/** A settlement with its events; `key` is its merchant and its id, with a slash between them. */
export const settlement = (key: string) =>
  queryOptions({
    queryKey: ['settlements', 'one', key],
    queryFn: () => api.get<SettlementWithEvents>(`/settlements/${key}`),
  })

type Entries = { readonly entries: readonly BalanceEntry[]; readonly nextCursor?: string }

/** The last payments that a settlement pays out, by the path of its entries. */
export const settledEntries = (path: string) =>
  queryOptions({
    queryKey: ['settlements', 'entries', path],
    queryFn: () => api.get<Entries>(path, { limit: '100' }),
  })

const read = (sum: string, currency: string): bigint => {
  const amount = parseDecimal(sum, currencyDecimals(currency))
  return typeof amount === 'bigint' ? amount : 0n
}

/**
 * What settlements may take of what a merchant is owed, by currency, as exact text; with what of it no bank has proven,
 * and what they leave because of that.
 */
export const availableOf = (merchantId: string) =>
  queryOptions({
    queryKey: ['ledger', 'available', merchantId],
    queryFn: async () => {
      const { balances } = await api.get<BalancesAnswer>('/ledger/balances', { merchantId })
      const own = balances.filter(({ account }) => account === `merchant:${merchantId}:available`)
      return own.map(({ currency, balance, unproven, waiting }) => {
        // In the ledger, what is owed to a merchant is negative.
        const owed = balance.startsWith('-') ? read(balance.slice(1), currency) : 0n
        const left = owed - read(waiting ?? '0', currency)
        return { currency, most: amountDigits(left > 0n ? left : 0n, currency), unproven, waiting }
      })
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
