import { BankCode, Id, LedgerEffect, ofMerchant, PaymentStatus, PositiveAmount, Reason, Time } from './fields.ts'
import { operation } from './operation.ts'
import { inColumns, type Static, presented, Type } from './schema.ts'
import { ListedTransfer, suggestionColumns } from './transfers.ts'

/** Fields of responses about what a decision about a transfer would do; absent if it would be refused. */
export const decisionEffect = {
  'entries?': presented(LedgerEffect, 'The ledger entries that it would write, in order.'),
  'payments?': Type.Rows('Each payment that would get money.', {
    ...ofMerchant,
    paymentId: Id,
    orderId: Type.String(),
    before: { ...PaymentStatus, description: 'Its status now.', examples: ['expired'] },
    after: { ...PaymentStatus, description: 'Its status then.', examples: ['disput-paid'] },
    currency: Type.String(),
    'finalAmount?': Type.Number({ description: 'What it is credited with, if not its amount.', examples: [500] }),
  }),
  'revocable?': Type.Boolean({ description: 'Whether the decision could be revoked afterwards.', examples: [false] }),
  'whyIrrevocable?': Type.Text(
    'Why it could not be revoked.',
    'order-1001 is disput-paid with this money; open a correction instead.',
  ),
}

export const TransferDetails = Type.Titled('TransferDetails', {
  ...ListedTransfer.properties,
  suggestions: inColumns(
    Type.Rows(
      'Payments to choose from while it waits in the inbox, best first, each with what assigning it as suggested would do.',
      {
        ...ListedTransfer.properties.suggestions.items.properties,
        ...decisionEffect,
        'refused?': Type.Text('Reason it can no longer be assigned that way.'),
      },
    ),
    suggestionColumns,
  ),
  'senderName?': Type.Text('The whole name for roles that may reveal numbers; else initials.', 'ПЕТРОВ ИВАН ИВАНОВИЧ'),
  'text?': Type.Text("The sender's text; long numbers in it are masked."),
  'senderBank?': BankCode,
  'channel?': Type.Text('How it was first reported: a kind of file, a feed, or an operator.', 'camt.053'),
  statements: Type.Rows('The statement lines that report it.', {
    statementId: Id,
    fileName: Type.String(),
    line: Type.Integer(),
  }),
})
export type TransferDetails = Static<typeof TransferDetails>

const Share = Type.TitledExact('TransferShare', {
  merchantId: Id,
  paymentId: Id,
  'amount?': presented(PositiveAmount, 'Exact amount; one share may leave it out and gets whatever remains.'),
})

/** Schema of the shares of payments in a transfer. */
export const Shares = Type.Array(Share, { minItems: 1, maxItems: 50, of: 'payment' })

export const inbox = {
  show: operation('GET /transfers/{requisiteId}/{id}', 'read', {
    id: 'getTransfer',
    summary: 'Read a transfer with its parts, text and the statements that report it',
    description: 'Everything known about it.',
    answer: TransferDetails,
  }),
  assign: operation('POST /transfers/{requisiteId}/{id}/assign', 'decide', {
    id: 'assignTransfer',
    summary: 'Assign a transfer in the inbox to a payment, or split it over several',
    description:
      'Each payment is credited as if the bank had reported its share; the rest stays in the inbox. A payment that is already credited keeps its share as an overpayment.',
    body: {
      shares: Shares,
      'note?': Reason,
    },
    answer: ListedTransfer,
    refusals: ['payment_not_found', 'second_person_required', 'resource_not_found'],
    command: {
      about:
        'Assign a transfer in the inbox to a payment, or split it over several: --to order-42=1500 --to order-43; the rest keeps waiting.',
      options: { shares: '--to', note: '--reason' },
    },
  }),
  unassign: operation('POST /transfers/{requisiteId}/{id}/unassign', 'decide', {
    id: 'unassignTransfer',
    summary: 'Return a transfer to the inbox',
    description:
      'Posts reversing entries, whoever decided about the transfer. Refused for money that has been credited to a payment or is in dispute. Ignored money beyond what one operator may use again within 24 hours (`PAYIN_LONE_REPORTS_ABOVE`) then waits for another operator, who alone may assign it.',
    body: { reason: Reason },
    answer: ListedTransfer,
  }),
  ignore: operation('POST /transfers/{requisiteId}/{id}/ignore', 'decide', {
    id: 'ignoreTransfer',
    summary: 'Say that a transfer belongs to no payment',
    description:
      'Its money is set aside in the ledger; a possible duplicate is then the same money as another transfer (`duplicateOf`), and leaves the ledger.',
    body: {
      reason: Reason,
      'otherMoney?': Type.Flag('The possible duplicate is separate money after all, and is set aside.'),
    },
    answer: ListedTransfer,
  }),
  reverse: operation('POST /transfers/{requisiteId}/{id}/reverse', 'decide', {
    id: 'reverseTransfer',
    summary: 'Record that the bank took a transfer back',
    description:
      'Waiting money leaves suspense; a credit is reversed in the ledger, and its payment stays paid. Recording it again changes nothing, nor does a later report by the bank; but what the bank never reports is a difference of the reconciliation until another operator has recorded it, too.',
    body: {
      'bookedAt?': presented(Time, 'When the bank booked it; default: now.'),
      reason: Reason,
    },
    answer: ListedTransfer,
    refusals: ['amount_above_max', 'second_person_required'],
  }),
}
