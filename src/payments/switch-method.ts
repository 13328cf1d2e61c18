import type { Context, Tx } from '../context.ts'
import { lateUntil, type Payment } from '../domain/payment.ts'
import { methodRules, offeredMethods, type PaymentMethod } from '../domain/payment-method.ts'
import type { RequisiteWish } from '../domain/requisite.ts'
import { merchantDirectory, takesOwnOnly } from '../merchants/merchant-directory.ts'
import { type RequisitePool, requisitePool } from '../requisites/requisite-pool.ts'
import { takeSlot } from '../requisites/take-slot.ts'
import { lockPayment } from './lock-payment.ts'
import { announcePayments } from './payment-key.ts'
import { updateRequisite } from './store.ts'

/** Result of the payer's wish for another method. */
export type SwitchResult = 'switched' | 'kept' | 'none-free'

const takeOther = (
  tx: Tx,
  pool: RequisitePool,
  payment: Payment,
  { mode, ownOnly }: Pick<RequisiteWish, 'mode' | 'ownOnly'>,
  method: PaymentMethod,
) => {
  const { merchantId, id, currency, amount } = payment
  const { transferScope } = methodRules[method]
  // The bank was asked for with the payment's own method; by SBP money comes from any bank to any other.
  const bankIssuer = method === payment.method ? (payment.payerBank ?? payment.bankIssuer) : null
  const wish = { merchantId, ownOnly, mode, method, currency, transferScope, bankIssuer, amount }
  return takeSlot(tx, pool, wish, { paymentId: id, heldUntil: lateUntil(payment) })
}

/**
 * Lets the payer of a payment with `sbpEnabled` pay by SBP instead of its method, or back again, while it is new and in
 * time. The payer has seen the former requisite, so its slot stays taken and money that goes there still counts.
 */
export const switchMethod = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  wanted: PaymentMethod,
): Promise<SwitchResult> => {
  // Read before the transaction: the embedded database has one connection, and that is the transaction's.
  const [pool, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(merchantDirectory),
  ])
  const ownOnly = takesOwnOnly(merchants, merchantId)
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    const present = payment && pool.byId.get(payment.requisiteId)
    if (!payment || !present || present.method === wanted) return 'kept'
    if (!offeredMethods(payment).includes(wanted) || payment.status !== 'new') return 'kept'
    if (!payment.requisiteShown || tx.now >= payment.expiredAt) return 'kept'
    const before = payment.switchedFrom === null ? undefined : pool.byId.get(payment.switchedFrom)
    // Back again is the requisite that it had: two slots of one payment are enough.
    const isBack = before?.method === wanted
    // It may have been closed since; payers keep at most two slots, so a third one is not an option.
    if (isBack && before.status !== 'active') return 'none-free'
    const requisite = isBack ? before : await takeOther(tx, pool, payment, { mode: present.mode, ownOnly }, wanted)
    if (!requisite) return 'none-free'
    await tx.query(updateRequisite, { merchantId, id: paymentId, requisiteId: requisite.id, switchedFrom: present.id })
    announcePayments(tx, [payment])
    return 'switched'
  })
}
