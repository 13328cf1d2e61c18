import type { Tx } from '../context.ts'
import { judgePayers } from '../risk/judge-payers.ts'
import type { Answers } from './answer-existing.ts'
import type { Reference } from './draft-payment.ts'
import { failRiskyPayments } from './fail-risky-payments.ts'
import { showRequisites } from './store.ts'

/**
 * Judges the payers of payments that were created in this transaction: those that a rule refuses are closed as `failed`
 * without having shown a requisite, the others may show theirs. Returns the answers that this changed. The payers must
 * have been locked. Last in its transaction.
 */
export const judgeNewPayments = async (tx: Tx, { risk }: Reference, answers: Answers): Promise<Answers> => {
  const judged = [...answers].flatMap(([draft, answer]) =>
    draft.payers.length > 0 && answer.kind === 'created' ? [{ draft, answer, payment: answer.payment }] : [],
  )
  if (judged.length === 0) return new Map()
  const findings = await judgePayers(
    tx,
    risk,
    judged.map(({ draft: { payers, profile }, payment }) => ({
      merchantId: payment.merchantId,
      paymentId: payment.id,
      mode: profile.merchant.mode,
      currency: payment.currency,
      amount: payment.amount,
      at: payment.createdAt,
      payers,
    })),
  )
  const shown = judged.filter(({ payment }) => payment.type === 'direct' && !findings.has(payment.id))
  if (shown.length > 0) {
    await tx.query(showRequisites, {
      rows: shown.map(({ payment: { merchantId, id } }) => ({ merchantId, paymentId: id })),
    })
  }
  const risky = judged.flatMap((each) => {
    const finding = findings.get(each.payment.id)
    return finding ? [{ ...each, finding }] : []
  })
  const failed = await failRiskyPayments(tx, 'create', risky)
  return new Map([
    ...shown.map(
      ({ draft, answer, payment }) => [draft, { ...answer, payment: { ...payment, requisiteShown: true } }] as const,
    ),
    ...risky.map(
      ({ draft, answer, payment }, index) => [draft, { ...answer, payment: failed[index] ?? payment }] as const,
    ),
  ])
}
