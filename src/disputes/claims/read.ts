import type { Tx } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import type { PayerClaim } from '../../domain/claim.ts'
import { noSuch } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Kept } from './seal-file.ts'
import { findClaim, findReceipt, selectClaims, listReceipts } from './store.ts'

type PaymentKey = { readonly merchantId: string; readonly paymentId: string }

/** A file that a payer sent, without its content; `size` in bytes. */
export type Receipt = ReturnType<typeof listReceipts.decode>

/** A claim as the operator sees it. */
export type ListedClaim = PaymentKey &
  PayerClaim & { readonly id: string; readonly receivedAt: Instant; readonly receipts: readonly Receipt[] }

/** The receipts of payments, the oldest first. */
export const listReceiptsOf = async (sql: Queryable, payments: readonly PaymentKey[]): Promise<Receipt[]> =>
  payments.length === 0 ? [] : sql.query(listReceipts, { rows: payments })

/** Reads a receipt with what is kept of its content; refuses `resource_not_found`. */
export const getReceipt = async (tx: Tx, key: PaymentKey & { readonly id: string }): Promise<Receipt & Kept> => {
  const [row] = await tx.query(findReceipt, key)
  if (!row) throw noSuch('receipt')
  return row
}

/** What the payer of a payment claims; `undefined` when it claims nothing. */
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
