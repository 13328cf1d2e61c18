import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { findTransfer, listTransfers as list, type TransferPart } from './store.ts'

/** The first part of a transfer, which is the only one until an operator splits it. */
export const mainPart = (parts: readonly TransferPart[]) => {
  const [first] = parts
  if (!first) throw new Error('a transfer has no parts')
  const { outcome, kind, merchantId, paymentId, reasons } = first
  return { outcome, kind, merchantId, paymentId, reasons, parts }
}

/** Recorded transfers, the newest first, from before an id; `unmatched` leaves those that wait in the inbox. */
export const listTransfers = async (
  context: Context,
  page: { readonly unmatched: boolean; readonly before: string | null; readonly limit: number },
) => (await context.query(list, page)).map((row) => ({ ...row, ...mainPart(row.parts) }))

/** One transfer; `undefined` when it does not exist. */
export const findTransferOf = async (sql: Queryable, requisiteId: string, id: string) => {
  const [row] = await sql.query(findTransfer, { requisiteId, id })
  return row && { ...row, ...mainPart(row.parts) }
}
