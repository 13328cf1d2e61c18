import type { Context } from '../context.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Payment } from '../domain/payment.ts'
import type { OrderKey } from './get-payments.ts'
import { listStatesByOrder } from './store.ts'

/** As much of a payment as those who poll it want to know: reading the whole of it takes a third of a poll's time. */
export type PaymentState = Pick<Payment, 'merchantId' | 'id' | 'orderId' | 'status' | 'sequence'>

/** The states of the payments of the keys, each at its place; `undefined` where the merchant has no such order. */
export const getPaymentStates = async (
  context: Context,
  keys: readonly OrderKey[],
): Promise<(PaymentState | undefined)[]> => {
  const rows = await context.query(listStatesByOrder, {
    merchantIds: keys.map((key) => key.merchantId),
    orderIds: keys.map((key) => key.orderId),
  })
  const states: (PaymentState | undefined)[] = keys.map(() => undefined)
  for (const { place, id, status, sequence } of rows) {
    const key = keys[place - 1]
    if (key) states[place - 1] = { ...key, id, status, sequence }
  }
  return states
}

/** One payment's state, read together with those that are asked for at the same time. */
export const getPaymentState = coalesce(getPaymentStates, { maxBatch: 1000, maxWaiting: 20_000 })
