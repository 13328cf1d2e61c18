import type { Context, Tx } from '../context.ts'
import { endOfTime } from '../../rules/payments/receive-money.ts'
import { openStatuses, type Payment, type StatusReason } from '../../rules/payments/payment.ts'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import { noteChangedHours } from './hours/count-hours.ts'
import { lockHoldersOf } from './lock-candidates.ts'
import { lockPayment, lockPaymentsByKey } from './lock-payment.ts'
import { startChanges } from './start-changes.ts'
import { findDuePayment, listDuePayments, shortenPayment } from './store.ts'

/** Most payments per call. */
const batchSize = 500

/** Closes those of locked payments whose time has ended. */
export const closeEnded = async (tx: Tx, payments: readonly Payment[]): Promise<void> => {
  const changes = startChanges(tx, 'service')
  for (const payment of payments) {
    const change = endOfTime(payment, tx.now)
    if (change) changes.change(payment, change)
  }
  await changes.write()
}

/**
 * Closes payments whose time has ended: `expired` without money, credited or disputed with part of it. Money recorded
 * earlier is always counted, because it is written under the same row lock. Returns the number of payments processed.
 */
export const expirePayments = async (context: Context): Promise<number> => {
  // Mostly none is due, and looking needs one round trip instead of three.
  if ((await context.query(findDuePayment, { now: context.clock() })).length === 0) return 0
  return context.transaction(async (tx) => {
    const due = await tx.query(listDuePayments, { now: tx.now, limit: batchSize })
    if (due.length === 0) return 0
    await closeEnded(tx, await lockPaymentsByKey(tx, due))
    return due.length
  })
}

/** Cancels a payment before any money has come; again changes nothing. Refuses `payment_not_found`, `invalid_state`. */
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
    throw invalidState(`The payment is ${payment.status}${money}; it can no longer be canceled.`)
  }
  const changes = startChanges(tx, by.actor)
  const canceled = changes.change(payment, { to: 'canceled', reason: by.reason, trigger: 'canceled' })
  await changes.write()
  return canceled
}

/** Closes those of locked payments that are `new`, because their requisite is lost. */
const failNew = async (tx: Tx, payments: readonly Payment[]): Promise<void> => {
  const changes = startChanges(tx, 'service')
  for (const payment of payments) {
    if (payment.status === 'new')
      changes.change(payment, { to: 'failed', reason: 'requisite-lost', trigger: 'service-closed' })
  }
  await changes.write()
}

/** Closes as `failed` the payments that hold a slot on a retired requisite that their payers have not seen yet. */
export const failUnshownPayments = async (tx: Tx, requisiteId: string): Promise<void> => {
  const held = await lockHoldersOf(tx, requisiteId, tx.now)
  await failNew(
    tx,
    held.flatMap(({ payment }) => (payment.requisiteShown ? [] : [payment])),
  )
}

/** Sandbox only: closes a `new` payment as if its requisite were lost; any other payment stays as it is. */
export const failPayment = async (tx: Tx, merchantId: string, id: string): Promise<void> =>
  failNew(tx, await lockPaymentsByKey(tx, [{ merchantId, paymentId: id }]))

/** Sandbox only: ends the payer's time and grace now, with all that follows from it. */
export const endPaymentTime = async (tx: Tx, merchantId: string, id: string): Promise<void> => {
  await tx.query(shortenPayment, { merchantId, id, now: tx.now })
  // Before the payment is read: it may have been closed long ago.
  await noteChangedHours(tx, [{ merchantId, id }])
  await closeEnded(tx, await lockPaymentsByKey(tx, [{ merchantId, paymentId: id }]))
}
