import type { Queryable } from '../../database/database.ts'
import type { ReceiptType } from '../../domain/receipt.ts'
import { listReceipts } from './store.ts'

/** A file that a payer sent, without its content; `size` in bytes. */
export type Receipt = {
  readonly merchantId: string
  readonly paymentId: string
  readonly id: string
  readonly contentType: ReceiptType
  readonly size: number
  readonly receivedAt: number
}

/** The receipts of payments, the oldest first. */
export const listReceiptsOf = async (
  sql: Queryable,
  payments: readonly { readonly merchantId: string; readonly paymentId: string }[],
): Promise<Receipt[]> =>
  payments.length === 0
    ? []
    : sql.query(listReceipts, {
        merchantIds: payments.map((payment) => payment.merchantId),
        paymentIds: payments.map((payment) => payment.paymentId),
      })
