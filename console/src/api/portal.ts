import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { EndpointAnswer } from '../../../src/operations/endpoints.ts'
import type { DeliveryLog } from '../../../src/operations/deliveries.ts'
import type { DestinationDetails } from '../../../src/operations/destinations.ts'
import type { DisputeHistoryAnswer } from '../../../src/operations/disputes.ts'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import { api, type Query } from './client.ts'

/** The path of an operation of the merchant API, which members of a merchant call by their session. */
export const own = (path: string): string => `/api/v1/merchant${path}`

const byOrder = (orderId: string): string => own(`/payments/byOrderId/${encodeURIComponent(orderId)}`)

/** A payment of the merchant with what happened to it. */
export const ownPayment = (orderId: string) =>
  queryOptions({
    queryKey: ['payments', 'own', orderId],
    queryFn: () => api.get<OwnTimeline>(`${byOrder(orderId)}/timeline`),
  })

/** A dispute with its files and its history. */
export type OwnDispute = Static<typeof DisputeHistoryAnswer>

/** The last dispute of a payment. */
export const ownDispute = (orderId: string) =>
  queryOptions({
    queryKey: ['disputes', 'own', orderId],
    queryFn: () => api.get<OwnDispute>(`${byOrder(orderId)}/dispute`),
  })

/** What a member of a merchant may do about a payment. */
export const ownActs = {
  acknowledge: (orderId: string, status: string) => api.post(own('/payments/byOrderId/ack'), { orderId, status }),
  cancel: (orderId: string) => api.post(own('/payments/byOrderId/cancel'), { orderId }),
  openDispute: (orderId: string, claim: { readonly amount: number; readonly note?: string }) =>
    api.post<OwnDispute>(`${byOrder(orderId)}/dispute`, claim),
  withdrawDispute: (orderId: string) => api.post<OwnDispute>(`${byOrder(orderId)}/dispute/withdraw`, {}),
  refund: (orderId: string, refund: object) => api.post(`${byOrder(orderId)}/refunds`, refund),
  cancelRefund: (id: string) => api.post(own(`/refunds/${id}/cancel`), {}),
  requestSettlement: (settlement: object) => api.post(own('/settlements'), settlement),
  cancelSettlement: (id: string) => api.post(own(`/settlements/${id}/cancel`), {}),
  requestDestination: (destination: object) => api.post(own('/destinations'), destination),
  retireDestination: (id: string) => api.post(own(`/destinations/${id}/retire`), {}),
  addFile: (orderId: string, file: File) => api.post<OwnDispute>(`${byOrder(orderId)}/dispute/evidence`, file),
}

/** The merchant's endpoints. */
export const ownEndpoints = queryOptions({
  queryKey: ['endpoints'],
  queryFn: async () => (await api.get<{ endpoints: EndpointAnswer[] }>(own('/endpoints'))).endpoints,
})

/** A delivery with its body and its attempts. */
export const ownDelivery = (endpointId: string, eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'own', endpointId, eventId],
    queryFn: () => api.get<DeliveryLog>(own(`/endpoints/${endpointId}/deliveries/${eventId}`)),
  })

/** Where settlements of the merchant may be sent, the newest first. */
export const ownDestinations = queryOptions({
  queryKey: ['destinations'],
  queryFn: async () =>
    (await api.get<{ destinations: Static<typeof DestinationDetails>[] }>(own('/destinations'))).destinations,
})

/** The balance of the merchant in a currency: what it is owed, and what was paid out. */
type OneBalance = {
  readonly currency: string
  readonly available: number
  readonly waiting?: number
  readonly held: number
  readonly paidOut: number
}

/** The balance in the quote currency, and those in other currencies. */
export type Balance = OneBalance & { readonly others?: readonly OneBalance[] }

export const ownBalance = queryOptions({
  queryKey: ['balance'],
  queryFn: () => api.get<Balance>(own('/balance')),
})

type Counted = { readonly count?: { readonly matching: number; readonly isExact: boolean } }

/** Codes of the currencies in which the merchant may be paid. */
export const ownCurrencies = queryOptions({
  queryKey: ['currencies'],
  queryFn: async () =>
    (await api.get<{ currencies: { code: string }[] }>(own('/payments/currencies'))).currencies.map(({ code }) => code),
  staleTime: 60_000,
})

/** How many of the merchant's payments match these filters. */
export const ownCount = (filters: Query) =>
  queryOptions({
    queryKey: ['payments', 'count', 'own', filters],
    queryFn: async () =>
      (await api.get<Counted>(own('/payments'), { ...filters, limit: '1', count: 'true' })).count ?? null,
  })
