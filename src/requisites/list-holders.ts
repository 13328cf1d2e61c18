import type { Queryable } from '../database/database.ts'
import type { Instant } from '../domain/time.ts'
import {
  listEqualHolders as selectEqual,
  listHolders as selectHolders,
  listPartlyPaidHolders as selectPartlyPaid,
} from './store.ts'

/** A payment and the time in which it held the slot of its amount on a requisite. */
export type SlotHolder = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly merchantId: string
  readonly paymentId: string
  readonly takenAt: Instant
  readonly heldUntil: Instant
}

/** A requisite and a span of time: who held a slot on it at some time from `from` to `to`. */
export type HeldSpan = { readonly requisiteId: string; readonly from: Instant; readonly to: Instant }

const columnsOf = (spans: readonly HeldSpan[]) => ({
  requisiteIds: spans.map((span) => span.requisiteId),
  froms: spans.map((span) => span.from),
  tos: spans.map((span) => span.to),
})

/** All who held a slot in the spans. */
export const listHolders = async (sql: Queryable, spans: readonly HeldSpan[]): Promise<SlotHolder[]> =>
  spans.length === 0 ? [] : sql.query(selectHolders, columnsOf(spans))

/** Those who held the slot of exactly an amount in its span. */
export const listEqualHolders = (
  sql: Queryable,
  spans: readonly (HeldSpan & { readonly amount: bigint })[],
): Promise<SlotHolder[]> => sql.query(selectEqual, { ...columnsOf(spans), amounts: spans.map((span) => span.amount) })

/** Those on the requisites, whenever they held their slot, that wait for the rest of their money. */
export const listPartlyPaidHolders = (sql: Queryable, requisiteIds: readonly string[]): Promise<SlotHolder[]> =>
  sql.query(selectPartlyPaid, { requisiteIds })
