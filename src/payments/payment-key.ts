import type { Tx } from '../context.ts'

type Key = { readonly merchantId: string; readonly id: string }

/** The key of a payment on the bus of changes. */
export const paymentKey = (payment: Key): string => `payment:${payment.merchantId}:${payment.id}`

/** Tells whoever looks at the payments that they have changed, once the transaction is committed. */
export const announcePayments = (tx: Pick<Tx, 'afterCommit' | 'changes'>, payments: readonly Key[]): void =>
  tx.afterCommit(() => {
    tx.changes.publish(payments.map(paymentKey))
    tx.changes.announce('payments', [...new Set(payments.map(({ merchantId }) => merchantId))])
  })
