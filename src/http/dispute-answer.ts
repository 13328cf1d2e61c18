import { type Static, Type } from '../operations/schema.ts'
import { claimants, disputeReasons, disputeStates } from '../rules/payments/dispute.ts'
import type { Payment } from '../rules/payments/payment.ts'
import { receiptTypes } from '../rules/payments/receipt.ts'
import type { DisputeHistory } from '../engine/disputes/read.ts'
import { Amount, Id, PaymentStatus, Time, wire } from '../operations/fields.ts'

/** Schema of a file of evidence, without its content. */
const EvidenceAnswer = Type.Titled('Evidence', {
  id: Id,
  contentType: Type.OneOf(receiptTypes, "Detected from the file's content."),
  size: Type.Whole('Bytes.'),
  by: Type.String({ examples: ['merchant'] }),
  receivedAt: Time,
})

const shared = {
  id: Id,
  paymentId: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: { ...PaymentStatus, description: 'Status of the payment.', examples: ['disput'] },
  state: Type.OneOf(disputeStates, {
    examples: ['open'],
    description: '`open`: waits for a decision; `proposed`: waits for a second operator.',
  }),
  claimant: Type.OneOf(claimants),
  currency: Type.String({ examples: ['rub'] }),
  amount: Type.Number({ description: 'The amount claimed.', examples: [5000.37] }),
  paymentAmount: Amount,
  reason: Type.String({ examples: [...disputeReasons] }),
  note: Type.Optional(Type.String({ examples: ['The payer sent a receipt.'] })),
  openedAt: Time,
  dueAt: { ...Time, description: 'Deadline of the decision.' },
  finalAmount: Type.Optional(Type.Number({ description: 'Present when it was accepted.', examples: [5000.37] })),
  decidedAt: Type.Optional(Time),
  decisionNote: Type.Optional(Type.Text('Why it was accepted or rejected.', 'The bank has confirmed it.')),
}

/** Schema of a dispute in a list. */
export const DisputeAnswer = Type.Object(shared)

/** Schema of a dispute with its files and history. */
export const DisputeHistoryAnswer = Type.Titled('Dispute', {
  ...shared,
  evidence: Type.Array(EvidenceAnswer),
  history: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      kind: Type.String({ examples: ['opened'], description: 'What happened.' }),
      by: Type.String({ examples: ['merchant'] }),
      note: Type.Optional(Type.String({ examples: ['The payer sent a receipt.'] })),
      at: Time,
    }),
  ),
})

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
