import { type Static, Type } from 'typebox'
import { payerKinds } from '../../domain/risk.ts'
import { listDecisions } from '../../risk/read.ts'
import { Id, OneOf, Time, Titled, wireFields } from '../fields.ts'
import { Csv } from '../list-filters.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { routesForOperators } from '../routes.ts'
import { type CsvColumns, exportPages } from './export-pages.ts'
import { ofMerchant, OrderOf } from './operator-fields.ts'

const DecisionAnswer = Titled('RiskDecision', {
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

const toAnswer = (row: Awaited<ReturnType<typeof listDecisions>>[number]): DecisionAnswer => wireFields(row)

const filters = { merchantId: Type.Optional(Id), paymentId: Type.Optional(Id) }

/** Decisions about payers. */
export const riskDecisionRoutes = routesForOperators()

riskDecisionRoutes.get('/risk/decisions', {
  id: 'listRiskDecisions',
  duty: 'read',
  summary: 'List decisions about payers, with their reasons',
  description: 'Newest first.',
  query: { ...PageQuery, ...filters },
  answer: pageOf('decisions', DecisionAnswer),
  handle: (context, { query: { merchantId = null, paymentId = null, ...query } }) =>
    readPage('decisions', query, (span) => listDecisions(context, { merchantId, paymentId, ...span }), toAnswer),
})

const csvColumns: CsvColumns<DecisionAnswer> = {
  id: ({ id }) => id,
  decidedAt: ({ decidedAt }) => decidedAt,
  merchantId: (row) => row.merchantId,
  merchantName: ({ merchantName }) => merchantName,
  paymentId: (row) => row.paymentId,
  orderId: ({ orderId }) => orderId,
  checkpoint: ({ checkpoint }) => checkpoint,
  outcome: ({ outcome }) => outcome,
  rule: ({ rule }) => rule,
  ruleId: ({ ruleId }) => ruleId,
  kind: ({ kind }) => kind,
  explanation: ({ explanation }) => JSON.stringify(explanation),
}

riskDecisionRoutes.get('/risk/decisions.csv', {
  id: 'exportRiskDecisions',
  duty: 'read',
  summary: 'Export decisions about payers as CSV',
  description: 'All that `GET /risk/decisions` lists with the same filters.',
  query: filters,
  answerContent: Csv,
  handle: (context, { query: { merchantId = null, paymentId = null } }, reply) =>
    exportPages(context, reply, {
      name: 'decisions',
      columns: csvColumns,
      read: (span) => listDecisions(context, { merchantId, paymentId, ...span }),
      toWire: (rows) => rows.map(toAnswer),
    }),
})
