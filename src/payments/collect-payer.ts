import type { Context, Tx } from '../context.ts'
import { maskSource } from '../domain/masking.ts'
import { lateUntil, type Payment } from '../domain/payment.ts'
import { methodRules, offeredMethods, type PaymentMethod } from '../domain/payment-method.ts'
import type { RequisiteWish } from '../domain/requisite.ts'
import { merchantDirectory, takesOwnOnly } from '../merchants/merchant-directory.ts'
import { releaseSlots, takeSlot } from '../requisites/take-slot.ts'
import { type RequisitePool, requisitePool } from '../requisites/requisite-pool.ts'
import { riskRules } from '../risk/risk-rules.ts'
import { failRiskyPayments } from './fail-risky-payments.ts'
import { judgePayer } from './judge-payer.ts'
import { lockPayment } from './lock-payment.ts'
import { announcePayments } from './payment-key.ts'
import { updatePayer } from './store.ts'

/** What the payer of a staged payment enters: the phone as E.164 digits, and a bank and a method where the payer chose them. */
export type PayerDetails = {
  readonly phone: string
  readonly bankIssuer: string | null
  /** `sbp` where the payment lets the payer choose it. */
  readonly method?: PaymentMethod
}

/**
 * Moves the slot to a requisite of the payer's method and bank where one is free; the method counts more than the bank.
 * Nobody has seen the old requisite, so its slot is free at once.
 */
const followPayer = async (
  tx: Tx,
  pool: RequisitePool,
  payment: Payment,
  payer: PayerDetails & Pick<RequisiteWish, 'ownOnly'>,
): Promise<string> => {
  const { merchantId, id, currency, amount, requisiteId } = payment
  const present = pool.byId.get(requisiteId)
  if (!present) return requisiteId
  const method = offeredMethods(payment).find((each) => each === payer.method) ?? payment.method
  const bank = payer.bankIssuer ?? (method === present.method ? present.bankIssuer : null)
  if (method === present.method && bank === present.bankIssuer) return requisiteId
  const { transferScope } = methodRules[method]
  const base = { merchantId, ownOnly: payer.ownOnly, mode: present.mode, method, currency, transferScope, amount }
  const banks = method === present.method || bank === null ? [bank] : [bank, null]
  for (const bankIssuer of banks) {
    const wish = { ...base, bankIssuer }
    const requisite = await takeSlot(tx, pool, wish, { paymentId: id, heldUntil: lateUntil(payment) })
    if (!requisite) continue
    await releaseSlots(tx, [{ requisiteId, amount, paymentId: id, heldUntil: tx.now }])
    return requisite.id
  }
  return requisiteId
}

/**
 * Takes the payer's details of a staged payment that is new and in time, chooses the requisite by them and lets the page
 * show it. Details that were taken before stay; in any other case nothing happens either. `other-method` when no
 * requisite of the method that the payer chose is free; `refused` when a block or a velocity rule refuses the payer, and
 * the payment is `failed` without having shown a requisite.
 */
export const collectPayer = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  payer: PayerDetails,
): Promise<'collected' | 'kept' | 'other-method' | 'refused'> => {
  // Read before the transaction: the embedded database has one connection, and that is the transaction's.
  const [pool, rules, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(riskRules),
    context.catalog.get(merchantDirectory),
  ])
  const ownOnly = takesOwnOnly(merchants, merchantId)
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    if (payment?.type !== 'staged' || payment.status !== 'new') return 'kept'
    if (payment.requisiteShown || tx.now >= payment.expiredAt) return 'kept'
    const mode = pool.byId.get(payment.requisiteId)?.mode ?? 'live'
    const finding = await judgePayer(tx, rules, payment, mode, payer.phone)
    const requisiteId = finding ? payment.requisiteId : await followPayer(tx, pool, payment, { ...payer, ownOnly })
    const sourcePan = maskSource(payer.phone)
    const sealedAt = { table: 'payments', column: 'payer_phone_sealed', row: paymentId }
    await tx.query(updatePayer, {
      merchantId,
      id: paymentId,
      phoneSealed: tx.vault.encrypt(payer.phone, sealedAt),
      phoneIndex: tx.vault.blindIndex('payer', payer.phone),
      sourcePan,
      payerBank: payer.bankIssuer,
      requisiteId,
      requisiteShown: finding === undefined,
    })
    if (finding) {
      await failRiskyPayments(tx, 'page', [{ payment: { ...payment, sourcePan }, finding }])
      return 'refused'
    }
    announcePayments(tx, [payment])
    const followed = payer.method === undefined || pool.byId.get(requisiteId)?.method === payer.method
    return followed ? 'collected' : 'other-method'
  })
}
