import type { Context } from '../../context.ts'
import { type DeliveryStatus, mostAttempts } from '../../../rules/notices/delivery.ts'
import { requireRow } from '../../../rules/refusal.ts'
import { findEndpoint } from '../endpoints/read.ts'
import { findDelivery, listAttempts, selectDeliveries, selectDeliveriesOfPayment } from './store.ts'

/** The delivery of one event to one endpoint. */
export type Delivery = ReturnType<typeof selectDeliveries.decode>

/** One attempt of a delivery: the HTTP status of the answer, or why there was none. */
type Attempt = ReturnType<typeof listAttempts.decode>

type EndpointKey = { readonly merchantId: string; readonly endpointId: string }

/**
 * An endpoint's deliveries, all or those of a status or a payment, the newest event first, up to `limit` before a
 * position; refuses `resource_not_found`.
 */
export const listDeliveries = async (
  context: Context,
  key: EndpointKey,
  page: {
    readonly status: DeliveryStatus | null
    readonly paymentId: string | null
    readonly before: bigint | null
    readonly limit: number
  },
): Promise<Delivery[]> => {
  await findEndpoint(context, key.merchantId, key.endpointId)
  return context.query(selectDeliveries, { ...key, ...page })
}

/** The newest deliveries about a payment, to all endpoints of its merchant. */
export const listDeliveriesOf = (context: Context, merchantId: string, paymentId: string) =>
  context.query(selectDeliveriesOfPayment, { merchantId, paymentId, limit: 50 })

/** A delivery with its event's frozen body and its newest attempts; refuses `resource_not_found`. */
export const getDelivery = async (
  context: Context,
  key: EndpointKey & { readonly eventId: string },
): Promise<Delivery & { readonly body: string; readonly log: readonly Attempt[] }> => {
  const delivery = requireRow(await context.query(findDelivery, key), 'delivery')
  const log = await context.query(listAttempts, { ...key, position: delivery.position, limit: mostAttempts })
  return { ...delivery, log }
}
