import type { Context } from '../../context.ts'
import type { DeliveryError } from '../../domain/delivery.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Delivery } from './list-deliveries.ts'
import { findDelivery, listAttempts } from './store.ts'

/** Most attempts of a delivery that are returned. */
export const mostAttempts = 100

/** One attempt of a delivery: the status of the answer, or why there was none. */
export type Attempt = {
  readonly attempt: number
  readonly at: Instant
  readonly status: number | null
  readonly error: DeliveryError | null
  readonly latencyMs: number
  /** Start of the answer's body, printable. */
  readonly excerpt: string
}

/** A delivery with the frozen body of its event and its newest attempts; refuses `resource_not_found`. */
export const getDelivery = async (
  context: Context,
  key: { readonly merchantId: string; readonly endpointId: string; readonly eventId: string },
): Promise<Delivery & { readonly body: string; readonly log: readonly Attempt[] }> => {
  const [delivery] = await context.query(findDelivery, key)
  if (!delivery) throw new Refusal('resource_not_found', 'There is no such delivery.')
  const { merchantId, endpointId } = key
  const log = await context.query(listAttempts, {
    merchantId,
    endpointId,
    position: delivery.position,
    limit: mostAttempts,
  })
  return { ...delivery, log }
}
