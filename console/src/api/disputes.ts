import { queryOptions } from '@tanstack/react-query'
import type { DecideDisputesAnswer } from '../../../src/http/operator-api/decide-disputes.ts'
import type { ListedDispute, OperatorDispute } from '../../../src/http/operator-api/disputes.ts'
import type { ListedTransfer } from '../../../src/http/operator-api/transfers.ts'
import { api } from './client.ts'

/** A dispute with its history and files; `key` is its merchant and its id, with a slash between them. */
export const disputeDetails = (key: string) =>
  queryOptions({
    queryKey: ['disputes', 'details', key],
    queryFn: () => api.get<OperatorDispute>(`/disputes/${key}`),
  })

/** What is decided about one dispute. */
export type WantedDecision = {
  readonly merchantId: string
  readonly id: string
  readonly decision: 'accept' | 'reject' | 'confirm'
  readonly amount?: number | string
  readonly transfers?: readonly { readonly requisiteId: string; readonly id: string }[]
  readonly unassign?: readonly { readonly requisiteId: string; readonly id: string }[]
}

/** What somebody has proposed, for a second person. */
export type Proposal = NonNullable<ListedDispute['correction']>

/** What the second person confirms: what the page has shown. */
export const confirmationOf = ({ amount, transfers, unassign }: Proposal) => ({
  amount,
  ...(transfers && { transfers }),
  ...(unassign && { unassign }),
})

/** Why, of a preview for which nobody has said it yet. */
const noNote = 'Not said yet'

/** What each decision would do alone; nothing changes. */
export const decisionPreview = (disputes: readonly WantedDecision[]) =>
  queryOptions({
    queryKey: ['disputes', 'preview', disputes],
    queryFn: async () =>
      (await api.post<DecideDisputesAnswer>('/disputes/decide', { disputes, note: noNote, preview: true })).disputes,
    enabled: disputes.length > 0,
    staleTime: 10_000,
  })

/** Decides; each dispute has a result of its own. */
export const decideDisputes = async (disputes: readonly WantedDecision[], note: string) => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  return (await api.post<DecideDisputesAnswer>('/disputes/decide', { disputes, note }, key)).disputes
}

/** Money of the inbox in a currency that may be for a payment. */
export const inboxIn = (currency: string) =>
  queryOptions({
    queryKey: ['transfers', 'inbox', currency],
    queryFn: async () =>
      (await api.get<{ transfers: ListedTransfer[] }>('/transfers', { unmatched: 'true', currency, limit: '50' }))
        .transfers,
  })
