import { queryOptions } from '@tanstack/react-query'
import type { BankIssuer } from '../../../src/http/operator-api/bank-issuers.ts'
import type { HealthAnswer } from '../../../src/http/operator-api/requisite-health.ts'
import type { ChangedStatuses } from '../../../src/http/operator-api/requisite-statuses.ts'
import { api } from './client.ts'

/** One requisite with its health, whatever its status; `null` where there is none. */
export const requisiteHealth = (id: string) =>
  queryOptions({
    queryKey: ['requisites', 'health', id],
    queryFn: async () =>
      (await api.get<{ requisites: HealthAnswer[] }>('/requisites/health', { id })).requisites[0] ?? null,
  })

/** All banks that a requisite may be of. */
export const bankIssuers = queryOptions({
  queryKey: ['bank-issuers'],
  queryFn: async () => (await api.get<{ bankIssuers: BankIssuer[] }>('/bank-issuers')).bankIssuers,
  staleTime: 60_000,
})

/** Pauses or resumes requisites; each has a result of its own. */
export const setStatuses = (requisites: readonly string[], status: 'active' | 'paused', reason: string) =>
  api.post<ChangedStatuses>('/requisites/statuses', {
    requisites,
    status,
    ...(reason === '' ? {} : { reason }),
  })

/** Adds requisites, all or none; with `dryRun` it only checks them. */
export const addRequisites = (requisites: readonly object[], dryRun = false) =>
  api.post<{ ids: string[] }>('/requisites', { requisites, dryRun })
