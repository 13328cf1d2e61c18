import type { Context } from '../../context.ts'
import type { Endpoint } from '../../domain/endpoint.ts'
import { listEndpoints as list } from './store.ts'

/** A merchant's endpoints, the oldest first. */
export const listEndpoints = (context: Context, merchantId: string): Promise<Endpoint[]> =>
  context.query(list, { merchantId })
