import type { Tx } from '../context.ts'
import { type Queryable, reader } from 'payin-database'
import type { PayerClaim } from '../../rules/payments/payment.ts'
import type { Dispute } from '../../rules/payments/dispute.ts'
import { requireRow } from '../../rules/refusal.ts'
import type { Instant } from '../../rules/time.ts'
import type { PaymentKey } from '../payments/read.ts'
import type { Kept } from './claims/seal-file.ts'
import { findClaim, findReceipt, listReceipts, selectClaims } from './claims/store.ts'
import { findDispute, findDisputes, listDisputeEvents, listDisputesOf, listEvidence, selectDisputes } from './store.ts'

/** The service's ids of a dispute. */
export type DisputeKey = { readonly merchantId: string; readonly id: string }

const toDispute = (row: ReturnType<typeof findDispute.decode>): Dispute => {
  const { correctionAmount: amount, correctionBy: by, correctionAt: at, ...others } = row
  const { correctionPlan, correctionMoney: money, confirmedBy, confirmedAt, ...rest } = others
  if (amount === null || by === null || at === null || money === null) return { ...rest, correction: null }
  const plan = correctionPlan ?? { assign: [], unassign: [] }
  return { ...rest, correction: { amount, by, at, plan, money, confirmedBy, confirmedAt } }
}

/** One dispute; refuses `resource_not_found`. */
export const readDispute = async (sql: Queryable, merchantId: string, id: string): Promise<Dispute> => {
  const row = requireRow(await sql.query(findDispute, { merchantId, id }), 'dispute')
  return toDispute(row)
}

/** The disputes of a payment, the newest first. */
export const listDisputesOfPayment = async (
  sql: Queryable,
  payment: { readonly merchantId: string; readonly id: string },
): Promise<Dispute[]> =>
  (await sql.query(listDisputesOf, { merchantId: payment.merchantId, paymentId: payment.id })).map(toDispute)

/** Disputes by their keys, in no order. */
export const listDisputesById = async (sql: Queryable, keys: readonly DisputeKey[]): Promise<Dispute[]> =>
  keys.length === 0 ? [] : (await sql.query(selectDisputes, { rows: keys })).map(toDispute)

/** A dispute with its files and all its events. */
export const readHistory = async (sql: Queryable, dispute: Dispute) => {
  const key = { merchantId: dispute.merchantId, disputeId: dispute.id }
  const evidence = await sql.query(listEvidence, key)
  const events = await sql.query(listDisputeEvents, key)
  return { dispute, evidence, events }
}

export type DisputeHistory = Awaited<ReturnType<typeof readHistory>>

/** Disputes of merchants that the order of a payment or a shortened id may mean; only a few of them. */
export const findDisputesByName = reader(findDisputes)

/** A file that a payer sent, without its content; `size` in bytes. */
export type Receipt = ReturnType<typeof listReceipts.decode>

/** A claim as the operator sees it. */
export type ListedClaim = PaymentKey &
  PayerClaim & { readonly id: string; readonly receivedAt: Instant; readonly receipts: readonly Receipt[] }

/** The receipts of payments, the oldest first. */
export const listReceiptsOf = async (sql: Queryable, payments: readonly PaymentKey[]): Promise<Receipt[]> =>
  payments.length === 0 ? [] : sql.query(listReceipts, { rows: payments })

/** Reads a receipt with the stored form of its content; refuses `resource_not_found`. */
export const getReceipt = async (tx: Tx, key: PaymentKey & { readonly id: string }): Promise<Receipt & Kept> =>
  requireRow(await tx.query(findReceipt, key), 'receipt')

/** The claim of a payment's payer; `undefined` if there is none. */
export const getClaim = async (
  sql: Queryable,
  merchantId: string,
  paymentId: string,
): Promise<(PayerClaim & { readonly receivedAt: Instant }) | undefined> =>
  (await sql.query(findClaim, { merchantId, paymentId }))[0]

/** A page of the payers' claims with their receipts, the newest first. */
export const listClaims = async (sql: Queryable, before: string | null, limit: number): Promise<ListedClaim[]> => {
  const claims = await sql.query(selectClaims, { before, limit })
  const receipts = await listReceiptsOf(sql, claims)
  return claims.map((claim) => ({
    ...claim,
    receipts: receipts.filter((each) => each.paymentId === claim.paymentId),
  }))
}
