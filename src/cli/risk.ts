import type { BlockAnswer, DecisionAnswer, RuleAnswer } from '../http/operator-api/risk.ts'
import { type Group, list, request } from './commands.ts'
import { argument, option, page, required, resolved } from './inputs.ts'
import { idArgumentOfMerchant, idOption, ofMerchant } from './named-inputs.ts'
import { type Columns, printAmount, printPairs, printSpan, printTime } from './print-table.ts'
import { exactNumber, readTyped, span, time, wholeNumber } from './read-arguments.ts'

const fromInput = "- reads it from standard input, which keeps it out of the shell's history."

const kind = argument('<kind>', 'user, phone, account or card')
const value = resolved(argument('<value>', 'id, number or -'), ({ surroundings }, typed) =>
  readTyped(surroundings, typed),
)
const reason = required('--reason <text>', 'why')

const blockColumns: Columns<BlockAnswer> = {
  'ID#': 'id',
  KIND: 'kind',
  'VALUE~': 'value',
  'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId ?? 'every',
  'REASON~': 'reason',
  'ENDS~': ({ endsAt, endedAt }) =>
    endedAt === undefined ? (printTime(endsAt) ?? 'never') : `lifted ${printTime(endedAt)}`,
  BY: 'createdBy',
}

const blockCommands = {
  block: request('POST /risk/blocks', {
    description: `Block a payer: their new payments fail. The value is stored sealed; ${fromInput}`,
    inputs: {
      kind,
      value,
      merchantId: ofMerchant('; default: every merchant; required for user'),
      reason,
      endsAt: option('--until <time>', 'when the block ends automatically', time),
    },
    print: (block: BlockAnswer) => `Blocked ${block.kind} ${block.value}.`,
  }),
  unblock: request('POST /risk/blocks/{id}/end', {
    description: 'Lift a block.',
    inputs: {
      id: idArgumentOfMerchant('block'),
    },
    print: (block: BlockAnswer) => `This block of ${block.kind} ${block.value} is lifted.`,
  }),
  find: list('POST /risk/blocks/find', {
    description: `Find the blocks of a payer, including lifted ones; ${fromInput}`,
    inputs: { kind, value, merchantId: ofMerchant('; required to find a user') },
    rows: (answer: { blocks: BlockAnswer[] }) => answer.blocks,
    empty: 'This payer was never blocked. Block it: payin risk block <kind> <value> --reason <why>',
    columns: blockColumns,
  }),
  blocks: list('GET /risk/blocks', {
    description: 'List blocked payers, newest first; their values are masked.',
    inputs: page,
    rows: (answer: { blocks: BlockAnswer[] }) => answer.blocks,
    empty: 'Nobody is blocked. Block a payer: payin risk block phone +79991234567 --reason <why>',
    columns: blockColumns,
  }),
}

/** A rule in one line, such as `The rule for one phone, at most 5 payments in 1 d,`. */
const describeRule = ({ kind: of, maxCount, maxAmount, currency, windowMs }: RuleAnswer): string => {
  const most = [
    maxCount === undefined ? undefined : `${maxCount} payments`,
    maxAmount === undefined || currency === undefined ? undefined : printAmount(maxAmount, currency),
  ].filter((each) => each !== undefined)
  return `The rule for one ${of}, at most ${most.join(' and ')} in ${printSpan(windowMs)},`
}

const ruleCommands = {
  limit: request('POST /risk/rules', {
    description:
      'Limit how much one payer may pay in a span of time. Limits of accounts and cards only flag, because their money has already come.',
    inputs: {
      kind,
      windowMs: required('--window <span>', 'length of the window, such as 1h or 1d', span),
      maxCount: option('--count <payments>', 'most payments', wholeNumber),
      maxAmount: option('--amount <amount>', 'most money, with --currency', exactNumber),
      currency: option('--currency <currency>', 'code, such as rub'),
      merchantId: ofMerchant('; default: all merchants together'),
      reason,
    },
    print: (rule: RuleAnswer) => `${describeRule(rule)} is in force.`,
  }),
  unlimit: request('POST /risk/rules/{id}/end', {
    description: 'End a velocity rule.',
    inputs: { id: idArgumentOfMerchant('rule') },
    print: (rule: RuleAnswer) => `${describeRule(rule)} has ended.`,
  }),
  limits: list('GET /risk/rules', {
    description: 'List velocity rules.',
    rows: (answer: { rules: RuleAnswer[] }) => answer.rules,
    empty: 'No velocity rules. Add one: payin risk limit phone --window 1d --count 5 --reason <why>',
    columns: {
      'ID#': 'id',
      KIND: 'kind',
      'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId ?? 'all',
      'WINDOW>': ({ windowMs }) => printSpan(windowMs),
      'PAYMENTS>': 'maxCount',
      'SUM>': ({ maxAmount, currency }) =>
        maxAmount === undefined || currency === undefined ? undefined : printAmount(maxAmount, currency),
      'STATE~': ({ endedAt }) => (endedAt === undefined ? 'in force' : `ended ${printTime(endedAt)}`),
      'REASON~': 'reason',
    },
  }),
}

export const riskCommands: Group = {
  description: 'Blocked payers, velocity rules, and the decisions that they made.',
  examples: [
    'payin risk block phone +79991234567 --reason "Chargebacks in January"',
    'payin risk block user user-42 --merchant "Demo Shop" --reason "Asked by the shop" --until 2026-12-31T00:00:00Z',
    'payin risk limit phone --window 1d --count 5 --reason "At most five a day"',
    'payin risk decisions',
  ],
  commands: {
    ...blockCommands,
    ...ruleCommands,
    decisions: list('GET /risk/decisions', {
      description: 'List refused and flagged payments with the reasons, newest first.',
      inputs: {
        merchantId: ofMerchant(),
        paymentId: idOption('--payment <payment>', 'order or id of the payment', 'payment'),
        ...page,
      },
      rows: (answer: { decisions: DecisionAnswer[] }) => answer.decisions,
      empty: 'No payment was refused or flagged. Rules and blocks: payin risk limits, payin risk blocks',
      columns: {
        AT: ({ decidedAt }) => printTime(decidedAt),
        OUTCOME: 'outcome',
        'ORDER~': 'orderId',
        'EXPLANATION~': ({ explanation }) => printPairs(explanation),
        KIND: 'kind',
        CHECKPOINT: 'checkpoint',
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        RULE: 'rule',
        'RULE ID#': 'ruleId',
        'PAYMENT#': 'paymentId',
      },
    }),
  },
}
