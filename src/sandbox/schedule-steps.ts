import type { Tx } from '../context.ts'
import type { SimulatedReporter, SimulatedStep } from '../domain/simulation.ts'
import { insertSteps } from './store.ts'

/** Plans what the simulated bank and payer of sandbox payments will do; `delayMs` counts from the transaction's time. */
export const scheduleSteps = async (
  tx: Tx,
  planned: readonly { readonly merchantId: string; readonly paymentId: string; readonly step: SimulatedStep }[],
  reportedBy: SimulatedReporter = 'feed',
): Promise<void> => {
  if (planned.length === 0) return
  await tx.query(insertSteps, {
    rows: planned.map(({ merchantId, paymentId, step }) => ({
      merchantId,
      paymentId,
      id: tx.newId(),
      action: step.action,
      amount: 'amount' in step ? step.amount : null,
      dueAt: tx.now + step.delayMs,
      reportedBy,
    })),
  })
  tx.afterCommit(() => tx.changes.publish(['sandbox']))
}
