import { queryOptions } from '@tanstack/react-query'
import type { BalancesAnswer } from '../../../src/operations/ledger.ts'
import type { MerchantAnswer, ProfileAnswer } from '../../../src/operations/merchants.ts'
import type { LinkAnswer } from '../../../src/operations/links.ts'
import type { RequestSummaryAnswer } from '../../../src/operations/requests.ts'
import type { TokenAnswer } from '../../../src/operations/tokens.ts'
import type { DeliveryAnswer, DeliveryLog } from '../../../src/operations/deliveries.ts'
import type { EndpointAnswer } from '../../../src/operations/endpoints.ts'
import { api } from './client.ts'

export const merchants = queryOptions({
  queryKey: ['merchants'],
  queryFn: async () => (await api.get<{ merchants: MerchantAnswer[] }>('/merchants')).merchants,
  staleTime: 60_000,
})

/** A merchant with the limits and terms in force. */
export const merchantProfile = (id: string) =>
  queryOptions({
    queryKey: ['merchants', id],
    queryFn: () => api.get<ProfileAnswer>(`/merchants/${encodeURIComponent(id)}`),
  })

/** What a merchant is owed, available and held, as in the ledger: negative. */
export const merchantBalances = (id: string) =>
  queryOptions({
    queryKey: ['merchants', id, 'balances'],
    queryFn: async () =>
      (await api.get<BalancesAnswer>('/ledger/balances', { merchantId: id })).balances.filter(
        ({ account }) => account === `merchant:${id}:available` || account === `merchant:${id}:held`,
      ),
  })

/** How many credited payments a merchant has not acknowledged. */
export const unacknowledged = (id: string) =>
  queryOptions({
    queryKey: ['payments', 'unacknowledged', id],
    queryFn: async () =>
      (
        await api.get<{ count?: { matching: number; isExact: boolean } }>('/payments', {
          ...{ merchantId: id, acknowledged: 'false', limit: '1', count: 'true' },
        })
      ).count ?? null,
  })

/** A merchant's tokens, without their secret part. */
export const merchantTokens = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id],
    queryFn: async () => (await api.get<{ tokens: TokenAnswer[] }>(`/merchants/${id}/tokens`)).tokens,
  })

/** The last requests of a merchant's programs, all or those that failed. */
export const merchantRequests = (id: string, outcome: string | undefined) =>
  queryOptions({
    queryKey: ['requests', id, outcome],
    queryFn: async () =>
      (await api.get<{ requests: RequestSummaryAnswer[] }>(`/merchants/${id}/requests`, { outcome, limit: '100' }))
        .requests,
  })

/** The last payment links of a merchant, all or those in a state. */
export const merchantLinks = (id: string, state: string | undefined) =>
  queryOptions({
    queryKey: ['links', id, state],
    queryFn: async () =>
      (await api.get<{ links: LinkAnswer[] }>(`/merchants/${id}/links`, { state, limit: '100' })).links,
  })

/** A merchant's endpoints. */
export const merchantEndpoints = (id: string) =>
  queryOptions({
    queryKey: ['endpoints', id],
    queryFn: async () => (await api.get<{ endpoints: EndpointAnswer[] }>(`/merchants/${id}/endpoints`)).endpoints,
  })

/** The last deliveries of an endpoint, all or those with a status. */
export const endpointDeliveries = (merchantId: string, endpointId: string, status: string | undefined) =>
  queryOptions({
    queryKey: ['deliveries', endpointId, status],
    queryFn: async () =>
      (
        await api.get<{ deliveries: DeliveryAnswer[] }>(`/merchants/${merchantId}/endpoints/${endpointId}/deliveries`, {
          ...{ status, limit: '50' },
        })
      ).deliveries,
  })

/** A delivery with its body and attempts. */
export const deliveryLog = (merchantId: string, endpointId: string, eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', endpointId, 'log', eventId],
    queryFn: () => api.get<DeliveryLog>(`/merchants/${merchantId}/endpoints/${endpointId}/deliveries/${eventId}`),
  })
