import type { Static } from '../../operations/schema.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import type { DisputeHistory } from '../../engine/disputes/read.ts'
import type { DisputeAnswer, DisputeHistoryAnswer } from '../../operations/disputes.ts'
import { wire } from '../../operations/fields.ts'

/** The wire form of a dispute. */
export const toDisputeAnswer = (
  { dispute }: Pick<DisputeHistory, 'dispute'>,
  payment: Payment,
): Static<typeof DisputeAnswer> =>
  wire.fields({
    ...{ id: dispute.id, paymentId: dispute.paymentId, state: dispute.state, claimant: dispute.claimant },
    ...{ orderId: payment.orderId, status: payment.status, currency: payment.currency },
    ...{ reason: dispute.reason, note: dispute.note },
    ...{ openedAt: dispute.openedAt, dueAt: dispute.dueAt, decidedAt: dispute.decidedAt },
    amount: wire.amount(dispute.amount, payment.currency),
    paymentAmount: wire.amount(payment.amount, payment.currency),
    finalAmount: wire.amount(dispute.finalAmount, payment.currency),
    ...(dispute.decidedAt === null || dispute.decisionNote === null ? {} : { decisionNote: dispute.decisionNote }),
  })

/** The wire form of a dispute with its history; `nameOf` gives an actor the name under which the reader may see it. */
export const toHistoryAnswer = (
  history: DisputeHistory,
  payment: Payment,
  nameOf: (actor: string) => string,
): Static<typeof DisputeHistoryAnswer> => ({
  ...toDisputeAnswer(history, payment),
  evidence: history.evidence.map(({ id, contentType, size, uploadedBy, receivedAt }) =>
    wire.fields({ id, contentType, size, by: nameOf(uploadedBy), receivedAt }),
  ),
  history: history.events.map(({ sequence, kind, actor, note, at }) =>
    wire.fields({ sequence, kind, by: nameOf(actor), note, at: wire.time(at) }),
  ),
})
