// Endpoints and events in numbers that the API would take long for.
import { endpointSecret } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { insertEndpoint } from '../../src/engine/notifications/endpoints/store.ts'
import { enqueueNotifications } from '../../src/engine/notifications/enqueue-notifications.ts'
import { holdQueueing } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { newWebhookSecret } from '../../src/secrets/webhook-secret.ts'
import type { TestService } from '../support/service.ts'

/** Adds enabled endpoints that hear of all events from now on, also on loopback, and returns their ids. */
export const addEndpoints = (service: TestService, merchantId: string, urls: readonly string[]): Promise<string[]> =>
  service.context.transaction(async (tx) => {
    const queuedAfter = await holdQueueing(tx, merchantId)
    const ids = urls.map(() => tx.newId())
    for (const [index, url] of urls.entries()) {
      const id = ids[index] ?? ''
      const secretSealed = endpointSecret.seal(tx.vault, id, newWebhookSecret())
      const fields = {
        url,
        description: '',
        kinds: [],
        status: 'enabled' as const,
        queuedAfter,
        secretSealed,
        createdAt: tx.now,
      }
      await tx.query(insertEndpoint, { ...fields, merchantId, id })
    }
    return ids
  })

/**
 * Stores events for all endpoints of a merchant, and returns their ids: tests of no payment or, where `paymentId` is given,
 * reminders of it in their order. `data` is added to the number of each.
 */
export const addEvents = (
  service: TestService,
  merchantId: string,
  count: number,
  { paymentId = null, data = {} }: { readonly paymentId?: string | null; readonly data?: object } = {},
): Promise<string[]> =>
  service.context.transaction(async (tx) => {
    const kind = paymentId === null ? 'endpoint.test' : 'payment.ack-overdue'
    return enqueueNotifications(
      tx,
      Array.from({ length: count }, (_, index) => ({
        merchantId,
        paymentId,
        sequence: paymentId === null ? null : index + 10,
        endpointId: null,
        kind,
        body: JSON.stringify({ type: kind, data: { index, ...data } }),
        at: tx.now,
      })),
    )
  })
