import type { Context } from '../../context.ts'
import type { Endpoint } from '../../domain/endpoint.ts'
import { markDisabled } from './store.ts'

/**
 * Disables an endpoint whose address is gone or keeps failing, and warns the operator in the log. An endpoint whose
 * address has changed meanwhile stays as it is.
 */
export const disableEndpoint = async (
  context: Context,
  endpoint: Pick<Endpoint, 'merchantId' | 'id' | 'url'>,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const rows = await context.query(markDisabled, { ...endpoint, reason, now: context.clock() })
  if (rows.length === 0) return
  const { merchantId, id: endpointId, url } = endpoint
  const alert = { alert: 'endpoint-disabled', merchantId, endpointId, host: URL.parse(url)?.host, reason }
  context.log.warn(alert, 'a notification endpoint was disabled')
}
