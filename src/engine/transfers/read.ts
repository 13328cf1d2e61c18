import { requireRow } from '../../rules/refusal.ts'
import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { operatorChannel } from '../../rules/transfers/channel.ts'
import { bankClockSkewMs } from '../../rules/transfers/evidence.ts'
import { type TypedName, leastIdAt } from '../../rules/values/id-text.ts'
import { maskNumbers } from '../../rules/values/masking.ts'
import { acceptUntil, type Payment, requisitesOf } from '../../rules/payments/payment.ts'
import type { Instant } from '../../rules/time.ts'
import type { BookFilter } from '../ledger/read.ts'
import { selectOverpayments } from './overpayments/store.ts'
import { selectOpenReversals, sumTakenBack } from './reversals/store.ts'
import { listSharing } from '../requisites/read.ts'
import { openSealed } from './sealed-transfers.ts'
import {
  findAnyTransfer,
  findByName,
  findReportedText,
  findWaitingAmount,
  listPartsOfPayment,
  listStatementLines,
  selectTransfer,
  sumBookedAfter,
  type TransferPart,
} from './store.ts'

type Page = { readonly before: string | null; readonly limit: number }

/** The decision about a transfer: that of its first part, which is the only one until an operator splits it. */
export const decisionOf = (parts: readonly TransferPart[]) => {
  const [first] = parts
  if (!first) throw new Error('a transfer has no parts')
  const { outcome, kind, merchantId, paymentId, reasons } = first
  return { outcome, kind, merchantId, paymentId, reasons, parts }
}

/** One transfer; refuses `resource_not_found`. */
export const getTransfer = async (sql: Queryable, { requisiteId, id }: { requisiteId: string; id: string }) => {
  const row = requireRow(await sql.query(selectTransfer, { requisiteId, id }), 'transfer')
  return { ...row, ...decisionOf(row.parts) }
}

/** Whether money was ever reported for one of the requisites, or since a time; withdrawn reports do not count. */
export const hasTransfers = async (
  sql: Queryable,
  requisiteIds: readonly string[],
  since: Instant = 0,
): Promise<boolean> => (await sql.query(findAnyTransfer, { requisiteIds, leastId: leastIdAt(since) })).length > 0

/** How much of a payment's money came late. */
export const sumLate = async (sql: Queryable, payment: Payment): Promise<bigint> => {
  const { merchantId, id: paymentId } = payment
  const [row] = await sql.query(sumBookedAfter, { merchantId, paymentId, after: acceptUntil(payment) })
  return row?.amount ?? 0n
}

/** How much banks took back of the money with which a payment is or was credited. */
export const getTakenBack = async (sql: Queryable, { merchantId, id: paymentId }: Payment): Promise<bigint> => {
  const [row] = await sql.query(sumTakenBack, { merchantId, paymentId })
  return row?.amount ?? 0n
}

/** Whether a bank has reported money of exactly this amount that waits in the inbox and may be for a payment. */
export const isReported = async (sql: Queryable, payment: Payment, amount: bigint): Promise<boolean> => {
  const shown = requisitesOf(payment)
  const requisiteIds = [...shown, ...[...(await listSharing(sql, shown)).values()].flat()]
  const wanted = { requisiteIds, amount, since: payment.createdAt - bankClockSkewMs, byHand: operatorChannel }
  return (await sql.query(findWaitingAmount, wanted)).length > 0
}

/** A page of reversals that wait for an operator, each with the ids of transfers that it may mean. */
export const listOpenReversals = (context: Context, page: Page) => context.query(selectOpenReversals, page)

/** A page of payments whose payers are owed money, of a merchant or of all of a mode. */
export const listOverpayments = (context: Context, page: Page & BookFilter) => context.query(selectOverpayments, page)

type Wanted = TypedName & { readonly requisiteIds: readonly string[] }

/** Money, by its table, that a bank reference or a shortened id may mean; only a few rows. */
export const findMoneyByName = (context: Context, table: keyof typeof findByName, wanted: Wanted) =>
  context.query(findByName[table], wanted)

/** Further details of a transfer: the name of its sender, its text with long numbers masked, and the lines that report it. */
export const readReports = async (context: Context, key: { readonly requisiteId: string; readonly id: string }) => {
  const [reported, statements] = await Promise.all([
    context.query(findReportedText, key),
    context.query(listStatementLines, key),
  ])
  const { textSealed = null, senderNameSealed = null, senderBank = null, channel = null } = reported[0] ?? {}
  const text = maskNumbers(openSealed(context, 'text_sealed', key.id, textSealed))
  const senderName = maskNumbers(openSealed(context, 'sender_name_sealed', key.id, senderNameSealed))
  return { text, senderName, senderBank, channel, statements }
}

/** The parts of transfers that are for a payment. */
export const listMoneyOf = (context: Context, merchantId: string, paymentId: string) =>
  context.query(listPartsOfPayment, { merchantId, paymentId })
