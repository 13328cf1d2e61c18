import { type Criterion, type Verdict, verdicts } from '../rules/transfers/evidence.ts'
import { merchantModes } from '../rules/merchants/merchant.ts'
import { partKinds, unusualTransfers } from '../rules/transfers/transfer.ts'
import {
  bookedColumn,
  BookedOn,
  BankCode,
  Currency,
  Id,
  PositiveAmount,
  Time,
  idOf,
  ofAnyMerchant,
  ofMerchant,
  ofRequisite,
  OrderOf,
} from './fields.ts'
import { filteredPageOf, FilterQuery } from './lists.ts'
import { nameColumn } from './named.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, inColumns, presented, type Static, Type } from './schema.ts'

const SenderNumber = Type.String({
  pattern: '^\\+?[0-9][0-9 ()-]{3,39}$',
  description: "Sender's phone, card or account number.",
  examples: ['+79991234567'],
})

/** What is reported of the money of a transfer, and of its sender. */
export const reportedMoney = {
  amount: PositiveAmount,
  currency: Currency,
  bookedAt: { ...Time, description: 'When the bank booked it.' },
}
export const reportedSender = {
  'sender?': SenderNumber,
  'senderName?': Type.Printable(200, 'Name of the sender at the bank: evidence, never enough on its own.'),
  'senderBank?': presented(BankCode, "Code of the sender's bank."),
  'text?': Type.Printable(500, "The sender's text; an orderId in it is evidence for its payment."),
}

const NewTransfer = Type.TitledExact('NewTransfer', {
  requisiteId: idOf('requisite'),
  ...reportedMoney,
  'bankReference?': Type.Printable(
    140,
    "The bank's own identifier, by which a second report of the transfer is recognised.",
  ),
  ...reportedSender,
})
export type NewTransfer = Static<typeof NewTransfer>

const findingAbout = (what: string, verdict: Verdict, why: string) =>
  Type.Group(what, {
    verdict: Type.OneOf(verdicts, {
      description: '`unknown`: there is nothing to compare, or it says nothing.',
      examples: [verdict],
    }),
    why: Type.Text('Why, in words.', why),
  })

const Evidence = presented(
  Type.Titled('MatchEvidence', {
    amount: findingAbout('The amount; only an exact one proves.', 'unknown', '43.07 less than is missing'),
    number: findingAbout("The sender's phone, card or account number.", 'unknown', 'the bank reports no number'),
    name: findingAbout('Name of the sender.', 'contradicts', 'sent by another name than that of its payer'),
    order: findingAbout('The order that the text of the transfer names.', 'unknown', 'the text names no order'),
    bank: findingAbout('Bank of the sender.', 'supports', 'sent from the bank that its payer chose'),
    time: findingAbout('When the bank booked it.', 'supports', 'booked in its time to pay'),
  } satisfies Record<Criterion, unknown>),
  { kind: 'evidence' },
)

/** The currency is that of the transfer. */
type Differing = { readonly difference: number; readonly currency?: string }

const describeDifference = ({ difference, currency = '' }: Differing, { amount }: Forms): string => {
  if (difference === 0) return 'exact'
  return `${difference > 0 ? '+' : ''}${amount(difference, currency)}`
}

/** What people see of the payments that a transfer may be for. */
export const suggestionColumns = [
  ...(['orderId', 'amount'] as const),
  { heading: 'Difference', show: describeDifference, kind: 'number' },
  ...(['evidence', 'payer', 'createdAt', 'merchantId', 'paymentId'] as const),
] as const

const decision = {
  id: idOf('transfer'),
  ...ofRequisite,
  outcome: Type.Text('The result of matching, or of the last decision.', 'exact'),
  kind: Type.OneOf(partKinds, {
    description: 'Where the money went; `duplicate` is the money of the transfer `duplicateOf`.',
    heading: 'Went to',
  }),
  ...ofAnyMerchant(),
  'paymentId?': presented(Id, { shownAs: 'orderId' }),
  'orderId?': OrderOf,
  reasons: Type.Array(Type.String(), { heading: 'Reason' }),
  'duplicateOf?': presented(idOf('transfer'), {
    description: 'The transfer on the same requisite, reported before, that is or may be the same money.',
    heading: 'Earlier report',
  }),
  suggestions: inColumns(
    Type.Rows('Payments to choose from while it waits in the inbox, best first.', {
      ...ofMerchant,
      paymentId: Id,
      orderId: Type.String({ heading: 'May be for' }),
      amount: Type.Number({
        description: 'What the payment needs; for a credited one, its amount.',
        examples: [26_158.84],
      }),
      difference: Type.Number({
        description: 'How much more the transfer brings than that; negative: how much less.',
        examples: [-43.07],
      }),
      'payer?': Type.Text('Its payer, as far as known: initials, and the masked number.', 'И. И., •••• 4567'),
      createdAt: { ...Time, description: 'When the payment was created.' },
      evidence: { ...Evidence, description: 'What each criterion says for or against the payment.' },
      'split?': Type.Rows('Several payments of one payer that the money pays together: assign it in these shares.', {
        merchantId: Id,
        paymentId: Id,
        orderId: Type.String(),
        amount: Type.Number(),
      }),
    }),
    suggestionColumns,
  ),
}

const RecordedAnswer = Type.Titled('RecordedTransfer', {
  ...decision,
  alreadyKnown: Type.Flag('It was reported before; nothing changed.'),
})
export type RecordedAnswer = Static<typeof RecordedAnswer>

export const ListedTransfer = Type.Titled('Transfer', {
  ...decision,
  amount: Type.Number(),
  currency: Type.String(),
  bookedAt: Time,
  'bookedOn?': BookedOn,
  recordedAt: Time,
  'reportedBy?': presented(
    Type.Text(
      'The operator who reported it alone, called it separate money or returned it from the ignored money, beyond what one person may: another one decides about it.',
      'operator:anna',
    ),
    { kind: 'person', heading: 'Needs another person than' },
  ),
  'unproven?': presented(
    Type.Flag('Only messages on phones have reported its money so far: no statement, feed or person.'),
    {
      heading: 'Not proven yet',
    },
  ),
  source: Type.String(),
  'bankReference?': Type.String(),
  'sender?': Type.Text('Masked.', '•••• 4567'),
  'senderName?': Type.Text('Initials; for an organisation, the whole name.', 'И. И.'),
  'reversedAmount?': presented(Type.Number({ heading: 'Taken back' }), 'How much of it the bank has taken back.'),
  'reversedAt?': presented(Time, {
    description: 'When the bank booked taking back the last of it.',
    heading: 'Taken back at',
  }),
  'parked?': presented(
    Type.Group('It waits, and an operator has put it aside for later.', {
      at: Time,
      by: Type.String({ kind: 'person' }),
      'why?': Type.String(),
    }),
    { heading: 'Parked' },
  ),
  parts: Type.Rows('Where its money went; they add up to its amount.', {
    kind: decision.kind,
    amount: Type.Number(),
    'reversedAmount?': presented(
      Type.Number({ heading: 'Taken back' }),
      'How much of it the bank took back after it was credited or decided on.',
    ),
    ...ofAnyMerchant(),
    'paymentId?': decision['paymentId?'],
    'orderId?': OrderOf,
    outcome: decision.outcome,
    by: presented(Type.Text('Who decided.', 'service'), { kind: 'person' }),
    'at?': presented(Time, { description: 'When that was written.' }),
    'note?': Type.String(),
  }),
})
export type ListedTransfer = Static<typeof ListedTransfer>

export const TransferFilterQuery = {
  ...FilterQuery,
  'merchantId?': presented(
    idOf('merchant'),
    "Only those for the merchant's payments, or on one of its own requisites.",
  ),
  'mode?': Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.'),
  'sort?': Type.OneOf(['newest', 'oldest'], 'Default: `newest` first.'),
  'unmatched?': Type.OneOf(['true', 'false'], 'Only those waiting in the inbox.'),
  'unproven?': Type.OneOf(
    ['true', 'false'],
    'Only those that were credited although only messages on phones have reported their money so far.',
  ),
  'parked?': Type.OneOf(
    ['true', 'false'],
    '`true`: only those in the inbox that are parked; `false`: only those that are not.',
  ),
  'kind?': Type.OneOf(partKinds, 'Only those with money that went here.'),
  'sender?': presented(
    SenderNumber,
    "The whole number of the sender's phone, card or account. Only for roles that may reveal it.",
  ),
  'statementId?': presented(idOf('statement'), 'Only those that this statement reports.'),
  'unusual?': Type.OneOf(
    unusualTransfers,
    "`amount`: not the payment's; `late`; `paid-again`: for a paid payment; `disputed`: for one that is or was in dispute; `duplicate`: may be or is the money of another transfer.",
  ),
}

export type TransferFilterQuery = Static<ReturnType<typeof Type.Object<typeof TransferFilterQuery>>>

type Part = Pick<RecordedAnswer, 'kind' | 'paymentId' | 'orderId'>

/** Where the money is: the order that it paid, or why it paid none. */
export const destinationOf = ({ kind, paymentId, orderId }: Part): string => {
  const word = kind === 'suspense' ? 'inbox' : kind
  return paymentId === undefined ? word : `${kind === 'payment' ? '' : `${word} `}${orderId ?? paymentId}`
}

/** The same, with how much is where if it was split. */
const destinationsOf = ({ parts, currency, ...row }: ListedTransfer, { amount }: Forms): string =>
  parts.length < 2
    ? destinationOf(row)
    : parts.map((each) => `${destinationOf(each)} ${amount(each.amount, currency)}`).join('\n')

const withReason = (by: string, why: string | undefined): string => (why === undefined ? by : `${by}: ${why}`)

/** Who decided where the money went, or returned it to the inbox, and why, unless the service did. */
const deciderOf = ({ parts }: ListedTransfer, { person }: Forms): string | undefined => {
  const acts = parts.filter(({ by }) => by !== 'service').map(({ by, note }) => withReason(person(by), note))
  return [...new Set(acts)].join('\n') || undefined
}

export const transfers = {
  about: 'Money that banks report.',
  examples: [
    'payin transfers record --requisite "sberbank 4821" --amount 5000.37 --currency rub --reference A1',
    'payin transfers record --file transfers.csv',
    'payin transfers list --unmatched --from 24h --count',
    'payin transfers list --unproven      (credited on messages, and not on a statement yet)',
    'payin transfers list --unusual duplicate --requisite "sberbank 4821"',
    'payin transfers accept bank-77      (as it is suggested)',
    'payin transfers decide --file decisions.csv --preview',
    'payin transfers same-money --statement 019a9c3e-7d5e --reason "the evening file of the same account"',
    'payin transfers show 019a9c3e-7d5e',
    'payin transfers assign 019a9c3e-7d5e --to order-42      (all that waits of it)',
    'payin transfers assign 019a9c3e-7d5e --to order-42=1500.00 --to order-43=200',
  ],
  operations: {
    record: operation('POST /transfers', 'decide', {
      id: 'recordTransfers',
      summary: 'Record incoming transfers',
      description:
        'Records all transfers or none. Each is matched immediately, and payments are credited in the same transaction. A transfer that was reported before changes nothing. What an operator alone reports within 24 hours beyond a bound (`PAYIN_LONE_REPORTS_ABOVE`) waits in the inbox for another operator, or for the report of the bank. Refused with `503 overloaded` and `Retry-After` while a statement that reported one of them is being withdrawn.',
      bodyLimit: 1024 * 1024,
      body: { transfers: Type.Array(NewTransfer, { minItems: 1, maxItems: 1000 }) },
      answer: { transfers: Type.Array(RecordedAnswer) },
      command: {
        about:
          'Record one transfer with options, or those of a file, all or none. Each is matched to its payment immediately. Without --booked-at, the bank booked it now. With a reference, a transfer that is reported again counts once.',
        list: 'transfers',
        cells: { bankReference: 'reference' },
        options: { bankReference: '--reference' },
        columns: [
          'id',
          {
            heading: 'Outcome',
            show: ({ alreadyKnown, outcome }) => (alreadyKnown ? `${outcome} (already known)` : outcome),
          },
          { heading: 'Went to', show: destinationOf },
          'reasons',
        ],
      },
    }),
    list: operation('GET /transfers', 'read', {
      id: 'listTransfers',
      summary: 'List incoming transfers',
      description: 'Newest first by default; times are when they were recorded.',
      query: TransferFilterQuery,
      answer: filteredPageOf('transfers', ListedTransfer),
      exports: {
        columns:
          'id,requisiteId,currency,amount,reversedAmount,bookedAt,bookedOn,recordedAt,kind,outcome,merchantId,paymentId,duplicateOf,sender,senderName,bankReference,source,unproven',
      },
      command: {
        columns: [
          ...([nameColumn('Transfer'), 'amount'] as const),
          { heading: 'Went to', show: destinationsOf },
          bookedColumn,
          { heading: 'May be for', show: ({ suggestions: [best] }) => best?.orderId },
          {
            heading: 'Sender',
            show: ({ senderName, sender }) => [senderName, sender].filter(Boolean).join(' ') || undefined,
          },
          ...(['requisiteId', 'duplicateOf', 'outcome', 'bankReference'] as const),
          { heading: 'Decided by', show: deciderOf },
          {
            heading: 'Parked',
            show: ({ parked }, { person }) => parked && withReason(person(parked.by), parked.why),
          },
          'id',
        ],
        empty: 'No such transfers. Statements and feeds report them: payin statements import <file>',
      },
    }),
  },
} satisfies Noun<unknown>
