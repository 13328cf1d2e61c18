import type { Tx } from '../context.ts'
import { type Dispute, disputeDeadlineMs, nextReminder } from '../domain/dispute.ts'
import { insertEvent, saveDispute } from './store.ts'

/** What happened to a dispute, by whom and with which words. */
export type DisputeEvent = {
  readonly kind:
    | 'proposed'
    | 'opened'
    | 'evidence-added'
    | 'correction-proposed'
    | 'confirmed'
    | 'accepted'
    | 'rejected'
    | 'withdrawn'
    | 'reminded'
  readonly actor: string
  readonly note: string | null
}

/** Writes a dispute, new or changed, with what happened to it; its payment must be locked. */
export const writeDispute = async (tx: Tx, dispute: Dispute, event: DisputeEvent): Promise<void> => {
  const { correction, ...rest } = dispute
  const row = {
    ...rest,
    correctionAmount: correction?.amount ?? null,
    correctionBy: correction?.by ?? null,
    correctionAt: correction?.at ?? null,
    correctionPlan: correction?.plan ?? null,
    confirmedBy: correction?.confirmedBy ?? null,
    confirmedAt: correction?.confirmedAt ?? null,
  }
  await tx.query(saveDispute, { rows: [row] })
  await tx.query(insertEvent, { merchantId: dispute.merchantId, disputeId: dispute.id, ...event, at: tx.now })
  tx.afterCommit(() => tx.changes.announce('disputes', [dispute.merchantId]))
}

/** A dispute as it starts now, without a decision. */
export const newDispute = (
  tx: Tx,
  fields: Pick<
    Dispute,
    | 'merchantId'
    | 'paymentId'
    | 'state'
    | 'claimant'
    | 'openedBy'
    | 'amount'
    | 'reason'
    | 'note'
    | 'fromStatus'
    | 'fromFinalAmount'
    | 'correction'
  >,
): Dispute => {
  const dueAt = tx.now + disputeDeadlineMs
  return {
    ...fields,
    id: tx.newId(),
    openedAt: tx.now,
    dueAt,
    remindAt: nextReminder(dueAt, tx.now),
    finalAmount: null,
    decidedBy: null,
    decidedAt: null,
    decisionNote: null,
  }
}
