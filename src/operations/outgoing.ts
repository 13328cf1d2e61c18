import { operatorPurposes, outgoingPurposes, outgoingStates } from '../rules/transfers/outgoing.ts'
import {
  BookedOn,
  bookedColumn,
  Id,
  Time,
  idOf,
  ofAnyMerchant,
  ofRequisite,
  OrderOf,
  Person,
  Reason,
  RequisiteAndId,
} from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { nameColumn } from './named.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

export const mostAtOnce = 1000
/** The keys of `mostAtOnce` take about 120 kB. */
const maxListBytes = 256 * 1024

const paymentId = presented(Id, { shownAs: 'orderId' })

export const OutgoingState = Type.OneOf(outgoingStates, {
  description:
    '`unexplained`: nobody has said yet what it was for; `duplicate`: it is the money of another one and moves nothing; `withdrawn`: its statement was withdrawn.',
  tones: { unexplained: 'wait', booked: 'good', duplicate: 'over', withdrawn: 'over' },
})

export const OutgoingAnswer = Type.Titled('OutgoingTransfer', {
  ...ofRequisite,
  id: idOf('outgoing'),
  state: OutgoingState,
  amount: Type.Number(),
  currency: Type.String(),
  givenBack: Type.Flag('Whether this is money that came in, because the bank gave back an earlier outgoing transfer.'),
  bookedAt: Time,
  'bookedOn?': BookedOn,
  recordedAt: Time,
  source: Type.String(),
  'bankReference?': Type.String(),
  'payee?': Type.Text('Masked.'),
  'payeeName?': Type.String(),
  'text?': Type.Text('Long numbers in it are masked.'),
  'purpose?': Type.OneOf(
    outgoingPurposes,
    'While `unexplained`, what `proposedBy` says; absent if that is `same-money`.',
  ),
  ...ofAnyMerchant(),
  'paymentId?': paymentId,
  'orderId?': OrderOf,
  'documentId?': presented(
    Id,
    'What it was for: the decision of a refund, the reversal, or the settlement; or the transfer as which it came in on another requisite. For `fee` and `other`, the rule that booked it.',
  ),
  'duplicateOf?': presented(idOf('outgoing'), {
    description:
      'The outgoing transfer that an earlier file reported with another text. `unexplained`: it may be the same money; `duplicate`: somebody confirmed that it is.',
    heading: 'Earlier report',
  }),
  'reason?': Type.String(),
  'proposedBy?': presented(Person, {
    description:
      'Who proposes the `purpose`, or without one `same-money`: it is decided once another operator does the same.',
    heading: 'Needs another person than',
  }),
  'decidedBy?': Type.Text(
    '`service` if it was recorded before the bank reported it, or was found to be a duplicate, with the operator who would unbook it, or says that it is other money; both operators if it took two.',
  ),
  'decidedAt?': Time,
  proposals: Type.Rows('What it may have returned to a payer, the most likely first; confirm one of them.', {
    purpose: Type.OneOf(['refund', 'refund-reversal', 'reversal'], { heading: 'Proposed' }),
    ...ofAnyMerchant(),
    'paymentId?': paymentId,
    'orderId?': Type.String(),
    'transferId?': presented(idOf('transfer'), 'The transfer that it took back.'),
    'documentId?': presented(
      Id,
      'The refund or reversal that was recorded before, or the outgoing transfer of the refund that came back.',
    ),
    reasons: Type.Array(Type.String(), { heading: 'Because' }),
  }),
})
export type OutgoingAnswer = Static<typeof OutgoingAnswer>

const DuplicatesAnswer = Type.Object({ outgoing: Type.Array(OutgoingAnswer) })

/** What the commands about possible duplicates share. */
const duplicates = {
  columns: [nameColumn('Outgoing'), bookedColumn, 'amount', 'state', 'duplicateOf'],
  empty: 'No possible duplicates wait.',
} as const

export const outgoing = {
  about: 'Money that left the accounts of requisites.',
  examples: [
    'payin outgoing list --state unexplained',
    'payin outgoing show 019a9c3e-7d5e',
    'payin outgoing book 019a9c3e-7d5e fee --reason "monthly fee"',
    'payin outgoing confirm 019a9c3e-7d5e --payment order-42',
    'payin outgoing same-money --statement evening.csv --reason "the day again, with other texts"',
  ],
  operations: {
    list: operation('GET /outgoing', 'read', {
      id: 'listOutgoing',
      summary: 'List outgoing transfers',
      description: 'Newest first: money that left the accounts of requisites, as statements report it.',
      query: {
        ...PageQuery,
        'state?': Type.OneOf(outgoingStates, 'Only those in this state.'),
        'purpose?': Type.OneOf(outgoingPurposes, 'Only those booked to this purpose.'),
        'requisiteId?': presented(idOf('requisite'), 'Only from this one.'),
      },
      answer: pageOf('outgoing', OutgoingAnswer),
      command: {
        columns: [
          nameColumn('Outgoing'),
          'amount',
          {
            heading: 'State',
            show: ({ state, purpose, givenBack, duplicateOf }) =>
              [
                state === 'booked' ? (purpose ?? state) : state,
                ...(givenBack ? ['given back'] : []),
                ...(state === 'unexplained' && duplicateOf !== undefined ? ['possible duplicate'] : []),
              ].join(', '),
          },
          bookedColumn,
          {
            heading: 'Proposed',
            show: ({ proposals: [first], proposedBy, purpose = 'same money' }, { person }) =>
              proposedBy === undefined
                ? first && `${first.purpose} ${first.orderId ?? ''}`.trim()
                : `${purpose} by ${person(proposedBy)}`,
          },
          { heading: 'Payee', show: ({ payee, payeeName }) => payeeName ?? payee },
          ...(['requisiteId', 'text', 'bankReference', 'id'] as const),
        ],
        empty: 'No such outgoing transfers. Statements and feeds report them: payin statements import <file>',
      },
    }),
    show: operation('GET /outgoing/{requisiteId}/{id}', 'read', {
      id: 'getOutgoing',
      summary: 'Read an outgoing transfer',
      description: 'Money that left the account of a requisite, with what it was for or may be for.',
      answer: OutgoingAnswer,
    }),
    book: operation('POST /outgoing/{requisiteId}/{id}/book', 'reconcile', {
      id: 'bookOutgoing',
      summary: 'Book an outgoing transfer to what it was for',
      description:
        "`fee`: the bank's fee; `settlement`: paid out to merchants, or exchanged for a payout; `own-account`: it came in on another requisite, whose transfer is set aside; `other`: see the reason. What one operator books as `fee`, `settlement` or `other` within 24 hours is bounded where two people may decide (`PAYIN_SECOND_PERSON_ABOVE`): more stays `unexplained`, with `proposedBy`, until another operator books the same purpose and settlement.",
      body: {
        purpose: Type.OneOf(operatorPurposes, 'What it was for.'),
        reason: Reason,
        'merchantId?': presented(Id, 'Of `settlementId`.'),
        'settlementId?': presented(idOf('settlement'), {
          description: 'The settlement that it paid; must be approved or paid.',
          owner: 'merchantId',
        }),
        'transferId?': presented(
          idOf('transfer'),
          'The transfer as which it came in on another requisite. Default: the only possible one.',
        ),
      },
      answer: OutgoingAnswer,
      refusals: ['second_person_required'],
      command: { arguments: ['purpose'] },
    }),
    decide: operation('POST /outgoing/decide', 'reconcile', {
      id: 'decideOutgoing',
      summary: 'Say whether outgoing transfers are the same money as others',
      description:
        'Decides about all of the named ones or none, or about all possible duplicates of a statement (at most 1000). `same-money` takes a possible duplicate out of the ledger by reversing entries; `other-money` keeps it, or brings it back; what the service or two operators decided to be the same money takes two. The bound of `bookOutgoing` holds for `same-money`, too: more stays `unexplained`, with `proposedBy`, until another operator decides the same. Sending it again changes nothing.',
      bodyLimit: maxListBytes,
      body: {
        decision: Type.OneOf(['same-money', 'other-money']),
        'outgoing?': presented(
          Type.Array(RequisiteAndId, { minItems: 1, maxItems: mostAtOnce, of: 'outgoing' }),
          'Those to decide about.',
        ),
        'statementId?': presented(
          idOf('statement'),
          'Instead of `outgoing`: all possible duplicates of this statement.',
        ),
        reason: Reason,
      },
      answer: DuplicatesAnswer,
      refusals: ['invalid_state', 'second_person_required'],
      commands: {
        'same-money': {
          ...duplicates,
          about:
            'Say that possible duplicates are the same money: all of a statement, or those named; they leave the ledger.',
          fixed: { decision: 'same-money' },
        },
        'other-money': {
          ...duplicates,
          about: 'Say that possible duplicates, or those said to be the same money, are other money.',
          fixed: { decision: 'other-money' },
        },
      },
    }),
    confirm: operation('POST /outgoing/{requisiteId}/{id}/confirm', 'reconcile', {
      id: 'confirmOutgoing',
      summary: 'Confirm that outgoing money was returned to a payer',
      description:
        'Default: what the only proposal says. `paymentId`: a refund of what its payer is owed. `transferId`: the reversal of a transfer. `documentId`: a refund or reversal that was recorded before; for money that the bank gave back, the outgoing transfer of the refund, which is then owed to its payer again. If neither the payee proves it nor a name in the text that somebody else set before the money left, the bound of `bookOutgoing` holds: more stays `unexplained`, with `proposedBy`, until another operator confirms the same. The money leaves the ledger once.',
      body: {
        'merchantId?': presented(Id, 'Of `paymentId`.'),
        'paymentId?': presented(idOf('payment'), {
          description: 'It refunded what the payer of this payment is owed.',
          owner: 'merchantId',
        }),
        'transferId?': presented(idOf('transfer'), 'It took back this transfer.'),
        'documentId?': presented(Id, 'It is this refund or reversal, which was recorded before.'),
        'reason?': Reason,
      },
      answer: OutgoingAnswer,
      refusals: [
        'already_exists',
        'balance_insufficient',
        'payment_not_found',
        'second_person_required',
        'resource_not_found',
      ],
    }),
    unbook: operation('POST /outgoing/{requisiteId}/{id}/unbook', 'reconcile', {
      id: 'unbookOutgoing',
      summary: 'Make a booked outgoing transfer unexplained again',
      description:
        'Posts reversing entries. A refund that it confirmed is owed again. A reversal of a transfer stays. Where two people may decide, what another operator has booked is unbooked by that one; what two have agreed on stays `booked`, with the other one as `decidedBy`, until both have unbooked it; and what the service has booked, with the operator in `decidedBy`, until another one unbooks it, too.',
      body: { reason: Reason },
      answer: OutgoingAnswer,
      refusals: ['second_person_required'],
    }),
  },
} satisfies Noun<unknown>
