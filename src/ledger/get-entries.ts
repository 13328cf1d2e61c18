import type { Context } from '../context.ts'
import { listPostings } from './store.ts'

/** Ledger entries of one payment, in the order of posting. */
export const getEntries = (context: Context, merchantId: string, paymentId: string) =>
  context.query(listPostings, { merchantId, paymentId })
