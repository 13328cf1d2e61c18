import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { countCredits } from './store.ts'

/** Whether a payment has been credited before, whatever its status is now. */
export const wasCredited = async (tx: Tx, { merchantId, id: paymentId }: Payment): Promise<boolean> =>
  (await tx.query(countCredits, { merchantId, paymentId })).some(({ credits }) => credits > 0)
