import type { Context, Tx } from '../../context.ts'
import { type Queryable, reader } from 'payin-database'
import { invalidState, requireRow } from '../../../rules/refusal.ts'
import { findEndpoints, selectEndpoint, selectEndpoints, selectTroubledEndpoints, lockEndpointRow } from './store.ts'

/** Where a merchant receives notifications. */
export type Endpoint = ReturnType<typeof selectEndpoint.decode>

/** Most troubled endpoints returned. */
const mostTroubled = 500

/** A merchant's endpoints, the oldest first. */
export const listEndpoints = (context: Context, merchantId: string): Promise<Endpoint[]> =>
  context.query(selectEndpoints, { merchantId })

/** Endpoints of all merchants that the service has disabled (`gone`, `failing`) or that are failing; at most 500. */
export const listTroubledEndpoints = (context: Context): Promise<Endpoint[]> =>
  context.query(selectTroubledEndpoints, { limit: mostTroubled })

/** A merchant's endpoint; refuses `resource_not_found`. */
export const findEndpoint = async (sql: Queryable, merchantId: string, id: string): Promise<Endpoint> =>
  requireRow(await sql.query(selectEndpoint, { merchantId, id }), 'endpoint')

/** Refuses `resource_not_found` if the endpoint does not exist, `invalid_state` while it is disabled. */
export const requireEnabled = async (sql: Queryable, merchantId: string, id: string): Promise<void> => {
  const { status } = await findEndpoint(sql, merchantId, id)
  if (status !== 'enabled') throw invalidState('The endpoint is disabled; enable it first.')
}

/** A merchant's endpoint, locked against other changes until the transaction ends; refuses `resource_not_found`. */
export const lockEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<Endpoint> =>
  requireRow(await tx.query(lockEndpointRow, { merchantId, id }), 'endpoint')

/** Endpoints of merchants that an address, a host, a description or a shortened id may mean; only a few of them. */
export const findEndpointsByName = reader(findEndpoints)
