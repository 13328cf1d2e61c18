import type { Tx } from '../../context.ts'
import type { EndpointWish } from '../../domain/endpoint.ts'
import { minute, type Instant } from '../../domain/time.ts'
import { createEndpoint } from '../endpoints/create-endpoint.ts'
import { startListening } from './store.ts'

/** How long a listener is kept after it was last heard of. */
export const listenedForMs = 2 * minute

/** Written in place of an address: a name that leads nowhere (RFC 2606). */
export const noAddress = 'https://listener.invalid/'

/**
 * Adds an endpoint without an address, whose deliveries are taken by `takeDeliveries`. It is removed once it has not been
 * heard of for two minutes. Its secret is forgotten: who takes deliveries signs them. Refusals as `createEndpoint`.
 */
export const createListener = async (
  tx: Tx,
  merchantId: string,
  wish: Omit<EndpointWish, 'url'>,
): Promise<{ readonly id: string; readonly until: Instant }> => {
  const policy = { loopbackAllowed: false, mayBePublic: () => true }
  const { endpoint } = await createEndpoint(tx, policy, merchantId, { ...wish, url: noAddress })
  const until = tx.now + listenedForMs
  await tx.query(startListening, { merchantId, id: endpoint.id, until })
  return { id: endpoint.id, until }
}
