import { shellWord } from '../rules/values/shell-word.ts'
import { outgoingPurposes } from '../rules/transfers/outgoing.ts'
import { rulePurposes } from '../rules/transfers/outgoing-rule.ts'
import { Currency, Id, PositiveAmount, Time, idOf, ofRequisite, Person, Reason } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { OutgoingState } from './outgoing.ts'
import { presented, type Static, Type } from './schema.ts'

const amount = Type.Number({ currency: 'currency' })

const wanted = {
  'text?': Type.Text('Words that follow each other in the text; long numbers in it are masked.'),
  'payee?': Type.Text('The number of the payee, masked, or words of its name.'),
}

const RulePurpose = Type.OneOf(rulePurposes, 'What the money was for.')

const ruleFields = {
  id: Id,
  'requisiteId?': presented(ofRequisite.requisiteId, { absent: 'all' }),
  'requisite?': ofRequisite['requisite?'],
  currency: Type.String(),
  ...wanted,
  'minAmount?': amount,
  'maxAmount?': amount,
  purpose: RulePurpose,
  reason: Type.String(),
  addedBy: Person,
  addedAt: Time,
  'approvedBy?': presented(Person, {
    description: 'Absent: until another operator approves it, what it books counts as booked by whoever added it.',
    absent: 'nobody yet',
  }),
}

export const OutgoingRuleAnswer = Type.Titled('OutgoingRule', ruleFields)
export type OutgoingRuleAnswer = Static<typeof OutgoingRuleAnswer>

export const RuleOutcome = Type.OneOf(['books', 'same', 'other', 'waits'], {
  description:
    '`books`: this request books it, or would; `same`: it is booked to the purpose of the rule; `other`: to another one; `waits`: it is unexplained, and if that was asked for, it stays so, because another rule is for it, too, it may have been returned to a payer or be a duplicate, somebody says something else, or it is more than the operator may explain alone.',
  tones: { books: 'live', same: 'good', other: 'bad', waits: 'wait' },
})

export const TriedRule = Type.Titled('TriedOutgoingRule', {
  ...ruleFields,
  rows: Type.Rows('Those of the last 1000 outgoing transfers that it is for, the newest first.', {
    outcome: RuleOutcome,
    bookedAt: Time,
    amount,
    currency: Type.String(),
    state: OutgoingState,
    'purpose?': Type.OneOf(outgoingPurposes),
    'payeeName?': Type.String(),
    'text?': Type.String(),
    ...ofRequisite,
    id: idOf('outgoing'),
  }),
})
export type TriedRule = Static<typeof TriedRule>

export const SuggestedRule = Type.Titled('SuggestedOutgoingRule', {
  ...ofRequisite,
  currency: Type.String(),
  ...wanted,
  purpose: RulePurpose,
  reason: Type.String({ heading: 'Last reason' }),
  times: presented(Type.Whole('How often that was booked, of the last 1000 outgoing transfers.'), {
    heading: 'Booked',
  }),
  waiting: Type.Whole('How many of these are unexplained that it would be for.'),
  id: presented(idOf('outgoing'), { heading: 'Like' }),
})
export type SuggestedRule = Static<typeof SuggestedRule>

const dryRun = Type.Flag('Only answer what the rule would do with the last outgoing transfers; nothing changes.')

export const outgoingRules = {
  about: 'Rules that book outgoing transfers.',
  examples: [
    'payin outgoing-rules suggest      (what you book again and again)',
    'payin outgoing-rules like 019a9c3e-7d5e fee --reason "monthly fee" --dry-run',
    'payin outgoing-rules add fee --requisite "Main account" --text "service fee" --max-amount 500 --reason "bank fees"',
    'payin outgoing-rules approve "bank fees"',
    'payin outgoing-rules remove "bank fees"',
  ],
  operations: {
    list: operation('GET /outgoing-rules', 'read', {
      id: 'listOutgoingRules',
      summary: 'List rules for outgoing transfers',
      description: 'Those in force, the oldest first.',
      answer: { rules: Type.Array(OutgoingRuleAnswer) },
      exports: 'rules',
      command: {
        columns: [
          ...(['reason', 'purpose', 'text', 'payee', 'minAmount', 'maxAmount', 'currency', 'requisiteId'] as const),
          ...(['addedBy', 'approvedBy', 'id'] as const),
        ],
        empty: 'No rules yet. See what one could do: payin outgoing-rules suggest',
      },
    }),
    suggest: operation('GET /outgoing-rules/suggestions', 'read', {
      id: 'listSuggestedOutgoingRules',
      summary: 'List rules that would do what operators did at least twice',
      description:
        'Outgoing transfers of one requisite with the same text and payee that operators booked to the same purpose, and that no rule is for yet. `makeOutgoingRule` makes a rule of one.',
      answer: { suggestions: Type.Array(SuggestedRule) },
      exports: 'suggestions',
      command: {
        columns: ['id', 'purpose', 'text', 'payee', 'times', 'waiting', 'reason', 'requisiteId'],
        empty: 'Nothing was booked twice that no rule is for.',
        note: ({ suggestions: [first] }) =>
          first &&
          `Make a rule of one: payin outgoing-rules like ${first.id} ${first.purpose} --reason ${shellWord(first.reason)}`,
      },
    }),
    show: operation('GET /outgoing-rules/{id}', 'read', {
      id: 'getOutgoingRule',
      summary: 'Read a rule for outgoing transfers',
      description: 'With the last outgoing transfers that it is for.',
      answer: TriedRule,
    }),
    add: operation('POST /outgoing-rules', 'reconcile', {
      id: 'addOutgoingRule',
      summary: 'Add a rule that books outgoing transfers',
      description:
        'It books new ones, and those that wait unexplained, if no other rule is for them, they may not be duplicates, and nothing says that they were returned to a payer. Until another operator approves it, what it books counts as booked by you (see `bookOutgoing`); more waits. A rule never changes: add another one, and remove this.',
      body: {
        purpose: RulePurpose,
        reason: Reason,
        'requisiteId?': presented(idOf('requisite'), 'Only money from this one. Required without `currency`.'),
        'currency?': {
          ...Currency,
          description: 'All money in this currency. Required without `requisiteId`.',
        },
        'text?': Type.Printable(200, {
          description: 'Words that follow each other in the text of the transfer. Required without `payee`.',
        }),
        'payee?': Type.Printable(200, {
          description: "The payee's number, or words that follow each other in its name.",
        }),
        'minAmount?': { ...PositiveAmount, description: 'The smallest amount.' },
        'maxAmount?': { ...PositiveAmount, description: 'The largest amount.' },
        'dryRun?': dryRun,
      },
      answer: TriedRule,
      command: { arguments: ['purpose'] },
    }),
    like: operation('POST /outgoing-rules/like/{requisiteId}/{id}', 'reconcile', {
      id: 'makeOutgoingRule',
      summary: 'Make a rule for outgoing transfers like one',
      description: 'For those of its requisite with its text and its payee; otherwise it is like any other rule.',
      params: { id: idOf('outgoing') },
      body: { purpose: RulePurpose, reason: Reason, 'dryRun?': dryRun },
      answer: TriedRule,
      command: { arguments: ['purpose'] },
    }),
    approve: operation('POST /outgoing-rules/{id}/approve', 'reconcile', {
      id: 'approveOutgoingRule',
      summary: 'Approve a rule that another operator has added',
      description:
        'What it books then needs nobody else. Books what waits. Look at the rule before (`getOutgoingRule`).',
      answer: TriedRule,
      refusals: ['second_person_required'],
    }),
    remove: operation('POST /outgoing-rules/{id}/remove', 'reconcile', {
      id: 'removeOutgoingRule',
      summary: 'Remove a rule for outgoing transfers',
      description: 'What it has booked stays booked.',
      answer: OutgoingRuleAnswer,
    }),
  },
} satisfies Noun<unknown>
