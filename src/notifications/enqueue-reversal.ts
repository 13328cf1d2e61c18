import type { Tx } from '../context.ts'
import { reversalBody } from '../domain/notification.ts'
import type { Payment } from '../domain/payment.ts'
import { enqueueEvents } from './enqueue-events.ts'

/**
 * Freezes the notification of credited money that the bank took back: `amount` in minor units of the payment's currency,
 * `net` what the merchant's balance lost. Part of the transaction of the reversal; the payment keeps its sequence, so
 * that nothing has to be acknowledged again.
 */
export const enqueueReversal = (tx: Tx, payment: Payment, amount: bigint, net: bigint): Promise<unknown> => {
  // Never before the credit, whatever the clocks of several nodes say.
  const at = Math.max(tx.now, payment.changedAt)
  return enqueueEvents(tx, [
    {
      merchantId: payment.merchantId,
      paymentId: payment.id,
      sequence: payment.sequence,
      kind: 'payment.reversed',
      body: reversalBody(payment, amount, net, at),
      at,
    },
  ])
}
