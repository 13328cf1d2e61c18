import type { Context } from '../context.ts'
import type { Payment, PaymentStatus } from '../domain/payment.ts'
import { listPayments as list } from './store.ts'

/** A page of payments, the newest first, and the cursor of the next page where there is one. */
export const listPayments = async (
  context: Context,
  filter: {
    readonly merchantId: string | null
    readonly status: PaymentStatus | null
    readonly acknowledged: boolean | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<{ payments: Payment[]; nextCursor: string | null }> => {
  const rows = await context.query(list, { ...filter, limit: filter.limit + 1 })
  const payments = rows.slice(0, filter.limit)
  return { payments, nextCursor: rows.length > filter.limit ? (payments.at(-1)?.id ?? null) : null }
}
