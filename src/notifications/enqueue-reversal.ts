import type { Tx } from '../context.ts'
import { reversalBody, reversalKind } from '../domain/notification.ts'
import type { Payment } from '../domain/payment.ts'
import { insertOutbox } from './store.ts'

/**
 * Freezes what is to be told of credited money that the bank took back: `amount` in minor units of the payment's currency,
 * `net` what the merchant's balance lost. Part of the transaction of the reversal.
 */
export const enqueueReversal = async (tx: Tx, payment: Payment, amount: bigint, net: bigint): Promise<void> => {
  await tx.query(insertOutbox, {
    merchantIds: [payment.merchantId],
    ids: [tx.newId()],
    paymentIds: [payment.id],
    sequences: [payment.sequence],
    kinds: [reversalKind],
    bodies: [reversalBody(payment, amount, net, tx.now)],
    createdAt: tx.now,
  })
}
