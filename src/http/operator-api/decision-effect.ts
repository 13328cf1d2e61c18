import type { PreviewedDecision } from '../../engine/transfers/decisions/decide-transfer.ts'
import { wire } from '../../operations/fields.ts'
import { toLedgerEffect } from '../../operations/operator-fields.ts'

/** The wire form of what a decision would do. */
export const toDecisionEffect = ({ postings, payments, whyIrrevocable }: PreviewedDecision) =>
  wire.fields({
    entries: toLedgerEffect(postings),
    payments: payments.map(({ before, after: { merchantId, id, orderId, status, currency, finalAmount } }) =>
      wire.fields({
        ...{ merchantId, paymentId: id, orderId, before: before.status, after: status, currency },
        finalAmount: wire.amount(finalAmount, currency),
      }),
    ),
    revocable: whyIrrevocable === null,
    whyIrrevocable,
  })
