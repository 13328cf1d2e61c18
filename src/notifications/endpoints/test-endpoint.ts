import type { Tx } from '../../context.ts'
import { endpointTestBody } from '../../domain/notification.ts'
import { enqueueNotifications } from '../enqueue-notifications.ts'
import { requireEnabled } from './read.ts'

/**
 * Sends an `endpoint.test` to one endpoint, whatever kinds it subscribes to, before what waits there and also in a pause,
 * and returns the id of the event. Refusals: `resource_not_found`, `invalid_state` while it is disabled.
 */
export const testEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<string> => {
  await requireEnabled(tx, merchantId, id)
  const test = { paymentId: null, sequence: null, endpointId: id, kind: 'endpoint.test' }
  const [eventId] = await enqueueNotifications(tx, [
    { ...test, merchantId, body: endpointTestBody(id, tx.now), at: tx.now },
  ])
  return eventId ?? ''
}
