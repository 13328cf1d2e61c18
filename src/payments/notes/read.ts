import type { Context } from '../../context.ts'
import { selectPaymentNotes } from './store.ts'

/** The notes about a payment, the oldest first. */
export const listPaymentNotes = (context: Context, merchantId: string, paymentId: string) =>
  context.query(selectPaymentNotes, { merchantId, paymentId })
