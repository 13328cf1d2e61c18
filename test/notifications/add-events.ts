// Endpoints and events in numbers that the API would take long for.
import { createEndpoint } from '../../src/notifications/endpoints/create-endpoint.ts'
import { enqueueEvents } from '../../src/notifications/enqueue-events.ts'
import type { TestService } from '../support/service.ts'

/** Adds endpoints in one transaction, also on loopback, and returns their ids. */
export const addEndpoints = (service: TestService, merchantId: string, urls: readonly string[]): Promise<string[]> =>
  service.context.transaction(async (tx) => {
    const ids: string[] = []
    for (const url of urls) {
      const wish = { url, description: '', kinds: [] }
      const { endpoint } = await createEndpoint(
        tx,
        { loopbackAllowed: true, mayBePublic: () => true },
        merchantId,
        wish,
      )
      ids.push(endpoint.id)
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
  service.context.transaction((tx) => {
    const kind = paymentId === null ? 'endpoint.test' : 'payment.ack-overdue'
    return enqueueEvents(
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
