import type { Context } from '../context.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Queryable } from '../database/database.ts'
import type { Payment } from '../domain/payment.ts'
import { listPaymentsByOrder } from './store.ts'

/** Names a payment the way its merchant does. */
export type OrderKey = { readonly merchantId: string; readonly orderId: string }

/** The payments of the keys, each at its place; `undefined` where the merchant has no such order. */
export const getPayments = async (sql: Queryable, keys: readonly OrderKey[]): Promise<(Payment | undefined)[]> => {
  const rows = await sql.query(listPaymentsByOrder, {
    merchantIds: keys.map((key) => key.merchantId),
    orderIds: keys.map((key) => key.orderId),
  })
  const found = new Map(rows.map((row) => [`${row.merchantId} ${row.orderId}`, row]))
  return keys.map((key) => found.get(`${key.merchantId} ${key.orderId}`))
}

/** One payment by its key, read together with those that are asked for at the same time. */
export const getPayment = coalesce((context: Context, keys: readonly OrderKey[]) => getPayments(context, keys), {
  maxBatch: 1000,
  maxWaiting: 20_000,
})
