import type { Tx } from '../context.ts'
import { notificationBody, notificationKind } from '../domain/notification.ts'
import type { Payment } from '../domain/payment.ts'
import { enqueueEvents } from './enqueue-events.ts'

/** Freezes the notifications of payments that have just changed; part of the transaction of the change. */
export const enqueueNotifications = (tx: Tx, payments: readonly Payment[]): Promise<unknown> =>
  enqueueEvents(
    tx,
    payments.map((payment) => ({
      merchantId: payment.merchantId,
      paymentId: payment.id,
      sequence: payment.sequence,
      kind: notificationKind(payment.status),
      body: notificationBody(payment),
      // Not the transaction's time: that of the change never goes back, whatever the clocks of several nodes say.
      at: payment.changedAt,
    })),
  )
