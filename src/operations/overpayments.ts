import { overpaymentDecisions } from '../rules/transfers/overpayment.ts'
import {
  Id,
  PositiveAmount,
  Time,
  idOf,
  LedgerPreview,
  ofMerchant,
  OrderOf,
  Person,
  Reason,
  Reference,
} from './fields.ts'
import { OwnerQuery, pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const amount = Type.Number()

const Decision = Type.OneOf(
  overpaymentDecisions,
  "`assign`: credit the merchant at the payment's rate and fee; `refund`: a requisite has paid it back; `write-off`: the operator keeps it (large sums are adjustments).",
)

const OverpaymentDecisionAnswer = Type.Object({
  id: Id,
  ...ofMerchant,
  paymentId: presented(Id, { shownAs: 'orderId' }),
  'orderId?': OrderOf,
  reference: Type.String(),
  decision: Decision,
  currency: Type.String(),
  amount,
  reason: Type.String(),
  decidedBy: Person,
  decidedAt: Time,
})

/** What is known about the last money that is owed; absent if it is owed because of a correction or a refund. */
const lastMoney = {
  'senderName?': Type.Text('Who sent it last: initials; for an organisation, the whole name.', 'И. И.'),
  'sender?': Type.Text('Masked.', '•••• 4567'),
  'bookedAt?': presented(Time, 'When the bank booked it.'),
  'outcome?': Type.String({ examples: ['paid-again'], kind: 'word', heading: 'Reason' }),
}

const Overpayment = Type.Titled('Overpayment', {
  ...ofMerchant,
  paymentId: Id,
  orderId: Type.String(),
  currency: Type.String(),
  amount,
  ...lastMoney,
})
export type Overpayment = Static<typeof Overpayment>

const DecisionBody = Type.TitledExact('OverpaymentDecision', {
  reference: Reference,
  decision: Decision,
  'amount?': presented(PositiveAmount, 'Default: everything that is owed.'),
  'requisiteId?': presented(idOf('requisite'), 'For a refund: the requisite that sent it.'),
  'bookedAt?': presented(Time, 'For a refund: when the bank booked it. Default: now.'),
  reason: Reason,
})
export type DecisionBody = Static<typeof DecisionBody>

const decisionRefusals = [
  ...(['already_exists', 'balance_insufficient', 'payment_not_found', 'second_person_required'] as const),
]

export const overpayments = {
  about: 'Money beyond what a payment may credit, owed to its payer.',
  examples: [
    'payin overpayments list --merchant "Demo Shop"',
    'payin overpayments decide order-42 assign --reference O-1 --reason "Agreed"',
  ],
  operations: {
    list: operation('GET /overpayments', 'read', {
      id: 'listOverpayments',
      summary: 'List payments whose payers are owed money',
      description: 'Newest first.',
      query: { ...PageQuery, ...OwnerQuery },
      answer: pageOf('overpayments', Overpayment),
      command: {
        columns: ['orderId', 'amount', 'senderName', 'sender', 'bookedAt', 'outcome', 'merchantId', 'paymentId'],
        empty: 'Nobody is owed anything. Everything that waits: payin today',
      },
    }),
    decide: operation('POST /overpayments/{merchantId}/{id}/decisions', 'account', {
      id: 'decideOverpayment',
      summary: 'Decide about an overpayment of a payment',
      description:
        'Credits it to the merchant, records that it was paid back, or keeps it. What an operator writes off within 24 hours is bounded (`PAYIN_SECOND_PERSON_ABOVE`); more is an adjustment, which another operator posts.',
      body: DecisionBody,
      answer: OverpaymentDecisionAnswer,
      refusals: decisionRefusals,
      command: { arguments: ['decision'] },
    }),
    preview: operation('POST /overpayments/{merchantId}/{id}/preview', 'read', {
      id: 'previewOverpaymentDecision',
      summary: 'Show what a decision about an overpayment would write',
      description: 'Makes the decision and rolls it back: nothing changes.',
      body: DecisionBody,
      answer: LedgerPreview,
      refusals: decisionRefusals,
    }),
  },
} satisfies Noun<unknown>
