import type { Tx } from '../context.ts'
import { openStatuses, type Payment, type StatusReason } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { startChanges } from './start-changes.ts'
import { lockPayment } from './lock-payment.ts'

/**
 * Cancels a payment before any money came; canceling a canceled one again changes nothing. Refuses `payment_not_found`
 * and `invalid_state`.
 */
export const cancelPayment = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  by: { readonly actor: string; readonly reason: Extract<StatusReason, `canceled-by-${string}`> },
): Promise<Payment> => {
  const payment = await lockPayment(tx, key.merchantId, key.id)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  if (payment.status === 'canceled') return payment
  if (!openStatuses.has(payment.status) || payment.received > 0n) {
    const money = payment.received > 0n ? ' and money has arrived' : ''
    throw new Refusal('invalid_state', `The payment is ${payment.status}${money}; it can no longer be canceled.`)
  }
  const changes = startChanges(tx, by.actor)
  const canceled = changes.change(payment, { to: 'canceled', reason: by.reason, trigger: 'canceled' })
  await changes.write()
  return canceled
}
