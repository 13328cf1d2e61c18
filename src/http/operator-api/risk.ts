import { type Static, Type } from '../../operations/schema.ts'
import {
  maxVelocityWindowMs,
  payerKinds,
  type RiskBlock,
  velocityKinds,
  type VelocityRule,
} from '../../rules/merchants/risk.ts'
import { addBlock, endBlock } from '../../engine/risk/blocks.ts'
import { listBlocks, listDecisions, listVelocityRules } from '../../engine/risk/read.ts'
import { Currency, Id, IdParams, NoBody, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { ofAnyMerchant, ofMerchant, OrderOf } from '../../operations/operator-fields.ts'
import { velocityRules } from '../../engine/risk/risk-rules.ts'

const PayerKind = Type.OneOf(payerKinds, {
  description: "`user`: the merchant's id of its user. The others are the payer's own numbers, in any notation.",
  examples: ['phone'],
})

const Value = Type.Printable(128, { description: 'Stored encrypted; never shown again.', examples: ['+79991234567'] })

/** Schema of the reason for a rule. */
const Reason = Type.Printable(500, { examples: ['Chargebacks in January'] })

const BlockAnswer = Type.Titled('RiskBlock', {
  id: Id,
  kind: PayerKind,
  value: Type.Text('Masked.', '•••• 4567'),
  ...ofAnyMerchant('Absent: at every merchant.'),
  reason: Type.String(),
  createdBy: Type.String({ examples: ['operator:operator'] }),
  createdAt: Time,
  endsAt: Type.Optional(Time),
  endedAt: Type.Optional(Time, 'When an operator lifted it.'),
})

/** A blocked payer. */
export type BlockAnswer = Static<typeof BlockAnswer>

const toBlock = ({ payerIndex: _index, valueMasked: value, ...block }: RiskBlock): BlockAnswer =>
  wire.fields({ ...block, value })

/** Blocked payers, velocity rules, and decisions about payers. */
export const riskRoutes = routesForOperators()

riskRoutes.post('/risk/blocks', 'decide', {
  id: 'addRiskBlock',
  summary: 'Block a payer',
  description:
    'New payments of this payer become `failed` with the reason `risk`; money from a blocked account or card is flagged.',
  body: {
    kind: PayerKind,
    value: Value,
    merchantId: Type.Optional(Id, 'Only at this merchant; required with `user`.'),
    reason: Reason,
    endsAt: Type.Optional(Time, 'When the block ends automatically. Absent: never.'),
  },
  status: 201,
  answer: BlockAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, value, merchantId = null, reason, endsAt } = request.body
    const end = readBody((read) => (endsAt === undefined ? null : read.instant(endsAt, 'endsAt')))
    const wanted = { kind, value, merchantId, reason, endsAt: end, createdBy: actorOf(request) }
    const block = await actOnBehalf(context, request, (tx) => addBlock(tx, wanted), {
      action: 'risk.block',
      subject: ({ id }) => `risk-block:${id}`,
      details: toBlock,
    })
    return toBlock(block)
  },
})

riskRoutes.get('/risk/blocks', 'read', {
  id: 'listRiskBlocks',
  summary: 'List blocked payers',
  description: 'Newest first; values are masked.',
  query: PageQuery,
  answer: pageOf('blocks', BlockAnswer),
  exports: 'blocks',
  handle: (context, { query }) =>
    readPage('blocks', query, ({ before, limit }) => listBlocks(context, before, limit), toBlock),
})

riskRoutes.post('/risk/blocks/find', 'read', {
  id: 'findRiskBlocks',
  summary: 'Find the blocks of a payer',
  description: 'Changes nothing. The value is sent in the body, so that no log records it.',
  body: { kind: PayerKind, value: Value, merchantId: Type.Optional(Id) },
  answer: { blocks: Type.Array(BlockAnswer) },
  handle: async (context, request) => {
    const { kind, value, merchantId = null } = request.body
    const blocks = await listBlocks(context, null, 500, { kind, value, merchantId })
    return { blocks: blocks.map(toBlock) }
  },
})

riskRoutes.post('/risk/blocks/:id/end', 'decide', {
  id: 'endRiskBlock',
  summary: 'Lift a block',
  description: 'Payments of this payer are accepted again. The block stays in the list.',
  params: IdParams,
  body: NoBody,
  answer: BlockAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'risk.unblock', subject: `risk-block:${id}`, details: {} }
    return toBlock(await actOnBehalf(context, request, (tx) => endBlock(tx, id), act))
  },
})

const VelocityKind = Type.OneOf(velocityKinds, {
  description:
    "What identifies the payer: the merchant's `user`, the `phone` entered on the page, or the `account` that the money came from, which only flags.",
  examples: ['user'],
})
const WindowMs = Type.Integer({ minimum: 1000, maximum: maxVelocityWindowMs, examples: [86_400_000] })
const MaxCount = Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Most payments in any window.' })

const RuleAnswer = Type.Titled('VelocityRule', {
  id: Id,
  kind: VelocityKind,
  ...ofAnyMerchant('Absent: counts all merchants together; a `user` belongs to one merchant.'),
  windowMs: WindowMs,
  maxCount: Type.Optional(MaxCount),
  currency: Type.Optional(Type.String()),
  maxAmount: Type.Optional(Type.Number({ description: 'Most money in any window.' })),
  reason: Type.String(),
  createdBy: Type.String(),
  createdAt: Time,
  endedAt: Type.Optional(Time),
})

/** A velocity rule. */
export type RuleAnswer = Static<typeof RuleAnswer>

const toRule = (rule: VelocityRule): RuleAnswer =>
  wire.fields({ ...rule, maxAmount: rule.currency === null ? null : wire.amount(rule.maxAmount, rule.currency) })

riskRoutes.post('/risk/rules', 'configure', {
  id: 'addVelocityRule',
  summary: 'Limit how much a payer may pay within a time window',
  description:
    'Counts payments that are created, or whose payer enters a phone number, from now on. A payment must meet every rule that applies to its payer.',
  body: {
    kind: VelocityKind,
    merchantId: Type.Optional(Id),
    windowMs: WindowMs,
    maxCount: Type.Optional(MaxCount),
    currency: Type.Optional(Currency),
    maxAmount: Type.Optional(PositiveAmount),
    reason: Reason,
  },
  status: 201,
  answer: RuleAnswer,
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, merchantId = null, windowMs, maxCount = null, currency, maxAmount, reason } = request.body
    const sum = readBody((read) => {
      if ((currency === undefined) !== (maxAmount === undefined)) {
        read.wrong('currency', 'is required with maxAmount and refused without it.')
      }
      const isLimited = currency !== undefined && maxAmount !== undefined
      return isLimited ? read.amount(request.body, 'maxAmount', currency) : null
    })
    const limits = { windowMs, maxCount, currency: currency ?? null, maxAmount: sum }
    const wanted = { kind, merchantId, ...limits, reason, createdBy: actorOf(request) }
    const rule = await actOnBehalf(context, request, (tx) => velocityRules.add(tx, wanted), {
      action: 'risk.rule-add',
      subject: ({ id }) => `risk-rule:${id}`,
      details: toRule,
    })
    return toRule(rule)
  },
})

riskRoutes.get('/risk/rules', 'read', {
  id: 'listVelocityRules',
  summary: 'List velocity rules',
  description: 'Oldest first, including ended ones.',
  answer: { rules: Type.Array(RuleAnswer) },
  exports: 'rules',
  handle: async (context) => ({ rules: (await listVelocityRules(context)).map(toRule) }),
})

riskRoutes.post('/risk/rules/:id/end', 'configure', {
  id: 'endVelocityRule',
  summary: 'End a velocity rule',
  description: 'It no longer applies. The rule stays in the list.',
  params: IdParams,
  body: NoBody,
  answer: RuleAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'risk.rule-end', subject: `risk-rule:${id}`, details: {} }
    return toRule(await actOnBehalf(context, request, (tx) => velocityRules.end(tx, id), act))
  },
})

const DecisionAnswer = Type.Titled('RiskDecision', {
  id: Id,
  ...ofMerchant,
  paymentId: Id,
  orderId: OrderOf,
  checkpoint: Type.OneOf(
    ['create', 'page', 'transfer'],
    "When the merchant created the payment, on the payer's page, or when the money arrived.",
  ),
  outcome: Type.OneOf(
    ['refused', 'flagged'],
    '`refused`: the payment is `failed`. `flagged`: the money has arrived and needs your review.',
  ),
  rule: Type.OneOf(['block', 'velocity']),
  ruleId: Id,
  kind: Type.OneOf(payerKinds),
  explanation: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description:
      'What was found, and what is allowed: the `reason` of the rule; for a velocity rule also `windowMs` with `count` and `maxCount`, or `amountMinor` and `maxAmountMinor` in minor units of `currency`.',
    examples: [{ reason: 'New users', windowMs: 86_400_000, count: 4, maxCount: 3 }],
  }),
  decidedAt: Time,
})

/** A decision about the payer of a payment. */
export type DecisionAnswer = Static<typeof DecisionAnswer>

const toDecision = (row: Awaited<ReturnType<typeof listDecisions>>[number]): DecisionAnswer => wire.fields(row)

riskRoutes.get('/risk/decisions', 'read', {
  id: 'listRiskDecisions',
  summary: 'List decisions about payers, with their reasons',
  description: 'Newest first.',
  query: { ...PageQuery, merchantId: Type.Optional(Id), paymentId: Type.Optional(Id) },
  answer: pageOf('decisions', DecisionAnswer),
  exports: 'decisions',
  handle: (context, { query: { merchantId = null, paymentId = null, ...query } }) =>
    readPage('decisions', query, (span) => listDecisions(context, { merchantId, paymentId, ...span }), toDecision),
})
