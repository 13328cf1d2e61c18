import type { Queryable } from '../../database/database.ts'
import { type Endpoint, noEndpoint } from '../../domain/endpoint.ts'
import { findEndpoint as find } from './store.ts'

/** A merchant's endpoint; refuses `resource_not_found`. */
export const findEndpoint = async (sql: Queryable, merchantId: string, id: string): Promise<Endpoint> => {
  const [endpoint] = await sql.query(find, { merchantId, id })
  if (!endpoint) throw noEndpoint()
  return endpoint
}
