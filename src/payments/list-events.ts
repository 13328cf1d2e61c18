import type { Context } from '../context.ts'
import { listEvents as list } from './store.ts'

/** Every change of a payment's status, the first one first. */
export const listEvents = (context: Context, merchantId: string, paymentId: string) =>
  context.query(list, { merchantId, paymentId })
