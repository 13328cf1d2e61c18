import { disputeStates } from '../rules/payments/dispute.ts'
import { paymentTypes, unusualPayments } from '../rules/payments/payment.ts'
import { partKinds } from '../rules/transfers/transfer.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { ReceiptAnswer } from './claims.ts'
import { DeliveryAnswer } from './deliveries.ts'
import {
  Amount,
  Id,
  PaymentStatus,
  Time,
  UserId,
  accountNames,
  idOf,
  NoteBody,
  Notes,
  ofMerchant,
  ofRequisite,
} from './fields.ts'
import { filteredPageOf, FilterQuery } from './lists.ts'
import { MetadataAnswer } from './metadata.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, inColumns, presented, type Static, Type } from './schema.ts'

/** A payment with everything that its merchant and operators may know about it. */
export const PaymentDetails = Type.Titled('Payment', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: { ...PaymentStatus, examples: ['paid'] },
  statusReason: Type.String({ examples: ['exact'], heading: 'Reason' }),
  type: Type.OneOf(paymentTypes),
  method: Type.OneOf(paymentMethods),
  currency: Type.String({ examples: ['rub'] }),
  amount: Amount,
  receivedAmount: presented(Amount, { heading: 'Received' }),
  'finalAmount?': Amount,
  userId: Type.String({ examples: ['user-17'] }),
  'metadata?': MetadataAnswer,
  'linkId?': presented(Id, 'The payment link from which its payer started it.'),
  sourcePan: Type.String({ examples: [''], heading: 'Payer' }),
  createdAt: Time,
  expiredAt: presented(Time, { heading: 'Expires' }),
  changedAt: Time,
  'acknowledgedAt?': Time,
})

export const RateOfPayment = Type.Group('The rate locked at creation.', {
  price: Type.Number({ examples: [92.5] }),
  createdAt: Time,
  'laterPrice?': presented(
    Type.Number({ examples: [93.1] }),
    'The worse price of what exceeds the amount or came late.',
  ),
})

/** Filters of payments only, in addition to those that they share with transfers. */
export const PaymentConditions = {
  'status?': presented(PaymentStatus, 'Only payments in this status.'),
  'acknowledged?': Type.OneOf(
    ['true', 'false'],
    'Only paid and disput-paid payments that are, or are not, acknowledged.',
  ),
  'userId?': UserId,
  'payerDigits?': Type.Pattern('must be four digits.', {
    pattern: '^[0-9]{4}$',
    description: "The last four digits of the payer's number.",
    examples: ['4567'],
  }),
  'linkId?': presented(idOf('link'), 'Only those started from this payment link.'),
  'unusual?': Type.OneOf(
    unusualPayments,
    '`amount`: another amount arrived; `late`: the money arrived late; `disputed`: it is or was in dispute.',
  ),
}

export const OperatorPayment = Type.Titled('OperatorPayment', {
  ...ofMerchant,
  ...PaymentDetails.properties,
  ...ofRequisite,
  'bankIssuer?': Type.Text('The bank that the merchant asked for.'),
  rate: RateOfPayment,
  total: Type.Group('Before the fee.', { currency: Type.String({ examples: ['USDT'] }), amount: Type.Number() }),
  'claimedAt?': presented(Time, 'When the payer said "I have paid".'),
  'claimReceivedAt?': presented(Time, 'When the payer claimed to have paid a closed payment.'),
})
export type OperatorPayment = Static<typeof OperatorPayment>

const Timeline = Type.Titled('OperatorPaymentTimeline', {
  ...OperatorPayment.properties,
  receipts: Type.Array(ReceiptAnswer, { description: 'Files that the payer sent.' }),
  events: inColumns(
    Type.Array(
      Type.Object({
        sequence: Type.Integer({ heading: '#' }),
        status: PaymentStatus,
        statusReason: Type.String({ heading: 'Reason' }),
        trigger: Type.String({ examples: ['money-right'] }),
        actor: Type.String({ examples: ['bank'], heading: 'By' }),
        at: Time,
      }),
    ),
    ['at', 'sequence', 'status', 'statusReason', 'actor'],
  ),
  entries: inColumns(
    Type.Rows('Ledger entries, in posting order.', {
      id: Id,
      kind: Type.String({ examples: ['credit'] }),
      debit: Type.String({ examples: ['bank:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] }),
      credit: Type.String({ examples: ['fx:rub'] }),
      currency: Type.String(),
      amount: Type.Number(),
      ...accountNames,
      'transferId?': Id,
      postedAt: Time,
    }),
    ['postedAt', 'kind', 'amount', 'debit', 'credit'],
  ),
  transfers: inColumns(
    Type.Rows('The transfers that paid it, and how much of each.', {
      ...ofRequisite,
      id: idOf('transfer'),
      kind: Type.OneOf(partKinds),
      amount: Type.Number(),
      outcome: Type.String({ examples: ['exact'] }),
      by: Type.Text('Who decided.', 'service'),
      'note?': Type.Text('Why, in the words of whoever decided.'),
      bookedAt: Time,
      'sender?': Type.Text('Masked.'),
      'bankReference?': Type.String(),
    }),
    ['bookedAt', 'amount', 'kind', 'outcome', 'by', 'note', 'sender', 'bankReference', 'id'],
  ),
  disputes: inColumns(
    Type.Rows('Newest first.', {
      id: Id,
      state: Type.OneOf(disputeStates),
      reason: Type.String(),
      amount: Type.Number({ heading: 'Claimed' }),
      openedAt: Time,
    }),
    ['openedAt', 'amount', 'state', 'reason', 'id'],
  ),
  deliveries: inColumns(
    Type.Rows('The newest 50 deliveries about it, newest first.', { endpointId: Id, ...DeliveryAnswer.properties }),
    ['queuedAt', 'type', 'status', 'attempts', 'endpointId', 'eventId'],
  ),
  notes: Notes,
})
export type Timeline = Static<typeof Timeline>

/** Money received for a payment that banks took back or that was returned to its payer. */
const describeReturned = ({ entries, currency }: Timeline, { amount }: Forms): string | undefined => {
  const returned = entries.filter((entry) => entry.kind === 'return' && entry.credit.startsWith('bank:'))
  if (returned.length === 0) return undefined
  const sum = returned.reduce((total, entry) => total + entry.amount, 0)
  return `${amount(sum, currency)} of it was taken back by the bank, or returned to the payer.`
}

const PaymentFilterQuery = { ...FilterQuery, ...PaymentConditions }

export const payments = {
  about: "Payments of all merchants; with a merchant token, that merchant's own.",
  examples: [
    'payin payments create 1500.01 rub --order order-42',
    'payin payments wait order-42 --timeout 60s && payin payments ack order-42',
    'payin payments list --merchant "Demo Shop" --status new',
    'payin payments list --from 24h --bank sberbank --amount-from 10000 --currency rub --count',
    'payin payments list --status paid --from 31d --csv > payments.csv',
    'payin payments list --unusual late',
    'payin payments show order-42',
    'payin payments show 019a9c3e-7d5e',
    'payin payments note order-42 "the payer sends the rest tomorrow"',
    'payin payments cancel order-42 --merchant "Demo Shop"',
  ],
  operations: {
    list: operation('GET /payments', 'read', {
      id: 'listAllPayments',
      summary: 'List payments of all merchants or of one',
      description: 'Newest first by default; times are creation times.',
      query: PaymentFilterQuery,
      answer: filteredPageOf('payments', OperatorPayment),
      exports: {
        columns:
          'id,merchantId,orderId,status,statusReason,method,requisiteId,currency,amount,receivedAmount,finalAmount,total.amount,userId,sourcePan,createdAt,expiredAt,changedAt,acknowledgedAt,total.currency',
      },
      command: {
        options: { payerDigits: '--payer' },
        columns: [
          ...(['orderId', 'status', 'amount', 'createdAt', 'merchantId'] as const),
          ...(['statusReason', 'requisiteId', 'method', 'id'] as const),
        ],
        empty:
          'No such payments. Merchants create them with a token: payin tokens issue <merchant> --name "shop server"',
      },
    }),
    show: operation('GET /payments/{merchantId}/{id}', 'read', {
      id: 'getPaymentTimeline',
      summary: 'Read a payment with its events, ledger entries, transfers, disputes, deliveries and notes',
      description: 'Everything known about it, in the order in which it happened.',
      answer: Timeline,
      refusals: ['payment_not_found'],
      command: { note: describeReturned },
    }),
    cancel: operation('POST /payments/{merchantId}/{id}/cancel', 'support', {
      id: 'cancelPaymentAsOperator',
      summary: 'Cancel a payment for which no money has arrived',
      description: 'Refused with `invalid_state` once money has arrived or the payment is closed.',
      answer: OperatorPayment,
      refusals: ['payment_not_found'],
      command: { says: ({ orderId, status }) => `${orderId} is ${status}.` },
    }),
    note: operation('POST /payments/{merchantId}/{id}/notes', 'support', {
      id: 'addPaymentNote',
      summary: 'Write a note about a payment',
      description: 'Only operators see notes. Notes cannot be deleted.',
      body: NoteBody,
      answer: { notes: Notes },
      refusals: ['payment_not_found'],
      command: { arguments: ['text'] },
    }),
  },
} satisfies Noun<unknown>
