import type { Tx } from '../context.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import type { PaymentKey } from './read.ts'
import { lockPayments } from './store.ts'

/** Locks payments, always in key order; those that do not exist are left out. */
export const lockPaymentsByKey = async (tx: Tx, keys: readonly PaymentKey[]): Promise<Payment[]> =>
  (await tx.query(lockPayments, { rows: keys })).map(({ payerPhoneIndex, ...payment }) => payment)

/** Locks one payment; `undefined` when it does not exist. */
export const lockPayment = async (tx: Tx, merchantId: string, id: string): Promise<Payment | undefined> => {
  const [payment] = await lockPaymentsByKey(tx, [{ merchantId, paymentId: id }])
  return payment
}

type Key = { readonly merchantId: string; readonly id: string }

/** The key of a payment on the change bus. */
export const paymentKey = (payment: Key): string => `payment:${payment.merchantId}:${payment.id}`

/** Announces changed payments to their watchers once the transaction is committed. */
export const announcePayments = (tx: Pick<Tx, 'afterCommit' | 'changes'>, payments: readonly Key[]): void =>
  tx.afterCommit(() => {
    tx.changes.publish(payments.map(paymentKey))
    tx.changes.announce('payments', [...new Set(payments.map(({ merchantId }) => merchantId))])
  })
