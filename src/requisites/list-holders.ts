import type { Queryable } from '../database/database.ts'
import type { Instant } from '../domain/time.ts'
import {
  listEqualHolders as selectEqual,
  listHolders as selectHolders,
  listNearHolders as selectNear,
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

/** What holders are looked for: who held a slot on the requisite at some time from `from` to `to`. */
export type SoughtHolders = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly from: Instant
  readonly to: Instant
  /** Keyed index of the sender's number. */
  readonly senderIndex: string | null
  readonly onlyMerchantId?: string
}

const columnsOf = (sought: readonly SoughtHolders[]) => ({
  requisiteIds: sought.map((each) => each.requisiteId),
  amounts: sought.map((each) => each.amount),
  froms: sought.map((each) => each.from),
  tos: sought.map((each) => each.to),
})

/** All who hold a slot on a requisite at a time. */
export const listHolders = (sql: Queryable, requisiteId: string, at: Instant): Promise<SlotHolder[]> =>
  sql.query(selectHolders, { requisiteId, at })

/** Holders of exactly the amounts. */
export const listEqualHolders = (sql: Queryable, sought: readonly SoughtHolders[]): Promise<SlotHolder[]> =>
  sql.query(selectEqual, columnsOf(sought))

/** Holders on the requisites that wait for the rest of their money. */
export const listPartlyPaidHolders = (sql: Queryable, requisiteIds: readonly string[]): Promise<SlotHolder[]> =>
  sql.query(selectPartlyPaid, { requisiteIds })

/**
 * Holders of other amounts: on each side the ten nearest that wait for money and the ten nearest that do not, and those
 * whose payer is the sender. Enough to tell whether one, several or none wait within any distance.
 */
export const listNearHolders = async (sql: Queryable, sought: readonly SoughtHolders[]): Promise<SlotHolder[]> =>
  sought.length === 0
    ? []
    : sql.query(selectNear, {
        ...columnsOf(sought),
        senderIndexes: sought.map((each) => each.senderIndex),
        onlyMerchantIds: sought.map((each) => each.onlyMerchantId ?? null),
      })
