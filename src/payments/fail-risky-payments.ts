import type { Tx } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import type { Checkpoint, RiskFinding } from '../domain/risk.ts'
import { recordDecisions } from '../risk/record-decisions.ts'
import { startChanges } from './start-changes.ts'

/** A locked payment that is new, and what was found against its payer. */
export type RiskyPayment = { readonly payment: Payment; readonly finding: RiskFinding }

/**
 * Closes payments as `failed` with the reason `risk`, stores and audits why, and returns them as they are then. Last in
 * its transaction.
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
