import { queryOptions } from '@tanstack/react-query'
import type { LimitsAnswer } from '../../../src/operations/terms.ts'
import type { OverrideAnswer, RateAnswer, RateHistory, RateProposal } from '../../../src/operations/rates.ts'
import type { RateSourceAnswer } from '../../../src/operations/rate-sources.ts'
import { api } from './client.ts'

/** The current rates, with the sources and the overrides that set them. */
export const rates = queryOptions({
  queryKey: ['rates'],
  queryFn: async () => {
    const [current, sources, overrides] = await Promise.all([
      api.get<{ rates: RateAnswer[]; proposals: RateProposal[] }>('/rates'),
      api.get<{ sources: RateSourceAnswer[] }>('/rate-sources'),
      api.get<{ overrides: OverrideAnswer[] }>('/rate-overrides'),
    ])
    return { ...current, sources: sources.sources, overrides: overrides.overrides }
  },
})

/** How the rate of a currency has moved. */
export const rateHistory = (currency: string, within: string) =>
  queryOptions({
    queryKey: ['rates', 'history', currency, within],
    queryFn: () => api.get<RateHistory>(`/rates/${currency}/history`, { within }),
  })

/** The bounds of amounts that are set, those of all merchants first. */
export const limits = queryOptions({
  queryKey: ['limits'],
  queryFn: async () =>
    (await api.get<{ limits: LimitsAnswer[] }>('/limits')).limits.toSorted(
      (a, b) => a.currency.localeCompare(b.currency) || (a.merchantName ?? '').localeCompare(b.merchantName ?? ''),
    ),
})
