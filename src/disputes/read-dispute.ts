import type { Queryable } from '../database/database.ts'
import type { Dispute } from '../domain/dispute.ts'
import { Refusal } from '../domain/refusal.ts'
import { findDispute, listDisputesOf, listEvents, listEvidence } from './store.ts'

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

const rowsOf = (sql: Queryable, merchantId: string, paymentId: string) =>
  sql.query(listDisputesOf, { merchantId, paymentId })

/** A dispute out of its row. */
export const toDispute = (row: Row): Dispute => {
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
  if (!row) throw new Refusal('resource_not_found', 'There is no such dispute.')
  return toDispute(row)
}

/** The disputes of a payment, the newest first. */
export const listDisputesOfPayment = async (
  sql: Queryable,
  payment: { readonly merchantId: string; readonly id: string },
): Promise<Dispute[]> => (await rowsOf(sql, payment.merchantId, payment.id)).map(toDispute)

/** A dispute with its files and all that happened to it. */
export const readHistory = async (sql: Queryable, dispute: Dispute) => {
  const key = { merchantId: dispute.merchantId, disputeId: dispute.id }
  const evidence = await sql.query(listEvidence, key)
  const events = await sql.query(listEvents, key)
  return { dispute, evidence, events }
}

/** See `readHistory`. */
export type DisputeHistory = Awaited<ReturnType<typeof readHistory>>
