import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { day, type Instant, minute } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import {
  findRequisiteOfMode,
  listAccountNumbers,
  selectBoundRequisites,
  listCrediting,
  listRequisitesByNumber,
  listTakenSlots,
  selectSharing,
} from './store.ts'
import { selectEqualHolders, selectHolders, selectHoldersOfPayers, selectPartlyPaidHolders } from './holders/store.ts'

/** Requisites that have one of these numbers, for any method and currency. */
export const findRequisitesByNumber = (
  context: Pick<Context, 'query' | 'vault'>,
  numbers: readonly string[],
): Promise<{ readonly id: string; readonly currency: string }[]> => {
  const numberIndexes = numbers.flatMap((number) => context.vault.blindIndexes('requisite', number))
  return context.query(listRequisitesByNumber, { numberIndexes })
}

/** Of the existing requisites among these, from the database: their currencies, modes, zones, and why crediting is held on them. */
export const readCrediting = async (sql: Queryable, ids: readonly string[]) =>
  new Map((await sql.query(listCrediting, { ids: [...new Set(ids)] })).map((row) => [row.id, row]))

/** Whether the money of a requisite is real, not simulated. */
export const isReal = async (sql: Queryable, id: string): Promise<boolean> =>
  (await readCrediting(sql, [id])).get(id)?.mode === 'live'

/** Currencies of the existing requisites among these, by id, from the database. */
export const requisiteCurrencies = async (sql: Queryable, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map([...(await readCrediting(sql, ids))].map(([id, { currency }]) => [id, currency]))

/** Whether the money of a requisite and that of a merchant are both real, or both simulated. */
export const isOfOneMode = async (sql: Queryable, id: string, merchantId: string): Promise<boolean> =>
  (await sql.query(findRequisiteOfMode, { id, merchantId })).length > 0

/** How far the time zones of requisites are ahead of UTC, in milliseconds, by id. */
export const requisiteOffsets = async (sql: Queryable, ids: readonly string[]): Promise<Map<string, number>> =>
  new Map([...(await readCrediting(sql, ids))].map(([id, row]) => [id, row.utcOffsetMinutes * minute]))

/** Whether nobody holds an amount on one of the requisites at least. */
export const hasFreeSlot = async (
  sql: Queryable,
  requisiteIds: readonly string[],
  amount: bigint,
  now: Instant,
): Promise<boolean> => {
  const taken = await sql.query(listTakenSlots, { requisiteIds, amounts: [amount], now })
  return taken.length < requisiteIds.length
}

/** A payment and the time in which it held the slot of its amount on a requisite. */
export type SlotHolder = ReturnType<typeof selectHolders.decode>

/** A requisite and a span of time, to find who held a slot on it at some time from `since` to `until`. */
export type HeldSpan = { readonly requisiteId: string; readonly since: Instant; readonly until: Instant }

/** All who held a slot in the spans. */
export const listHolders = async (sql: Queryable, spans: readonly HeldSpan[]): Promise<SlotHolder[]> =>
  spans.length === 0 ? [] : sql.query(selectHolders, { rows: spans })

/** Those who held the slot of exactly the given amount in its span. */
export const listEqualHolders = (
  sql: Queryable,
  spans: readonly (HeldSpan & { readonly amount: bigint })[],
): Promise<SlotHolder[]> => sql.query(selectEqualHolders, { rows: spans })

/** No payment holds an amount longer after its creation, by the bounds of its terms. */
const longestHoldMs = 90 * day

/** Those who held a slot in the spans and whose payer has given one of the numbers, by their keyed indexes. */
export const listHoldersOfPayers = async (
  sql: Queryable,
  spans: readonly (HeldSpan & { readonly payerIndex: string })[],
): Promise<SlotHolder[]> => {
  if (spans.length === 0) return []
  const rows = spans.map((span) => ({ ...span, leastId: leastIdAt(span.since - longestHoldMs) }))
  return sql.query(selectHoldersOfPayers, { rows })
}

/** Those on the requisites that wait for the rest of their money, whenever they held their slot. */
export const listPartlyPaidHolders = (sql: Queryable, requisiteIds: readonly string[]): Promise<SlotHolder[]> =>
  sql.query(selectPartlyPaidHolders, { requisiteIds })

/**
 * The requisites that operators have bound an account to and since when, by the spellings of its number; its money
 * belongs to the first one.
 */
export const listBoundRequisites = async (
  context: Pick<Context, 'query' | 'vault'>,
  spellings: readonly string[],
): Promise<{ readonly requisiteId: string; readonly boundAt: Instant }[]> => {
  const numberIndexes = spellings.flatMap((each) => context.vault.blindIndexes('statement-account', each))
  return context.query(selectBoundRequisites, { numberIndexes })
}

/** Requisites that an account is bound to, by the blind indexes of its number; its money belongs to the first one. */
export const listBoundByIndex = async (sql: Queryable, numberIndexes: readonly string[]): Promise<string[]> =>
  (await sql.query(selectBoundRequisites, { numberIndexes })).map((row) => row.requisiteId)

/**
 * For requisites that share a bank account, all requisites of the account: its money is booked on the first one.
 * Requisites with an account of their own are left out.
 */
export const listSharing = async (
  sql: Queryable,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await sql.query(selectSharing, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map((row) => [row.requisiteId, row.others]))
}

/** The existing requisites among these with what messages may say of their accounts, and where their money is booked. */
export const listAccounts = async (sql: Queryable, ids: readonly string[]) => {
  const sharing = await listSharing(sql, ids)
  const rows = await sql.query(listAccountNumbers, { ids })
  return rows.map((row) => ({ ...row, bookedOn: sharing.get(row.id)?.[0] ?? row.id }))
}
