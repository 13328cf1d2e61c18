import type { Tx } from '../context.ts'
import type { SimulatedStep } from '../domain/simulation.ts'
import { insertSteps } from './store.ts'

/** Plans what the simulated bank and payer of sandbox payments will do; `delayMs` counts from the transaction's time. */
export const scheduleSteps = async (
  tx: Tx,
  planned: readonly { readonly merchantId: string; readonly paymentId: string; readonly step: SimulatedStep }[],
): Promise<void> => {
  if (planned.length === 0) return
  await tx.query(insertSteps, {
    merchantIds: planned.map((each) => each.merchantId),
    paymentIds: planned.map((each) => each.paymentId),
    ids: planned.map(() => tx.newId()),
    actions: planned.map((each) => each.step.action),
    amounts: planned.map((each) => (each.step.action === 'transfer' ? each.step.amount : null)),
    dueAts: planned.map((each) => tx.now + each.step.delayMs),
  })
  tx.afterCommit(() => tx.changes.publish(['sandbox']))
}
