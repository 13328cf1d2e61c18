import type { Tx } from '../context.ts'
import { sumReversedCredits } from './store.ts'

/** How much of what a payment was credited with its banks have taken back, in minor units of its currency. */
export const sumReversed = async (tx: Tx, merchantId: string, paymentId: string): Promise<bigint> => {
  const [row] = await tx.query(sumReversedCredits, { merchantId, paymentId })
  return row?.amount ?? 0n
}
