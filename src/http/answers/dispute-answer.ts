import type { Dispute } from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import type { DisputeHistory } from '../../engine/disputes/read.ts'

/** A dispute with what it says of its payment. */
export const toDisputeAnswer = (dispute: Dispute, { orderId, status, currency, amount: paymentAmount }: Payment) => ({
  ...dispute,
  ...{ orderId, status, currency, paymentAmount },
  decisionNote: dispute.decidedAt === null ? null : dispute.decisionNote,
})

/** A dispute with its history; `nameOf` gives an actor the name under which the reader may see it. */
export const toHistoryAnswer = (
  { dispute, evidence, events }: DisputeHistory,
  payment: Payment,
  nameOf: (actor: string) => string,
) => ({
  ...toDisputeAnswer(dispute, payment),
  evidence: evidence.map((file) => ({ ...file, by: nameOf(file.uploadedBy) })),
  history: events.map((event) => ({ ...event, by: nameOf(event.actor) })),
})
