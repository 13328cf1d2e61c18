import type { Context } from '../context.ts'
import { disableEndpoint as disable } from './store.ts'

/** Disables an endpoint that wants or takes nothing any more, and tells the operator by a warning in the log. */
export const disableEndpoint = async (
  context: Context,
  merchantId: string,
  id: string,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const [row] = await context.query(disable, { merchantId, id, reason, now: context.clock() })
  if (!row) return
  const told = { alert: 'endpoint-disabled', merchantId, endpointId: id, host: URL.parse(row.url)?.host, reason }
  context.log.warn(told, 'a notification endpoint was disabled')
}
