import type { TypedName } from '../domain/id-text.ts'
import type { Queryable } from '../database/database.ts'
import type { Dispute } from '../domain/dispute.ts'
import { noSuch } from '../domain/refusal.ts'
import { findDispute, findDisputes, selectDisputes, listDisputesOf, listDisputeEvents, listEvidence } from './store.ts'

const toDispute = (row: ReturnType<typeof findDispute.decode>): Dispute => {
  const { correctionAmount, correctionBy, correctionAt, correctionPlan, confirmedBy, confirmedAt, ...rest } = row
  if (correctionAmount === null || correctionBy === null || correctionAt === null) return { ...rest, correction: null }
  const plan = correctionPlan ?? { assign: [], unassign: [] }
  return {
    ...rest,
    correction: { amount: correctionAmount, by: correctionBy, at: correctionAt, plan, confirmedBy, confirmedAt },
  }
}

/** One dispute; refuses `resource_not_found`. */
export const readDispute = async (sql: Queryable, merchantId: string, id: string): Promise<Dispute> => {
  const [row] = await sql.query(findDispute, { merchantId, id })
  if (!row) throw noSuch('dispute')
  return toDispute(row)
}

/** The disputes of a payment, the newest first. */
export const listDisputesOfPayment = async (
  sql: Queryable,
  payment: { readonly merchantId: string; readonly id: string },
): Promise<Dispute[]> =>
  (await sql.query(listDisputesOf, { merchantId: payment.merchantId, paymentId: payment.id })).map(toDispute)

/** Disputes by their keys, in no order. */
export const listDisputesById = async (
  sql: Queryable,
  keys: readonly { readonly merchantId: string; readonly id: string }[],
): Promise<Dispute[]> => (keys.length === 0 ? [] : (await sql.query(selectDisputes, { rows: keys })).map(toDispute))

/** A dispute with its files and all that happened to it. */
export const readHistory = async (sql: Queryable, dispute: Dispute) => {
  const key = { merchantId: dispute.merchantId, disputeId: dispute.id }
  const evidence = await sql.query(listEvidence, key)
  const events = await sql.query(listDisputeEvents, key)
  return { dispute, evidence, events }
}

/** See `readHistory`. */
export type DisputeHistory = Awaited<ReturnType<typeof readHistory>>

/** Disputes of merchants that the order of a payment or a shortened id may mean, a few of them. */
export const findDisputesByName = (sql: Queryable, wanted: TypedName & { readonly merchantIds: readonly string[] }) =>
  sql.query(findDisputes, wanted)
