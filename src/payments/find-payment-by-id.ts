import type { Context } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { findPayment } from './store.ts'

/** A payment by the ids of the service; `undefined` when there is none. */
export const findPaymentById = async (context: Context, merchantId: string, id: string): Promise<Payment | undefined> =>
  (await context.query(findPayment, { merchantId, id }))[0]
