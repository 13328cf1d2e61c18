import type { Context } from '../../context.ts'
import type { Endpoint } from '../../domain/endpoint.ts'
import { listTroubledEndpoints as list } from './store.ts'

/** Most endpoints of the answer. */
const most = 500

/** Endpoints of all merchants that the service has disabled (`gone`, `failing`), and those that fail at present. */
export const listTroubledEndpoints = (context: Context): Promise<Endpoint[]> => context.query(list, { limit: most })
