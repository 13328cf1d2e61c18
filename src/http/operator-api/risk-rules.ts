import { type Static, Type } from 'typebox'
import { maxVelocityWindowMs, velocityKinds, type VelocityRule } from '../../domain/risk.ts'
import { listVelocityRules } from '../../risk/read.ts'
import { velocityRules } from '../../risk/velocity-rules.ts'
import {
  Currency,
  Id,
  IdParams,
  NoBody,
  OneOf,
  PositiveAmount,
  Time,
  Titled,
  wireAmount,
  wireFields,
} from '../fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { Reason } from './risk-blocks.ts'
import { ofAnyMerchant } from './operator-fields.ts'

const Kind = OneOf(velocityKinds, {
  description:
    "What identifies the payer: the merchant's `user`, the `phone` entered on the page, or the `account` that the money came from, which only flags.",
  examples: ['user'],
})
const WindowMs = Type.Integer({ minimum: 1000, maximum: maxVelocityWindowMs, examples: [86_400_000] })
const MaxCount = Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The most payments in any window.' })

const RuleAnswer = Titled('VelocityRule', {
  id: Id,
  kind: Kind,
  ...ofAnyMerchant('Absent: at all merchants together; a user is one merchant’s.'),
  windowMs: WindowMs,
  maxCount: Type.Optional(MaxCount),
  currency: Type.Optional(Type.String()),
  maxAmount: Type.Optional(Type.Number({ description: 'The most money in any window.' })),
  reason: Type.String(),
  createdBy: Type.String(),
  createdAt: Time,
  endedAt: Type.Optional(Time),
})

/** A velocity rule. */
export type RuleAnswer = Static<typeof RuleAnswer>

const toAnswer = (rule: VelocityRule): RuleAnswer =>
  wireFields({ ...rule, maxAmount: rule.currency === null ? null : wireAmount(rule.maxAmount, rule.currency) })

/** Velocity rules. */
export const riskRuleRoutes = routesForOperators()

riskRuleRoutes.post('/risk/rules', {
  id: 'addVelocityRule',
  duty: 'configure',
  summary: 'Limit how much a payer may pay within a time window',
  description:
    'Counts payments that are created, or whose payer enters a phone number, from now on. Every rule that applies to a payer must hold.',
  body: {
    kind: Kind,
    merchantId: Type.Optional(Id),
    windowMs: WindowMs,
    maxCount: Type.Optional(MaxCount),
    currency: Type.Optional(Currency),
    maxAmount: Type.Optional(PositiveAmount),
    reason: Reason,
  },
  status: 201,
  answer: RuleAnswer,
  refusals: ['amount_above_max', 'amount_precision', 'resource_not_found'],
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
      details: toAnswer,
    })
    return toAnswer(rule)
  },
})

riskRuleRoutes.get('/risk/rules', {
  id: 'listVelocityRules',
  duty: 'read',
  summary: 'List velocity rules',
  description: 'Oldest first, including ended ones.',
  answer: { rules: Type.Array(RuleAnswer) },
  handle: async (context) => ({ rules: (await listVelocityRules(context)).map(toAnswer) }),
})

riskRuleRoutes.post('/risk/rules/:id/end', {
  id: 'endVelocityRule',
  duty: 'configure',
  summary: 'End a velocity rule',
  description: 'It no longer counts. The rule stays in the list.',
  params: IdParams,
  body: NoBody,
  answer: RuleAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'risk.rule-end', subject: `risk-rule:${id}`, details: {} }
    return toAnswer(await actOnBehalf(context, request, (tx) => velocityRules.end(tx, id), act))
  },
})
