import type { Tx } from '../context.ts'
import {
  notificationBody,
  notificationKind,
  refundBody,
  reversalBody,
  settlementBody,
} from '../../rules/notices/notification.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import type { Settlement } from '../../rules/money/settlement.ts'
import type { Refund } from '../../rules/transfers/refund.ts'
import type { Instant } from '../../rules/time.ts'
import { insertOutbox } from './store.ts'

/** A merchant's notification with its frozen body. */
type NewNotification = {
  readonly merchantId: string
  /** `null` if it is not about a payment. */
  readonly paymentId: string | null
  /** The settlement or refund that it is about, if any. */
  readonly documentId?: string
  readonly sequence: number | null
  /** The only endpoint that gets it; default: all that subscribe to the kind. */
  readonly endpointId?: string | null
  readonly kind: string
  readonly body: string
  readonly at: Instant
}

/** The key on the change bus that announces new notifications. */
export const notificationsKey = 'notifications'

/** A notification as it is stored, except for its position. */
type Row = Omit<Parameters<typeof insertOutbox.encode>[0]['rows'][number], 'rowsAfter'>

const writeNotifications = async (tx: Tx, rows: readonly Row[]): Promise<void> => {
  const after = new Map<string, number>()
  const numbered = rows.toReversed().map((row) => {
    const rowsAfter = after.get(row.merchantId) ?? 0
    after.set(row.merchantId, rowsAfter + 1)
    return { ...row, rowsAfter }
  })
  await tx.query(insertOutbox, { rows: numbered.toReversed() })
  tx.afterCommit(() => {
    tx.changes.publish([notificationsKey])
    tx.changes.announce('deliveries', [...after.keys()])
  })
}

/**
 * Stores notifications at the end of the transaction of the change that they report, with positions in the order in
 * which they were enqueued; returns their ids (`webhook-id`). Those of a payment come in the order of its sequence.
 */
export const enqueueNotifications = (tx: Tx, notifications: readonly NewNotification[]): string[] => {
  if (notifications.length === 0) return []
  const rows = notifications.map(({ at, ...notification }) => ({
    documentId: null,
    endpointId: null,
    ...notification,
    id: tx.newId(),
    createdAt: at,
  }))
  tx.beforeCommit(writeNotifications, rows)
  return rows.map((row) => row.id)
}

/** Enqueues notifications of the new status of payments. */
export const enqueuePaymentChanges = (tx: Tx, payments: readonly Payment[]): string[] =>
  enqueueNotifications(
    tx,
    payments.map((payment) => ({
      merchantId: payment.merchantId,
      paymentId: payment.id,
      sequence: payment.sequence,
      kind: notificationKind(payment.status),
      body: notificationBody(payment),
      // Not the transaction's time: the time of the change never goes back, even if the clocks of nodes differ.
      at: payment.changedAt,
    })),
  )

/**
 * Enqueues a notification that the bank reversed credited money: `amount` in minor units of the payment's currency,
 * `net` what the merchant's balance lost. The payment keeps its sequence, so that nothing has to be acknowledged again.
 */
export const enqueueReversal = (tx: Tx, payment: Payment, amount: bigint, net: bigint): void => {
  // Never before the credit, even if the clocks of nodes differ.
  const at = Math.max(tx.now, payment.changedAt)
  const { merchantId, id: paymentId, sequence } = payment
  const body = reversalBody(payment, amount, net, at)
  enqueueNotifications(tx, [{ merchantId, paymentId, sequence, kind: 'payment.reversed', body, at }])
}

/** Enqueues a notification of a settlement's new status. */
export const enqueueSettlement = (tx: Tx, settlement: Settlement): void => {
  const { merchantId, id: documentId, sequence, status, changedAt: at } = settlement
  const about = { merchantId, paymentId: null, documentId, sequence }
  enqueueNotifications(tx, [{ ...about, kind: `settlement.${status}`, body: settlementBody(settlement), at }])
}

/** Enqueues a notification of a refund's new status. */
export const enqueueRefund = (tx: Tx, refund: Refund): void => {
  const { merchantId, id: documentId, sequence, status, changedAt: at } = refund
  const about = { merchantId, paymentId: null, documentId, sequence }
  enqueueNotifications(tx, [{ ...about, kind: `refund.${status}`, body: refundBody(refund), at }])
}
