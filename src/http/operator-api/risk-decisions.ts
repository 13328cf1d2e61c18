import { type Static, Type } from 'typebox'
import { payerKinds } from '../../domain/risk.ts'
import { listDecisions } from '../../risk/read.ts'
import { Id, OneOf, Time, wireTime } from '../fields.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { routesForOperators } from '../routes.ts'
import { ofMerchant, OrderOf } from './operator-fields.ts'

const DecisionAnswer = Type.Object({
  id: Id,
  ...ofMerchant,
  paymentId: Id,
  orderId: OrderOf,
  checkpoint: OneOf(['create', 'page', 'transfer'], {
    description: "When the merchant created the payment, on the payer's page, or when the money came.",
  }),
  outcome: OneOf(['refused', 'flagged'], {
    description: '`refused`: the payment is `failed`. `flagged`: the money has come and needs your review.',
  }),
  rule: OneOf(['block', 'velocity']),
  ruleId: Id,
  kind: OneOf(payerKinds),
  explanation: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description:
      'What was found, and what is allowed: `reason` of the rule; of a velocity rule `windowMs` with `count` and `maxCount`, or `amountMinor` and `maxAmountMinor` in minor units of `currency`.',
    examples: [{ reason: 'New users', windowMs: 86_400_000, count: 4, maxCount: 3 }],
  }),
  decidedAt: Time,
})

/** What was decided about the payer of a payment. */
export type DecisionAnswer = Static<typeof DecisionAnswer>

/** Decisions about payers. */
export const riskDecisionRoute = routesForOperators().get('/risk/decisions', {
  id: 'listRiskDecisions',
  duty: 'read',
  summary: 'List decisions about payers, with their reasons',
  description: 'Newest first.',
  query: { ...PageQuery, merchantId: Type.Optional(Id), paymentId: Type.Optional(Id) },
  answer: pageOf('decisions', DecisionAnswer),
  handle: (context, { query: { merchantId = null, paymentId = null, ...query } }) =>
    readPage(
      'decisions',
      query,
      (span) => listDecisions(context, { merchantId, paymentId, ...span }),
      (row) => ({ ...row, decidedAt: wireTime(row.decidedAt) }),
    ),
})
