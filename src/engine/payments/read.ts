import { Refusal } from '../../rules/refusal.ts'
import type { Context, Tx } from '../context.ts'
import { type Queryable, reader } from 'payin-database'
import { coalesce } from '../coalesce.ts'
import { creditedStatuses, type Payment } from '../../rules/payments/payment.ts'
import { selectPaymentEvents, listPaymentsById, listPaymentsByOrder, findPayments, listStatesByOrder } from './store.ts'

/** A merchant's name for a payment. */
export type OrderKey = { readonly merchantId: string; readonly orderId: string }

/** The service's ids of a payment. */
export type PaymentKey = { readonly merchantId: string; readonly paymentId: string }

const readTogether = { maxBatch: 1000, maxWaiting: 20_000, atOnce: 2 }

/** The payments of the keys, in their order; `undefined` if the merchant has no such order. */
export const getPayments = async (sql: Queryable, keys: readonly OrderKey[]): Promise<(Payment | undefined)[]> => {
  const rows = await sql.query(listPaymentsByOrder, { rows: keys })
  const found = new Map(rows.map((row) => [`${row.merchantId} ${row.orderId}`, row]))
  return keys.map((key) => found.get(`${key.merchantId} ${key.orderId}`))
}

/** One payment's state and amounts by its order: reading the whole payment takes 1.4 times as long. */
export const getPaymentState = coalesce(
  async (context: Context, keys: readonly OrderKey[]) => {
    const rows = await context.query(listStatesByOrder, { rows: keys })
    const found = new Map(rows.map(({ ordinal, ...row }) => [ordinal, row]))
    return keys.map((key, index) => {
      const row = found.get(index + 1)
      return row && { ...key, ...row }
    })
  },
  { name: 'get-payment-state', ...readTogether },
)

/** The part of a payment that polling needs. */
export type PaymentState = NonNullable<Awaited<ReturnType<typeof getPaymentState>>>

const findPayment = coalesce(
  async (context: Context, keys: readonly PaymentKey[]) => {
    const rows = await context.query(listPaymentsById, { rows: keys })
    const found = new Map(rows.map((row) => [`${row.merchantId} ${row.id}`, row]))
    return keys.map((key): Payment | undefined => found.get(`${key.merchantId} ${key.paymentId}`))
  },
  { name: 'find-payment', ...readTogether },
)

/** One payment by the service's ids, read together with concurrent reads. */
export const findPaymentById = (context: Context, merchantId: string, id: string): Promise<Payment | undefined> =>
  findPayment(context, { merchantId, paymentId: id })

/** The same; refuses `payment_not_found`. */
export const getPaymentById = async (context: Context, merchantId: string, id: string): Promise<Payment> => {
  const payment = await findPaymentById(context, merchantId, id)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  return payment
}

/** The orders of payments, by `<merchantId> <paymentId>`. */
export const listOrderIds = async (
  context: Context,
  keys: readonly PaymentKey[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = keys.length === 0 ? [] : await context.query(listPaymentsById, { rows: keys })
  return new Map(rows.map(({ merchantId, id, orderId }) => [`${merchantId} ${id}`, orderId]))
}

/** Every status change of a payment, the oldest first. */
export const listPaymentEvents = (context: Context, merchantId: string, paymentId: string) =>
  context.query(selectPaymentEvents, { merchantId, paymentId })

/** Whether a payment was ever credited, whatever its status is now. */
export const wasCredited = async (tx: Tx, { merchantId, id: paymentId }: Payment): Promise<boolean> =>
  (await tx.query(selectPaymentEvents, { merchantId, paymentId })).some(({ status }) => creditedStatuses.has(status))

/** Payments of merchants that an order or a shortened id may mean; only a few of them. */
export const findPaymentsByName = reader(findPayments)
