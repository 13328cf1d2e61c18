import type { Tx } from '../context.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import type { Payment } from '../domain/payment.ts'
import type { RiskFinding } from '../domain/risk.ts'
import { judgePayers, lockPayers } from '../risk/judge-payers.ts'
import type { RiskRules } from '../risk/risk-rules.ts'
import { watchedPayers } from '../risk/identify-payers.ts'

/** Judges the payer of a locked payment by its phone and, again, by the user that the merchant named. */
export const judgePayer = async (
  tx: Tx,
  rules: RiskRules,
  payment: Payment,
  mode: MerchantMode,
  phone: string,
): Promise<RiskFinding | undefined> => {
  const { merchantId, id, currency, amount } = payment
  const userId = payment.userIdGiven ? payment.userId : null
  const payers = watchedPayers(rules, tx.vault, { merchantId, userId, phone }, tx.now)
  if (payers.length === 0) return undefined
  await lockPayers(tx, payers)
  const judged = { merchantId, paymentId: id, mode, currency, amount, at: tx.now, payers }
  return (await judgePayers(tx, rules, [judged])).get(id)
}
