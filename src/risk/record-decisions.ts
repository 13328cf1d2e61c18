import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import type { RiskFinding } from '../domain/risk.ts'
import { recordActs } from '../audit/record-acts.ts'
import { insertDecisions } from './store.ts'

/** Where a decision was made: when the merchant created the payment, on the payer's page, or when money came. */
export type DecisionPlace = 'create' | 'page' | 'transfer'

/** What was found against the payer of a payment. */
export type FoundRisk = { readonly merchantId: string; readonly paymentId: string; readonly finding: RiskFinding }

/**
 * Stores decisions and writes them into the audit: `refused` closed the payment, `flagged` only tells the operator,
 * because the money is there. Last in its transaction.
 */
export const recordDecisions = async (
  tx: Tx,
  place: DecisionPlace,
  outcome: 'refused' | 'flagged',
  found: readonly FoundRisk[],
): Promise<void> => {
  if (found.length === 0) return
  await tx.query(insertDecisions, {
    merchantIds: found.map((each) => each.merchantId),
    ids: found.map(() => tx.newId()),
    paymentIds: found.map((each) => each.paymentId),
    place,
    outcome,
    rules: found.map((each) => each.finding.rule),
    ruleIds: found.map((each) => each.finding.ruleId),
    kinds: found.map((each) => each.finding.kind),
    explanations: found.map((each) => each.finding.explanation),
    now: tx.now,
  })
  // A user who has shown a blocked number is known from now on, on every node.
  if (place !== 'create' && found.some(({ finding }) => finding.rule === 'block' && finding.kind !== 'user')) {
    await raiseCatalogVersion(tx, 'risk')
  }
  const acts = found.map(({ merchantId, paymentId, finding }) => ({
    actor: 'service',
    action: outcome === 'refused' ? 'risk.refuse' : 'risk.flag',
    subject: `payment:${merchantId}/${paymentId}`,
    details: { place, ...finding },
  }))
  await recordActs(tx, acts)
}
