import { maxVelocityWindowMs, payerKinds, velocityKinds } from '../rules/merchants/risk.ts'
import { Currency, Id, PositiveAmount, Time, idOf, ofAnyMerchant, ofMerchant, OrderOf, Person } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const PayerKind = Type.OneOf(payerKinds, {
  description: "`user`: the merchant's id of its user. The others are the payer's own numbers, in any notation.",
  examples: ['phone'],
})

const Value = Type.Printable(128, {
  description: 'The id or number; stored encrypted, never shown again.',
  examples: ['+79991234567'],
  kind: 'secret',
})

const Reason = Type.Printable(500, { description: 'Why.', examples: ['Chargebacks in January'] })

const BlockAnswer = Type.Titled('RiskBlock', {
  id: Id,
  kind: PayerKind,
  value: Type.Text('Masked.', '•••• 4567'),
  ...ofAnyMerchant('Absent: at every merchant.', 'every'),
  reason: Type.String(),
  createdBy: { ...Person, examples: ['operator:operator'] },
  createdAt: Time,
  'endsAt?': presented(Time, { absent: 'never' }),
  'endedAt?': presented(Time, { description: 'When an operator lifted it.', heading: 'Lifted' }),
})
export type BlockAnswer = Static<typeof BlockAnswer>

const blockColumns = [
  ...(['id', 'kind', 'value', 'merchantId', 'reason'] as const),
  {
    heading: 'Ends',
    show: ({ endsAt, endedAt }: BlockAnswer, { time }: Forms) =>
      endedAt === undefined ? (time(endsAt) ?? 'never') : `lifted ${time(endedAt)}`,
  },
  'createdBy',
] as const

const VelocityKind = Type.OneOf(velocityKinds, {
  description:
    "What identifies the payer: the merchant's `user`, the `phone` entered on the page, or the `account` that the money came from, which only flags.",
  examples: ['user'],
})

const WindowMs = Type.Bounded(1000, maxVelocityWindowMs, {
  description: 'Length of the window.',
  examples: [86_400_000],
  kind: 'span',
})

const MaxCount = Type.Bounded(1, 1_000_000, { description: 'Most payments in any window.', heading: 'Payments' })

const RuleAnswer = Type.Titled('VelocityRule', {
  id: Id,
  kind: VelocityKind,
  ...ofAnyMerchant('Absent: counts all merchants together; a `user` belongs to one merchant.', 'all'),
  windowMs: WindowMs,
  'maxCount?': MaxCount,
  'currency?': Type.String(),
  'maxAmount?': Type.Number({ description: 'Most money in any window.', heading: 'Sum' }),
  reason: Type.String(),
  createdBy: Type.String({ kind: 'person' }),
  createdAt: Time,
  'endedAt?': Time,
})
export type RuleAnswer = Static<typeof RuleAnswer>

export const DecisionAnswer = Type.Titled('RiskDecision', {
  id: Id,
  ...ofMerchant,
  paymentId: Id,
  'orderId?': OrderOf,
  checkpoint: Type.OneOf(
    ['create', 'page', 'transfer'],
    "When the merchant created the payment, on the payer's page, or when the money arrived.",
  ),
  outcome: Type.OneOf(['refused', 'flagged'], {
    description: '`refused`: the payment is `failed`. `flagged`: the money has arrived and needs your review.',
    tones: { refused: 'bad', flagged: 'wait' },
  }),
  rule: Type.OneOf(['block', 'velocity']),
  ruleId: presented(Id, { heading: 'Rule id' }),
  kind: Type.OneOf(payerKinds),
  explanation: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description:
      'What was found, and what is allowed: the `reason` of the rule; for a velocity rule also `windowMs` with `count` and `maxCount`, or `amountMinor` and `maxAmountMinor` in minor units of `currency`.',
    examples: [{ reason: 'New users', windowMs: 86_400_000, count: 4, maxCount: 3 }],
  }),
  decidedAt: presented(Time, { heading: 'At' }),
})
export type DecisionAnswer = Static<typeof DecisionAnswer>

export const risk = {
  about: 'Blocked payers, velocity rules, and the decisions that they made.',
  examples: [
    'payin risk block phone +79991234567 --reason "Chargebacks in January"',
    'payin risk block user user-42 --merchant "Demo Shop" --reason "Asked by the shop" --until 2026-12-31T00:00:00Z',
    'payin risk limit phone --window 1d --count 5 --reason "At most five a day"',
    'payin risk decisions',
  ],
  operations: {
    block: operation('POST /risk/blocks', 'decide', {
      id: 'addRiskBlock',
      summary: 'Block a payer',
      description:
        'New payments of this payer become `failed` with the reason `risk`; money from a blocked account or card is flagged.',
      body: {
        kind: PayerKind,
        value: Value,
        'merchantId?': presented(idOf('merchant'), 'Only at this merchant; required with `user`.'),
        reason: Reason,
        'endsAt?': presented(Time, {
          description: 'When the block ends automatically. Default: never.',
          kind: 'deadline',
        }),
      },
      status: 201,
      answer: BlockAnswer,
      refusals: ['already_exists'],
      command: {
        arguments: ['kind', 'value'],
        options: { endsAt: '--until' },
      },
    }),
    blocks: operation('GET /risk/blocks', 'read', {
      id: 'listRiskBlocks',
      summary: 'List blocked payers',
      description: 'Newest first; values are masked.',
      query: PageQuery,
      answer: pageOf('blocks', BlockAnswer),
      command: {
        columns: blockColumns,
        empty: 'Nobody is blocked. Block a payer: payin risk block phone +79991234567 --reason <why>',
      },
    }),
    find: operation('POST /risk/blocks/find', 'read', {
      id: 'findRiskBlocks',
      summary: 'Find the blocks of a payer',
      description:
        'Lifted ones are included; changes nothing. The value is sent in the body, so that no log records it. A number is only for roles that may reveal it.',
      body: {
        kind: PayerKind,
        value: Value,
        'merchantId?': presented(idOf('merchant'), 'Required to find a `user`.'),
      },
      answer: { blocks: Type.Array(BlockAnswer) },
      command: {
        arguments: ['kind', 'value'],
        columns: blockColumns,
        empty: 'This payer was never blocked. Block it: payin risk block <kind> <value> --reason <why>',
      },
    }),
    unblock: operation('POST /risk/blocks/{id}/end', 'decide', {
      id: 'endRiskBlock',
      summary: 'Lift a block',
      description: 'Payments of this payer are accepted again. The block stays in the list.',
      answer: BlockAnswer,
    }),
    limit: operation('POST /risk/rules', 'configure', {
      id: 'addVelocityRule',
      summary: 'Limit how much a payer may pay within a time window',
      description:
        'Counts payments that are created, or whose payer enters a phone number, from now on; a limit of an account or card only flags, because its money has already come. A payment must meet every rule that applies to its payer.',
      body: {
        kind: VelocityKind,
        'merchantId?': presented(
          idOf('merchant'),
          'Only payments to this merchant. Default: all merchants together; a `user` is counted at each merchant alone.',
        ),
        windowMs: WindowMs,
        'maxCount?': MaxCount,
        'currency?': presented(Currency, 'Currency of `maxAmount`.'),
        'maxAmount?': presented(PositiveAmount, 'Most money in any window, with its currency.'),
        reason: Reason,
      },
      status: 201,
      answer: RuleAnswer,
      command: {
        arguments: ['kind'],
        options: { maxCount: '--count', maxAmount: '--amount' },
      },
    }),
    limits: operation('GET /risk/rules', 'read', {
      id: 'listVelocityRules',
      summary: 'List velocity rules',
      description: 'Oldest first, including ended ones.',
      answer: { rules: Type.Array(RuleAnswer) },
      exports: 'rules',
      command: {
        columns: [
          ...(['id', 'kind', 'merchantId', 'windowMs', 'maxCount', 'maxAmount'] as const),
          {
            heading: 'State',
            show: ({ endedAt }, { time }) => (endedAt === undefined ? 'in force' : `ended ${time(endedAt)}`),
          },
          'reason',
        ],
        empty: 'No velocity rules. Add one: payin risk limit phone --window 1d --count 5 --reason <why>',
      },
    }),
    unlimit: operation('POST /risk/rules/{id}/end', 'configure', {
      id: 'endVelocityRule',
      summary: 'End a velocity rule',
      description: 'It no longer applies. The rule stays in the list.',
      answer: RuleAnswer,
    }),
    decisions: operation('GET /risk/decisions', 'read', {
      id: 'listRiskDecisions',
      summary: 'List refused and flagged payments',
      description: 'With the reasons; newest first.',
      query: {
        ...PageQuery,
        'merchantId?': presented(idOf('merchant'), 'Only of this merchant.'),
        'paymentId?': presented(idOf('payment'), 'Only about this payment.'),
      },
      answer: pageOf('decisions', DecisionAnswer),
      command: {
        columns: [
          ...(['decidedAt', 'outcome', 'orderId', 'explanation', 'kind', 'checkpoint', 'merchantId'] as const),
          ...(['rule', 'ruleId', 'paymentId'] as const),
        ],
        empty: 'No payment was refused or flagged. Rules and blocks: payin risk limits, payin risk blocks',
      },
    }),
  },
} satisfies Noun<unknown>
