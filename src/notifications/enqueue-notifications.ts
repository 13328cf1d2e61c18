import type { Tx } from '../context.ts'
import { notificationBody, notificationKind } from '../domain/notification.ts'
import type { Payment } from '../domain/payment.ts'
import { insertOutbox } from './store.ts'

/** Freezes what is to be told of payments that have just changed; part of the transaction of the change. */
export const enqueueNotifications = async (tx: Tx, payments: readonly Payment[]): Promise<void> => {
  if (payments.length === 0) return
  await tx.query(insertOutbox, {
    merchantIds: payments.map((payment) => payment.merchantId),
    ids: payments.map(() => tx.newId()),
    paymentIds: payments.map((payment) => payment.id),
    sequences: payments.map((payment) => payment.sequence),
    kinds: payments.map((payment) => notificationKind(payment.status)),
    bodies: payments.map(notificationBody),
    createdAt: tx.now,
  })
}
