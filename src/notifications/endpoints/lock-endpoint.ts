import type { Tx } from '../../context.ts'
import { type Endpoint, noEndpoint } from '../../domain/endpoint.ts'
import { lockEndpoint as lock } from './store.ts'

/** A merchant's endpoint, which nobody else changes until the transaction ends; refuses `resource_not_found`. */
export const lockEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<Endpoint> => {
  const [endpoint] = await tx.query(lock, { merchantId, id })
  if (!endpoint) throw noEndpoint()
  return endpoint
}
