import type { Tx } from '../context.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import type { Checkpoint, RiskFinding, RiskRules } from '../../rules/merchants/risk.ts'
import { watchedPayers } from '../risk/identify-payers.ts'
import { judgePayers, lockPayers } from '../risk/judge-payers.ts'
import { recordDecisions } from '../risk/record-decisions.ts'
import type { Answers } from './answer-existing.ts'
import type { ReferenceData } from './draft-payment.ts'
import { startChanges } from './start-changes.ts'
import { showRequisites } from './store.ts'

/**
 * Judges the payers of payments that were created in this transaction: payments that a rule refuses are closed as
 * `failed` without having shown a requisite; the others may show theirs. Returns the changed answers. The payers must
 * be locked. Call it last in the transaction.
 */
export const judgeNewPayments = async (tx: Tx, { risk }: ReferenceData, answers: Answers): Promise<Answers> => {
  const judged = [...answers].flatMap(([draft, answer]) =>
    draft.payers.length > 0 && answer.kind === 'created' ? [{ draft, answer, payment: answer.payment }] : [],
  )
  if (judged.length === 0) return new Map()
  const found = await judgePayers(
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
    'passing',
  )
  const findings = new Map(found.map(({ paymentId, finding }) => [paymentId, finding]))
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

/** Judges the payer of a locked payment by phone and, again, by the merchant's user. */
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
  return (await judgePayers(tx, rules, [judged], 'passing'))[0]?.finding
}

/** A locked `new` payment, and the finding against its payer. */
type RiskyPayment = { readonly payment: Payment; readonly finding: RiskFinding }

/**
 * Closes payments as `failed` with the reason `risk`, stores and audits why, and returns the closed payments. Call it
 * last in the transaction.
 */
export const failRiskyPayments = async (
  tx: Tx,
  checkpoint: Checkpoint,
  risky: readonly RiskyPayment[],
): Promise<Payment[]> => {
  if (risky.length === 0) return []
  const changes = startChanges(tx, 'service')
  const failed = risky.map(({ payment }) =>
    changes.change(payment, { to: 'failed', reason: 'risk', trigger: 'service-closed' }),
  )
  await changes.write()
  const found = risky.map(({ payment, finding }) => ({
    merchantId: payment.merchantId,
    paymentId: payment.id,
    finding,
  }))
  await recordDecisions(tx, checkpoint, 'refused', found)
  return failed
}
