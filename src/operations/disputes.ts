import { claimants, disputeReasons, disputeSorts, disputeStates } from '../rules/payments/dispute.ts'
import { receiptTypes } from '../rules/payments/receipt.ts'
import { ReceiptAnswer } from './claims.ts'
import { Amount, Id, PaymentStatus, PositiveAmount, Time, ofMerchant, Person } from './fields.ts'
import { filteredPageOf, FilterQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const EvidenceAnswer = Type.Titled('Evidence', {
  id: Id,
  contentType: Type.OneOf(receiptTypes, "Detected from the file's content."),
  size: Type.Whole('Bytes.'),
  by: Type.String({ examples: ['merchant'], kind: 'person' }),
  receivedAt: Time,
})

export const DisputeState = Type.OneOf(disputeStates, {
  examples: ['open'],
  description: '`open`: waits for a decision; `proposed`: waits for a second operator.',
  tones: { open: 'wait', proposed: 'live', accepted: 'good', rejected: 'over', withdrawn: 'over' },
})

const shared = {
  id: Id,
  paymentId: presented(Id, { heading: 'Payment id' }),
  orderId: Type.String({ examples: ['order-1001'] }),
  status: presented(PaymentStatus, { description: 'Status of the payment.', examples: ['disput'], heading: 'Payment' }),
  state: DisputeState,
  claimant: Type.OneOf(claimants),
  currency: Type.String({ examples: ['rub'] }),
  amount: Type.Number({ description: 'The amount claimed.', examples: [5000.37], heading: 'Claimed' }),
  paymentAmount: presented(Amount, { heading: 'Amount' }),
  reason: Type.String({ examples: [...disputeReasons], kind: 'word' }),
  'note?': Type.String({ examples: ['The payer sent a receipt.'] }),
  openedAt: Time,
  dueAt: { ...Time, description: 'Deadline of the decision.' },
  'finalAmount?': Type.Number({
    description: 'Present when it was accepted.',
    examples: [5000.37],
    heading: 'Credited',
  }),
  'decidedAt?': Time,
  'decisionNote?': presented(Type.Text('Why it was accepted or rejected.', 'The bank has confirmed it.'), {
    heading: 'Why so',
  }),
}

const DisputeAnswer = Type.Object(shared)

export const DisputeHistoryAnswer = Type.Titled('Dispute', {
  ...shared,
  evidence: Type.Array(EvidenceAnswer),
  history: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      kind: Type.String({ examples: ['opened'], description: 'What happened.' }),
      by: Type.String({ examples: ['merchant'], kind: 'person' }),
      'note?': Type.String({ examples: ['The payer sent a receipt.'] }),
      at: Time,
    }),
  ),
})

const PlannedTransfers = (description: string) => Type.Rows(description, { requisiteId: Id, id: Id })

const corrected = {
  'correction?': Type.Group('An amount that no money covers, proposed by one operator for a second one to confirm.', {
    amount: Type.Number(),
    'transfers?': PlannedTransfers('Transfers in the inbox that it assigns to the payment.'),
    'unassign?': PlannedTransfers('Transfers of the payment that it returns to the inbox.'),
    by: Person,
    at: Time,
    'confirmedBy?': { ...Person, examples: ['operator:boris'] },
    'confirmedAt?': Time,
  }),
}

const ListedDispute = Type.Titled('ListedDispute', { ...ofMerchant, ...DisputeAnswer.properties, ...corrected })
export type ListedDispute = Static<typeof ListedDispute>

export const OperatorDispute = Type.Titled('OperatorDispute', {
  ...ofMerchant,
  ...DisputeHistoryAnswer.properties,
  ...corrected,
  'decidedBy?': Type.String({ kind: 'person' }),
  receipts: Type.Array(ReceiptAnswer, { description: 'Files that the payer sent on its page.' }),
})
export type OperatorDispute = Static<typeof OperatorDispute>

const filters = {
  'cursor?': FilterQuery['cursor?'],
  'limit?': FilterQuery['limit?'],
  'state?': Type.OneOf([...disputeStates, 'undecided'], '`undecided` are those that are open or proposed.'),
  'merchantId?': FilterQuery['merchantId?'],
  'from?': presented(Time, 'Only those opened at this time or later.'),
  'to?': presented(Time, 'Only those opened before this time.'),
  'currency?': FilterQuery['currency?'],
  'amountFrom?': FilterQuery['amountFrom?'],
  'amountTo?': FilterQuery['amountTo?'],
  'sort?': Type.OneOf(
    disputeSorts,
    'Default: `newest` first; with `state=undecided` `due`, the nearest deadline first. `due` and `-due` need one of the states `undecided`, `open`, `proposed`; `amount` and `-amount`, the largest claims first, need `currency`.',
  ),
  'count?': FilterQuery['count?'],
}

export type DisputeFilters = Static<ReturnType<typeof Type.Object<typeof filters>>>

/** What a proposal still needs. */
const whatIsMissing = (dispute: OperatorDispute, { amount, person }: Forms): string | undefined => {
  const { correction, currency, finalAmount } = dispute
  if (correction === undefined || correction.confirmedBy !== undefined || finalAmount !== undefined) return undefined
  return `${person(correction.by)} proposes ${amount(correction.amount, currency)}: another operator must confirm it.`
}

export const disputes = {
  about: 'Claims about payments, and corrections of credited ones.',
  examples: [
    'payin disputes list --state undecided',
    'payin disputes list --state undecided --currency rub --sort -amount --count',
    'payin disputes accept order-42 --transfer 019a9c3e-7d5e --reason "found it" --preview',
    'payin disputes decide --file decisions.csv --reason "checked with the bank" --preview',
    'payin disputes confirm order-42 --amount 5000',
  ],
  operations: {
    list: operation('GET /disputes', 'read', {
      id: 'listDisputes',
      summary: 'List disputes',
      description: 'Newest first by default; with `state=undecided`, the nearest deadline first.',
      query: filters,
      answer: filteredPageOf('disputes', ListedDispute),
      exports: {
        columns:
          'id,merchantId,paymentId,orderId,state,claimant,reason,currency,amount,paymentAmount,status,openedAt,dueAt,decidedAt,finalAmount',
      },
      command: {
        columns: ['orderId', 'state', 'amount', 'dueAt', 'merchantId', 'claimant', 'reason', 'status', 'id'],
        empty: 'No such disputes. Open one about a closed or credited payment: payin disputes open <payment>',
      },
    }),
    show: operation('GET /disputes/{merchantId}/{id}', 'read', {
      id: 'readDispute',
      summary: 'Read a dispute with its files and history',
      description: 'The history has all messages and decisions.',
      answer: OperatorDispute,
      command: { note: whatIsMissing },
    }),
    open: operation('POST /payments/{merchantId}/{id}/disputes', 'support', {
      id: 'openDisputeAsOperator',
      summary: 'Open a dispute, or propose a correction',
      description:
        'A payment that is expired, canceled or failed becomes `disput`; one that is paid or disput-paid keeps its status until another operator confirms the correction.',
      body: {
        amount: { ...PositiveAmount, description: 'The claimed amount, or the amount to credit instead.' },
        'reason?': Type.OneOf(disputeReasons),
        note: Type.Printable(1000, 'Why.'),
      },
      status: 201,
      answer: OperatorDispute,
      refusals: ['dispute_exists', 'payment_not_found', 'resource_not_found'],
      command: {
        only: ['amount', 'note'],
        options: { note: '--reason' },
        note: whatIsMissing,
      },
    }),
  },
} satisfies Noun<unknown>
