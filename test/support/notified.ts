import assert from 'node:assert/strict'
import type { Shop } from './shop.ts'

/** Settings of a service whose sandbox merchants receive notifications on the loopback address. */
export const notified = { PAYIN_NOTIFICATION_LOOPBACK: 'on', PAYIN_NOTIFICATION_TIMEOUT_MS: '1000' }

/** Adds an endpoint as its merchant would; the answer contains its secret. */
export const addEndpoint = async (
  shop: Shop,
  fields: { readonly url: string; readonly kinds?: readonly string[]; readonly description?: string },
): Promise<{ readonly id: string; readonly secret: string }> => {
  const { status, body } = await shop.post('/endpoints', fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** The deliveries to an endpoint, the newest event first. */
export const deliveriesOf = async (
  shop: Shop,
  endpointId: string,
  status?: 'pending' | 'delivered' | 'failed',
): Promise<
  readonly { readonly eventId: string; readonly type: string; readonly status: string; readonly attempts: number }[]
> => {
  const query = `?limit=500${status ? `&status=${status}` : ''}`
  const answer = await shop.get(`/endpoints/${endpointId}/deliveries${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.deliveries
}
