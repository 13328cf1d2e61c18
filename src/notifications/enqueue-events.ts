import type { Tx } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { insertOutbox } from './store.ts'

/** An event for a merchant, its body frozen. */
export type NewEvent = {
  readonly merchantId: string
  /** `null` where it is not about a payment. */
  readonly paymentId: string | null
  /** The settlement that it is about, if any. */
  readonly settlementId?: string
  readonly sequence: number | null
  /** The only endpoint that gets it; default: all that subscribe to the kind. */
  readonly endpointId?: string | null
  readonly kind: string
  readonly body: string
  readonly at: Instant
}

/** Key of the bus of changes that announces new events. */
export const eventsKey = 'notifications'

/** Stores events in the transaction of the change that they report; returns their ids, the `webhook-id` of each. */
export const enqueueEvents = async (tx: Tx, events: readonly NewEvent[]): Promise<string[]> => {
  if (events.length === 0) return []
  const rows = events.map(({ at, ...event }) => ({
    settlementId: null,
    endpointId: null,
    ...event,
    id: tx.newId(),
    createdAt: at,
  }))
  await tx.query(insertOutbox, { rows })
  tx.afterCommit(() => tx.changes.publish([eventsKey]))
  return rows.map((row) => row.id)
}
