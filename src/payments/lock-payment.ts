import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { lockPayments } from './store.ts'

/** Locks payments, always in the order of their keys; those that do not exist are left out. */
export const lockPaymentsOf = async (
  tx: Tx,
  keys: readonly { readonly merchantId: string; readonly paymentId: string }[],
): Promise<Payment[]> => {
  const rows = await tx.query(lockPayments, {
    merchantIds: keys.map((key) => key.merchantId),
    ids: keys.map((key) => key.paymentId),
  })
  return rows.map(({ payerPhoneIndex, ...payment }) => payment)
}

/** Locks one payment; `undefined` when it does not exist. */
export const lockPayment = async (tx: Tx, merchantId: string, id: string): Promise<Payment | undefined> => {
  const [payment] = await lockPaymentsOf(tx, [{ merchantId, paymentId: id }])
  return payment
}
