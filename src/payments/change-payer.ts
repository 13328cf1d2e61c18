import { recordActs } from '../audit/record-acts.ts'
import type { Context } from '../context.ts'
import { maskSource } from '../domain/masking.ts'
import { mayChangePayer } from '../domain/payment.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { riskRules } from '../risk/risk-rules.ts'
import type { PayerDetails } from './collect-payer.ts'
import { failRiskyPayments } from './fail-risky-payments.ts'
import { judgePayer } from './judge-payer.ts'
import { lockPayment } from './lock-payment.ts'
import { announcePayments } from './payment-key.ts'
import { changePayerDetails } from './store.ts'

/**
 * Replaces the phone and bank that the payer of a staged payment gave, up to three times and until it says that it has
 * sent the money or any arrives. The requisite, the amount and their slot stay: the payer has seen them, and the money may
 * be on its way. The new phone is judged like the first one; `refused` when it is blocked, and the payment is `failed`.
 */
export const changePayer = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  { phone, bankIssuer }: Pick<PayerDetails, 'phone' | 'bankIssuer'>,
): Promise<'changed' | 'kept' | 'refused'> => {
  // Read before the transaction: the embedded database has one connection, and that is the transaction's.
  const [pool, rules] = await Promise.all([context.catalog.get(requisitePool), context.catalog.get(riskRules)])
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    if (!payment || !mayChangePayer(payment, tx.now)) return 'kept'
    const mode = pool.byId.get(payment.requisiteId)?.mode ?? 'live'
    const finding = await judgePayer(tx, rules, payment, mode, phone)
    const sourcePan = maskSource(phone)
    await tx.query(changePayerDetails, {
      merchantId,
      id: paymentId,
      phoneSealed: tx.vault.encrypt(phone, { table: 'payments', column: 'payer_phone_sealed', row: paymentId }),
      phoneIndex: tx.vault.blindIndex('payer', phone),
      sourcePan,
      payerBank: bankIssuer,
    })
    if (finding) {
      await failRiskyPayments(tx, 'page', [{ payment: { ...payment, sourcePan }, finding }])
      return 'refused'
    }
    announcePayments(tx, [payment])
    const before = { sourcePan: payment.sourcePan, bank: payment.payerBank }
    const act = { actor: 'payer', action: 'payment.payer-changed', subject: `payment:${merchantId}/${paymentId}` }
    await recordActs(tx, [{ ...act, details: { before, after: { sourcePan, bank: bankIssuer } } }])
    return 'changed'
  })
}
