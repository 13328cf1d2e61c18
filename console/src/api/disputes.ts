import { queryOptions } from '@tanstack/react-query'
import type { DecideDisputesAnswer } from '../../../src/operations/decide-disputes.ts'
import type { ListedDispute, OperatorDispute } from '../../../src/operations/disputes.ts'
import type { ListedTransfer } from '../../../src/operations/transfers.ts'
import { api } from './client.ts'

/** A dispute with its history and files; `key` is its merchant and its id, with a slash between them. */
export const disputeDetails = (key: string) =>
  queryOptions({
    queryKey: ['disputes', 'details', key],
    queryFn: () => api.get<OperatorDispute>(`/disputes/${key}`),
  })

/** A decision about one dispute. */
export type WantedDecision = {
  readonly merchantId: string
  readonly id: string
  readonly decision: 'accept' | 'reject' | 'confirm'
  readonly amount?: number | string
  readonly transfers?: readonly { readonly requisiteId: string; readonly id: string }[]
  readonly unassign?: readonly { readonly requisiteId: string; readonly id: string }[]
}

/** The proposal of one operator, for a second one to confirm. */
export type Proposal = NonNullable<ListedDispute['correction']>

/** What the second operator confirms: the proposal as the page has shown it. */
export const confirmationOf = ({ amount, transfers, unassign }: Proposal) => ({
  amount,
  ...(transfers && { transfers }),
  ...(unassign && { unassign }),
})

/** The note of a preview for which nobody has written one yet. */
const noNote = 'Not said yet'

/** The effect of each decision on its own; nothing changes. */
export const decisionPreview = (disputes: readonly WantedDecision[]) =>
  queryOptions({
    queryKey: ['disputes', 'preview', disputes],
    queryFn: async () =>
      (await api.post<DecideDisputesAnswer>('/disputes/decide', { disputes, note: noNote, preview: true })).disputes,
    enabled: disputes.length > 0,
    staleTime: 10_000,
  })

/** Decides; each dispute has its own result. */
export const decideDisputes = async (disputes: readonly WantedDecision[], note: string) => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  return (await api.post<DecideDisputesAnswer>('/disputes/decide', { disputes, note }, key)).disputes
}

/** Transfers in the inbox, in a currency, that may be for a payment. */
export const inboxIn = (currency: string) =>
  queryOptions({
    queryKey: ['transfers', 'inbox', currency],
    queryFn: async () =>
      (await api.get<{ transfers: ListedTransfer[] }>('/transfers', { unmatched: 'true', currency, limit: '50' }))
        .transfers,
  })
