import type { Tx } from '../context.ts'
import { sumSuspense } from './store.ts'

/** How much money waits in suspense for a payment, in minor units of its currency. */
export const heldFor = async (tx: Tx, merchantId: string, paymentId: string): Promise<bigint> => {
  const [row] = await tx.query(sumSuspense, { merchantId, paymentId })
  return row?.amount ?? 0n
}
