import { Id, PaymentStatus } from './fields.ts'
import { LedgerEffect, ofMerchant } from './operator-fields.ts'
import { Type } from './schema.ts'

/** Fields of responses about what a decision about a transfer would do; absent if it would be refused. */
export const decisionEffect = {
  entries: Type.Optional(LedgerEffect, 'The ledger entries that it would write, in order.'),
  payments: Type.Optional(
    Type.Rows('Each payment that would get money.', {
      ...ofMerchant,
      paymentId: Id,
      orderId: Type.String(),
      before: { ...PaymentStatus, description: 'Its status now.', examples: ['expired'] },
      after: { ...PaymentStatus, description: 'Its status then.', examples: ['disput-paid'] },
      currency: Type.String(),
      finalAmount: Type.Optional(
        Type.Number({ description: 'What it is credited with, if not its amount.', examples: [500] }),
      ),
    }),
  ),
  revocable: Type.Optional(
    Type.Boolean({ description: 'Whether the decision could be revoked afterwards.', examples: [false] }),
  ),
  whyIrrevocable: Type.Optional(
    Type.Text('Why it could not be revoked.', 'order-1001 is disput-paid with this money; open a correction instead.'),
  ),
}
