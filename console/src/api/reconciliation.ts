import { queryOptions } from '@tanstack/react-query'
import type { OutgoingAnswer } from '../../../src/operations/outgoing.ts'
import type { OpenedBalance, WholeDay } from '../../../src/operations/reconciliation.ts'
import { api } from './client.ts'

/** A day of a requisite; `key` is the requisite's id and the day, with a slash between them. */
export const wholeDay = (key: string) =>
  queryOptions({
    queryKey: ['reconciliation', 'day', key],
    queryFn: () => api.get<WholeDay>(`/ledger/reconciliation/${key}`),
  })

type Openings = { readonly balances: readonly object[]; readonly reason: string; readonly dryRun?: boolean }

/** Sets what accounts held before their first day here, all or none; `dryRun` only checks them. */
export const setOpenings = async (openings: Openings): Promise<readonly OpenedBalance[]> =>
  (await api.put<{ balances: OpenedBalance[] }>('/ledger/opening-balances', openings)).balances

/** Outgoing money of a requisite that nobody has explained; the newest first. */
export const unexplainedOf = (requisiteId: string) =>
  queryOptions({
    queryKey: ['outgoing', 'unexplained', requisiteId],
    queryFn: async () =>
      (await api.get<{ outgoing: OutgoingAnswer[] }>('/outgoing', { requisiteId, state: 'unexplained', limit: '200' }))
        .outgoing,
  })

/** One outgoing transfer; `key` is the ids of the requisite and the transfer, with a slash between them. */
export const outgoingTransfer = (key: string) =>
  queryOptions({ queryKey: ['outgoing', 'one', key], queryFn: () => api.get<OutgoingAnswer>(`/outgoing/${key}`) })
