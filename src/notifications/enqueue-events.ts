import type { Tx } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { insertOutbox } from './store.ts'

/** An event for a merchant, its body frozen. */
export type NewEvent = {
  readonly merchantId: string
  /** `null` where it is not about a payment. */
  readonly paymentId: string | null
  /** The settlement that it is about, where it is about one. */
  readonly settlementId?: string
  readonly sequence: number | null
  /** The only endpoint that hears of it; `null` for all that subscribe to the kind. */
  readonly endpointId: string | null
  readonly kind: string
  readonly body: string
  readonly at: Instant
}

/** Key of the bus of changes that announces new events. */
export const eventsKey = 'notifications'

/** Stores events in the transaction of what they tell, and returns their ids, which are the `webhook-id` of each. */
export const enqueueEvents = async (tx: Tx, events: readonly NewEvent[]): Promise<string[]> => {
  const ids = events.map(() => tx.newId())
  if (events.length === 0) return ids
  await tx.query(insertOutbox, {
    merchantIds: events.map((event) => event.merchantId),
    ids,
    paymentIds: events.map((event) => event.paymentId),
    settlementIds: events.map((event) => event.settlementId ?? null),
    sequences: events.map((event) => event.sequence),
    endpointIds: events.map((event) => event.endpointId),
    kinds: events.map((event) => event.kind),
    bodies: events.map((event) => event.body),
    createdAts: events.map((event) => event.at),
  })
  tx.afterCommit(() => tx.changes.publish([eventsKey]))
  return ids
}
