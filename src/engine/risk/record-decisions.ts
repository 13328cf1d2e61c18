import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import type { Checkpoint, RiskFinding } from '../../rules/merchants/risk.ts'
import { recordActs } from '../audit/record-acts.ts'
import { insertDecisions } from './store.ts'

export type FoundRisk = { readonly merchantId: string; readonly paymentId: string; readonly finding: RiskFinding }

/** Stores and audits decisions: `refused` closed the payment, `flagged` only informs. Call it last. */
export const recordDecisions = async (
  tx: Tx,
  checkpoint: Checkpoint,
  outcome: 'refused' | 'flagged',
  found: readonly FoundRisk[],
): Promise<void> => {
  if (found.length === 0) return
  const rows = found.map(({ finding, ...payment }) => ({
    ...payment,
    ...finding,
    id: tx.newId(),
    checkpoint,
    outcome,
    decidedAt: tx.now,
  }))
  await tx.query(insertDecisions, { rows })
  // A user who has shown a blocked number is known from now on, on every node.
  if (checkpoint !== 'create' && found.some(({ finding }) => finding.rule === 'block' && finding.kind !== 'user')) {
    await raiseCatalogVersion(tx, 'risk')
  }
  const acts = found.map(({ merchantId, paymentId, finding }) => ({
    actor: 'service',
    action: outcome === 'refused' ? 'risk.refuse' : 'risk.flag',
    subject: `payment:${merchantId}/${paymentId}`,
    details: { checkpoint, ...finding },
  }))
  await recordActs(tx, acts)
}
