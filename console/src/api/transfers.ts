import { queryOptions } from '@tanstack/react-query'
import type { DecisionDetails, RevokedItem, TransferDecisionAnswer } from '../../../src/operations/decisions.ts'
import type { DecideTransfersAnswer } from '../../../src/operations/decide-transfers.ts'
import type { TransferDetails } from '../../../src/operations/inbox.ts'
import type { DayAnswer } from '../../../src/operations/reconciliation.ts'
import type { ListedTransfer } from '../../../src/operations/transfers.ts'
import type { DecisionWord } from '../../../src/rules/transfers/transfer.ts'
import { api, type Query } from './client.ts'

/** What names a transfer: its requisite and its id. */
export type TransferKey = { readonly requisiteId: string; readonly id: string }

/** The key of a transfer as text. */
export const keyText = ({ requisiteId, id }: TransferKey): string => `${requisiteId}/${id}`

type Page = {
  readonly transfers: readonly ListedTransfer[]
  readonly nextCursor?: string
  readonly count?: { readonly matching: number; readonly isExact: boolean }
}

/** A page of the transfers that wait for a decision. */
export const readWaiting = (filters: Query, cursor: string | undefined): Promise<Page> =>
  api.get<Page>('/transfers', { sort: 'oldest', ...filters, unmatched: 'true', limit: '200', cursor })

/** How many transfers wait, as far as they can be counted quickly. */
export const waitingCount = (filters: Query) =>
  queryOptions({
    queryKey: ['transfers', 'count', filters],
    queryFn: async () =>
      (await api.get<Page>('/transfers', { ...filters, unmatched: 'true', limit: '1', count: 'true' })).count,
  })

/** A transfer with the payments that it may be for, and what each choice would write. */
export const transferDetails = (key: string) =>
  queryOptions({
    queryKey: ['transfers', 'details', key],
    queryFn: () => api.get<TransferDetails>(`/transfers/${key}`),
  })

/** A share of a transfer for a payment; the one without an amount gets what the others leave. */
export type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount?: number }

/** What a person decides about a transfer. */
export type Wanted = TransferKey & {
  readonly decision: DecisionWord
  readonly shares?: readonly Share[]
  readonly note?: string
}

/** Decides; each transfer has its own result. Sent again with the same key, it changes nothing more. */
export const decide = (transfers: readonly Wanted[]): Promise<DecideTransfersAnswer> =>
  api.post('/transfers/decide', { transfers }, { 'idempotency-key': crypto.randomUUID() })

/** Most decisions that are tried at once to show what they would do. */
export const mostPreviewed = 200

/** What decisions would do, each on its own: the service tries them and changes nothing. */
export const decisionPreview = (transfers: readonly Wanted[]) =>
  queryOptions({
    queryKey: ['preview', '/transfers/decide', transfers],
    queryFn: () => api.post<DecideTransfersAnswer>('/transfers/decide', { transfers, preview: true }),
    gcTime: 0,
  })

/** A decision with its transfers, and for each whether it can be revoked. */
export const readDecision = (id: string) => api.get<DecisionDetails>(`/decisions/${id}`)

/** The latest decisions, newest first. */
export const readDecisions = () => api.get<{ decisions: TransferDecisionAnswer[] }>('/decisions', { limit: '20' })

/** Takes a decision back. */
export const revoke = (id: string) =>
  api.post<{ transfers: RevokedItem[] }>(`/decisions/${id}/revoke`, { reason: 'Undone in the console' })

/** The last day for which a bank has reported the balance of an account, compared with the ledger. */
export const lastDay = (requisiteId: string) =>
  queryOptions({
    queryKey: ['reconciliation', requisiteId],
    queryFn: async () =>
      (await api.get<{ days: DayAnswer[] }>('/ledger/reconciliation', { requisiteId, limit: '1' })).days[0] ?? null,
  })
