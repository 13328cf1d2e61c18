import type { Tx } from '../context.ts'
import { noEndpoint } from '../domain/endpoint.ts'
import { freezePlaces } from '../notifications/freeze-places.ts'
import { removeEndpoint as remove } from './store.ts'
import { tellOfEndpoints } from './tell-of-endpoints.ts'

/** Removes an endpoint for good, with all that waits for it; refuses `resource_not_found`. */
export const removeEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<void> => {
  await freezePlaces(tx, merchantId)
  if ((await tx.query(remove, { merchantId, id })).length === 0) throw noEndpoint()
  tellOfEndpoints(tx)
}
