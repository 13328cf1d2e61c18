import { adjustmentStatuses } from '../rules/money/adjustment.ts'
import {
  Id,
  PositiveAmount,
  Time,
  accountNames,
  idOf,
  ofAnyMerchant,
  Person,
  QuoteCurrency,
  Reason,
  Reference,
} from './fields.ts'
import { ModeQuery, pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { presented, Type } from './schema.ts'

const account = (is: 'credited' | 'debited') =>
  Type.String({
    maxLength: 64,
    pattern: '^(fees|rounding|written-off|merchant:available|fx:[a-z]{3}|(bank|reversed|overpayment):[0-9a-f-]{36})$',
    description: `Account that is ${is}: \`bank:{requisite}\`, \`fx:{currency}\`, \`fees\`, \`rounding\`, \`written-off\`; with \`merchantId\` also \`merchant:available\`, \`reversed:{payment}\` (money that a bank took back) and, opposite \`written-off\`, \`overpayment:{payment}\` (owed to its payer).`,
    examples: ['fees'],
    kind: 'ledger-account',
  })

const AdjustmentAnswer = Type.Titled('Adjustment', {
  id: Id,
  book: presented(Id, { description: "The merchant's id, or the nil UUID for the service.", shownAs: 'merchantId' }),
  ...ofAnyMerchant('The merchant whose book it is; absent for the book of the service.', 'the service'),
  reference: Type.String(),
  status: Type.OneOf(adjustmentStatuses),
  debitAccount: Type.String({ heading: 'Debit' }),
  creditAccount: Type.String({ heading: 'Credit' }),
  ...accountNames,
  currency: Type.String(),
  amount: Type.Number(),
  reason: Type.String(),
  bookedAt: Time,
  draftedBy: Person,
  'decidedBy?': { ...Person, examples: ['operator:boris'] },
  createdAt: Time,
})

const decisionRefusals = ['balance_insufficient', 'second_person_required'] as const

export const adjustments = {
  about: 'Postings by hand: one operator drafts, another posts.',
  examples: [
    'payin adjustments draft --reference SALE-7 --debit fx:rub --credit "bank:Main account" --amount 300000 --currency rub --reason "Sold"',
    'payin adjustments post SALE-7',
  ],
  operations: {
    draft: operation('POST /ledger/adjustments', 'account', {
      id: 'createAdjustment',
      summary: 'Draft a posting that no payment or settlement explains',
      description:
        "Another operator must post it. It is for money that left or reached a bank account, a bank's charge, or a goodwill credit to a merchant.",
      body: {
        'merchantId?': presented(idOf('merchant'), 'Whose book it is in. Default: the book of the service.'),
        reference: Reference,
        debitAccount: account('debited'),
        creditAccount: account('credited'),
        currency: QuoteCurrency('Code, such as `rub` or `USDT`.'),
        amount: PositiveAmount,
        'bookedAt?': presented(Time, 'When the bank booked it; default: now.'),
        reason: Reason,
      },
      answer: AdjustmentAnswer,
      refusals: ['already_exists'],
      command: { options: { debitAccount: '--debit', creditAccount: '--credit' } },
    }),
    post: operation('POST /ledger/adjustments/{merchantId}/{id}/post', 'account', {
      id: 'postAdjustment',
      summary: 'Post an adjustment',
      description: 'By an operator other than its author.',
      answer: AdjustmentAnswer,
      refusals: decisionRefusals,
    }),
    reject: operation('POST /ledger/adjustments/{merchantId}/{id}/reject', 'account', {
      id: 'rejectAdjustment',
      summary: 'Reject an adjustment',
      description: 'Nothing is posted.',
      answer: AdjustmentAnswer,
      refusals: decisionRefusals,
    }),
    list: operation('GET /ledger/adjustments', 'read', {
      id: 'listAdjustments',
      summary: 'List adjustments of the books of a mode',
      description: 'Newest first.',
      query: {
        ...PageQuery,
        ...ModeQuery,
        'status?': Type.OneOf(adjustmentStatuses, 'Only those with this status.'),
      },
      answer: pageOf('adjustments', AdjustmentAnswer),
      command: {
        columns: ['reference', 'status', 'amount', 'debitAccount', 'creditAccount', 'book', 'draftedBy', 'id'],
        empty: 'No such adjustments. Draft one: payin adjustments draft --help',
      },
    }),
  },
} satisfies Noun<unknown>
