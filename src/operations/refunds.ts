import { refundStatuses } from '../rules/transfers/refund.ts'
import { mostInFile, refundFileFormats } from '../rules/transfers/refund-file.ts'
import {
  Id,
  idOf,
  ofMerchant,
  OrderId,
  ofRequisite,
  Person,
  PositiveAmount,
  Reason,
  Reference,
  Time,
} from './fields.ts'
import { OwnerQuery, pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

export const RefundStatus = Type.OneOf(refundStatuses, {
  title: 'RefundStatus',
  description:
    '`requested`: waits for the operator; `approved`: is sent next; `sent`: the operator has sent it; `done`: the bank has reported it. `refused`, `canceled` and `failed` give the balance back.',
  examples: ['requested'],
  tones: {
    requested: 'wait',
    approved: 'live',
    sent: 'live',
    done: 'good',
    refused: 'over',
    canceled: 'over',
    failed: 'over',
  },
})

const Events = Type.Array(Type.Object({ sequence: Type.Integer(), status: RefundStatus, actor: Person, at: Time }))

const details = {
  id: Id,
  paymentId: presented(Id, { heading: 'Payment id' }),
  orderId: Type.String({ examples: ['order-1001'] }),
  reference: Type.Text("The merchant's own reference.", 'refund-7'),
  status: RefundStatus,
  currency: Type.String({ examples: ['rub'] }),
  amount: Type.Number({ description: 'What the payer gets, in the currency of the payment.', examples: [1500.5] }),
  balanceChange: Type.Object(
    {
      currency: Type.String({ examples: ['USDT'] }),
      amount: Type.Number({ description: "What it takes of the merchant's balance: at most 0.", examples: [-16.21] }),
      feeReturned: Type.Number({ description: 'What the fee pays of it (term `refundFee`).', examples: [0] }),
    },
    { heading: 'Balance' },
  ),
  'reason?': Type.Text('Why the merchant asked for it.', 'Returned goods'),
  'payTo?': Type.Text('Where the merchant asks to send it. Masked.', '•••• 4567'),
  'failure?': Type.Text('Why it was refused or failed.', 'The account of the payer is closed.'),
  createdAt: Time,
  changedAt: Time,
}

/** A refund as its merchant sees it. */
export const RefundDetails = Type.Titled('Refund', details)

export const RefundWithEvents = Type.Titled('RefundWithEvents', { ...details, events: Events })

export const RefundAnswer = Type.Titled('OperatorRefund', {
  ...ofMerchant,
  ...details,
  ...ofRequisite,
  requestedBy: Person,
  'proposedBy?': presented(Type.Text('Who approved it first; it waits for another operator.'), { kind: 'person' }),
  'approvedBy?': presented(Person, { examples: ['operator:boris'], absent: 'nobody yet' }),
  'failingBy?': presented(Type.Text('Who would fail it; it goes on until another operator fails it, too.'), {
    kind: 'person',
  }),
  'bankFile?': Type.Whole('The number of the file for the bank by which it was sent.', 17),
})
export type RefundAnswer = Static<typeof RefundAnswer>

const OperatorRefundWithEvents = Type.Titled('OperatorRefundWithEvents', {
  ...RefundAnswer.properties,
  events: Events,
})
export type OperatorRefundWithEvents = Static<typeof OperatorRefundWithEvents>

/** What a merchant sends to ask for a refund. */
export const RefundBody = {
  reference: Reference,
  'amount?': { ...PositiveAmount, description: 'Default: all that can still be refunded.', examples: [1500.5] },
  'reason?': Reason,
  'payTo?': Type.Printable(200, {
    description:
      'Where to send it, for the operator: a card, phone or account, and a name. Only if no bank has named the account that paid, to which it goes otherwise.',
    examples: ['40817810099910004312, BIC 044525974, Ivanov Ivan'],
  }),
}

const ending = { body: { reason: Reason }, answer: RefundAnswer } as const

const inFile = {
  ...ofMerchant,
  id: Id,
  reference: details.reference,
  orderId: details.orderId,
  currency: details.currency,
  amount: details.amount,
}

/** A file that sends many refunds, and what is not in it. */
export const RefundFile = Type.Titled('RefundFile', {
  'bankFile?': Type.Whole('The number of the file, for `again`. Absent: it would have no refunds.', 17),
  'fileName?': Type.String({ examples: ['refunds-17.txt'] }),
  'content?': Type.Text('The file, in base64.'),
  currency: details.currency,
  amount: Type.Number({ description: 'The sum of the refunds in the file.', examples: [4500.5] }),
  isMore: presented(
    Type.Flag(`Whether there are more than ${mostInFile} approved refunds: ask again for another file.`),
    {
      heading: 'More wait',
    },
  ),
  refunds: Type.Rows('The refunds in the file.', {
    ...inFile,
    paymentOrder: presented(Type.Whole('The number of the payment order.', 17), { heading: 'Number' }),
  }),
  leftOut: Type.Rows('Refunds that are not in it.', {
    ...inFile,
    why: Type.Text('Why.', 'Nobody knows the BIC of the bank.'),
  }),
})
export type RefundFile = Static<typeof RefundFile>

export const refunds = {
  about: 'What merchants give back to the payers of their payments.',
  examples: [
    'payin refunds list --status requested',
    'payin refunds approve refund-7 --merchant "Demo Shop"',
    'payin refunds send refund-7 --merchant "Demo Shop" --from 4821',
    'payin refunds bank-file --from 4821 --format 1c --reason "Refunds of today" --output refunds.txt',
  ],
  operations: {
    list: operation('GET /refunds', 'read', {
      id: 'listAllRefunds',
      summary: 'List refunds of all merchants of a mode, or of one merchant',
      description: 'Newest first.',
      query: {
        ...OwnerQuery,
        'orderId?': presented(OrderId, 'Only refunds of the payment of this order.'),
        'status?': presented(RefundStatus, 'Only refunds with this status.'),
        ...PageQuery,
      },
      answer: pageOf('refunds', RefundAnswer),
      exports: 'refunds',
      command: {
        columns: ['reference', 'status', 'amount', 'orderId', 'merchantId', 'changedAt', 'payTo', 'failure', 'id'],
        empty: 'No such refunds. Merchants ask for them in their portal, or by the API.',
      },
    }),
    get: operation('GET /refunds/{merchantId}/{id}', 'read', {
      id: 'readRefund',
      summary: 'Read a refund with its events',
      description: 'The events are its status changes, and who made them.',
      answer: OperatorRefundWithEvents,
    }),
    approve: operation('POST /refunds/{merchantId}/{id}/approve', 'account', {
      id: 'approveRefund',
      summary: 'Approve a refund',
      description:
        'It goes back to the account that paid. One to an account that the merchant names takes two operators beyond the bound of one (`PAYIN_SECOND_PERSON_ABOVE`, with those of the last 24 hours): the first approval is a proposal. Refused with `invalid_state` while only phones, or one person, have reported the money, or if nobody knows where to send it.',
      answer: RefundAnswer,
      refusals: ['second_person_required'],
    }),
    refuse: operation('POST /refunds/{merchantId}/{id}/refuse', 'account', {
      id: 'refuseRefund',
      summary: 'Refuse a refund',
      description: 'The merchant gets its balance back, and reads the reason.',
      ...ending,
    }),
    send: operation('POST /refunds/{merchantId}/{id}/send', 'account', {
      id: 'sendRefund',
      summary: 'Record that a refund was sent',
      description:
        'From which requisite you have sent it in the bank. It is `done` once the bank reports the money: outgoing money of its amount to the payer, or with its order or reference in the text, is booked to it.',
      body: {
        'requisiteId?': presented(idOf('requisite'), 'Which requisite has sent it. Default: where the money came in.'),
        'bookedAt?': presented(Time, 'When the bank booked it. Default: now.'),
      },
      answer: RefundAnswer,
      command: { options: { requisiteId: '--from', bookedAt: '--at' } },
    }),
    'bank-file': operation('POST /refunds/bank-file', 'account', {
      id: 'sendRefundsInFile',
      summary: 'Send approved refunds from a requisite, with a file for its bank',
      description: `Upload the file to the bank. It has the approved refunds in the currency and mode of the requisite, the oldest first, at most ${mostInFile}; each is recorded as sent, so that it is in one file only. \`leftOut\` are those that the file cannot have, with the reasons; they stay approved. The audit has each refund whose payer the file names. An operator may write 20 files in 15 minutes.`,
      body: {
        requisiteId: { ...idOf('requisite'), description: 'Which requisite sends them.' },
        format: Type.OneOf(
          refundFileFormats,
          '`1c`: payment orders in 1CClientBankExchange, for roubles. `pain.001`: version 001.001.09 of ISO 20022. `csv`: all that is known, for other forms of banks.',
        ),
        reason: Reason,
        'merchantId?': presented(idOf('merchant'), 'Only refunds of this merchant.'),
        'again?': Type.Bounded(
          1,
          2_147_483_647,
          'The number of a file that you have lost: nothing more is sent, and the file has those of its refunds that the bank has not reported, with the same numbers and payees.',
        ),
      },
      answer: RefundFile,
      refusals: ['rate_limited'],
      command: {
        options: { requisiteId: '--from' },
        patient: true,
        note: ({ bankFile, leftOut }) => {
          if (bankFile !== undefined && leftOut.length === 0) return undefined
          if (bankFile !== undefined) return `Not in the file, for the reasons above: ${leftOut.length}.`
          return leftOut.length === 0
            ? 'No file was written: no approved refund is in the currency and mode of this requisite.'
            : 'No file was written: it would have none of these refunds.'
        },
        fails: ({ bankFile }) => bankFile === undefined,
      },
    }),
    fail: operation('POST /refunds/{merchantId}/{id}/fail', 'account', {
      id: 'failRefund',
      summary: 'Give up a refund',
      description:
        'Because it cannot be sent, or has not reached the payer: the merchant gets its balance back, and reads the reason. Refused once its bank has reported it, or while an outgoing transfer that nobody has explained may have paid it; if the bank gives it back, it fails then. The money of one that was ever sent may be under way: where two people move money, more of it in 24 hours than one may decide alone (`PAYIN_SECOND_PERSON_ABOVE`) goes on, with `failingBy`, until another operator fails it, too.',
      ...ending,
      refusals: ['second_person_required'],
    }),
  },
} satisfies Noun<unknown>
