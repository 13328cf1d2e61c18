import type { PreviewedDecision } from '../../engine/transfers/decisions/decide-transfer.ts'

/** The wire form of what a decision would do. */
export const toDecisionEffect = ({ postings, payments, whyIrrevocable }: PreviewedDecision) => ({
  entries: postings,
  payments: payments.map(({ before, after }) => ({
    ...{ ...after, paymentId: after.id, before: before.status, after: after.status },
  })),
  revocable: whyIrrevocable === null,
  whyIrrevocable,
})
