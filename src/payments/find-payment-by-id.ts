import type { Context } from '../context.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Payment } from '../domain/payment.ts'
import { listPaymentsById } from './store.ts'

type Key = { readonly merchantId: string; readonly id: string }

const findPayments = coalesce(
  async (context: Context, keys: readonly Key[]): Promise<(Payment | undefined)[]> => {
    const rows = await context.query(listPaymentsById, {
      merchantIds: keys.map((key) => key.merchantId),
      ids: keys.map((key) => key.id),
    })
    const found = new Map(rows.map((row) => [`${row.merchantId} ${row.id}`, row]))
    return keys.map((key) => found.get(`${key.merchantId} ${key.id}`))
  },
  { maxBatch: 1000, maxWaiting: 20_000 },
)

/** A payment by the ids of the service, read together with those that are asked for at the same time. */
export const findPaymentById = (context: Context, merchantId: string, id: string): Promise<Payment | undefined> =>
  findPayments(context, { merchantId, id })
