import type { Tx } from '../../context.ts'
import { endpointTestBody } from '../../domain/notification.ts'
import { Refusal } from '../../domain/refusal.ts'
import { enqueueEvents } from '../enqueue-events.ts'
import { findEndpoint } from './find-endpoint.ts'

/**
 * Sends an `endpoint.test` to one endpoint, whatever kinds it subscribes to, before what waits there and also in a pause,
 * and returns the id of the event. Refusals: `resource_not_found`, `invalid_state` while it is disabled.
 */
export const testEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<string> => {
  const endpoint = await findEndpoint(tx, merchantId, id)
  if (endpoint.status !== 'enabled') throw new Refusal('invalid_state', 'The endpoint is disabled; enable it first.')
  const test = { paymentId: null, sequence: null, endpointId: id, kind: 'endpoint.test' }
  const [eventId] = await enqueueEvents(tx, [{ ...test, merchantId, body: endpointTestBody(id, tx.now), at: tx.now }])
  return eventId ?? ''
}
