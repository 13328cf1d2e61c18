import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { lockPayments } from './store.ts'

/** Locks one payment; `undefined` when it does not exist. */
export const lockPayment = async (tx: Tx, merchantId: string, id: string): Promise<Payment | undefined> => {
  const [row] = await tx.query(lockPayments, { merchantIds: [merchantId], ids: [id] })
  if (!row) return undefined
  const { payerPhoneIndex, ...payment } = row
  return payment
}
