import type { Tx } from '../context.ts'
import { judgePayers } from '../risk/judge-payers.ts'
import type { CreateResult } from './answer-existing.ts'
import type { Draft, Reference } from './draft-payment.ts'
import { failRiskyPayments } from './fail-risky-payments.ts'
import { showRequisites } from './store.ts'

/**
 * Judges the payers of payments that were created in this transaction: those that a rule refuses are closed as `failed`
 * without having shown a requisite, the others may show theirs. Their payers must have been locked. Last in its
 * transaction.
 */
export const judgeNewPayments = async (
  tx: Tx,
  { risk }: Reference,
  drafts: readonly Draft[],
  results: CreateResult[],
): Promise<void> => {
  const judged = drafts.flatMap(({ index, payers, profile }) => {
    const result = results[index]
    return payers.length > 0 && result?.kind === 'created' ? [{ index, payers, profile, result }] : []
  })
  if (judged.length === 0) return
  const findings = await judgePayers(
    tx,
    risk,
    judged.map(({ payers, profile, result: { payment } }) => ({
      merchantId: payment.merchantId,
      paymentId: payment.id,
      mode: profile.merchant.mode,
      currency: payment.currency,
      amount: payment.amount,
      at: payment.createdAt,
      payers,
    })),
  )
  const shown = judged.filter(({ result: { payment } }) => payment.type === 'direct' && !findings.has(payment.id))
  if (shown.length > 0) {
    const payments = shown.map(({ result }) => result.payment)
    await tx.query(showRequisites, {
      merchantIds: payments.map((payment) => payment.merchantId),
      ids: payments.map((payment) => payment.id),
    })
    for (const { index, result } of shown) {
      results[index] = { ...result, payment: { ...result.payment, requisiteShown: true } }
    }
  }
  const risky = judged.flatMap(({ index, result }) => {
    const finding = findings.get(result.payment.id)
    return finding ? [{ index, result, payment: result.payment, finding }] : []
  })
  const failed = await failRiskyPayments(tx, 'create', risky)
  failed.forEach((payment, position) => {
    const each = risky[position]
    if (each) results[each.index] = { ...each.result, payment }
  })
}
