import type { Context } from '../../context.ts'
import type { Instant } from '../../domain/time.ts'
import { findEndpoint } from '../endpoints/find-endpoint.ts'
import { type DeliveryStatus, listDeliveries as list } from './store.ts'

/** The delivery of one event to one endpoint. */
export type Delivery = {
  readonly eventId: string
  readonly position: bigint
  readonly kind: string
  readonly paymentId: string | null
  /** The merchant's own identifier of the payment. */
  readonly orderId: string | null
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Of a pending one, when it is tried next. */
  readonly dueAt: Instant
  readonly queuedAt: Instant
  readonly finishedAt: Instant | null
}

/**
 * An endpoint's deliveries, all or those of a status or a payment, the newest event first, up to `limit` before a place;
 * refuses `resource_not_found`.
 */
export const listDeliveries = async (
  context: Context,
  key: { readonly merchantId: string; readonly endpointId: string },
  page: {
    readonly status: DeliveryStatus | null
    readonly paymentId: string | null
    readonly before: bigint | null
    readonly limit: number
  },
): Promise<Delivery[]> => {
  await findEndpoint(context, key.merchantId, key.endpointId)
  return context.query(list, { ...key, ...page })
}
