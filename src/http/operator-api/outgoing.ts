import { type Static, Type } from '../../operations/schema.ts'
import { operatorPurposes, outgoingPurposes, outgoingStates } from '../../rules/transfers/outgoing.ts'
import {
  getOutgoing,
  listDoubtfulOutgoingOf,
  type ListedOutgoing,
  listOutgoing,
} from '../../engine/transfers/outgoing/read.ts'
import type { Explainer } from '../../engine/transfers/outgoing/agree-on-purpose.ts'
import {
  bookOutgoing,
  confirmOutgoing,
  decideDuplicate,
  type ReturnedMoney,
  unbookOutgoing,
} from '../../engine/transfers/outgoing/decide-outgoing.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import type { Context } from '../../engine/context.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { findExplainBound } from '../../engine/members/refuse-one-person.ts'
import type { FastifyRequest } from 'fastify'
import { actOnBehalf, secondOf } from '../act-on-behalf.ts'
import { Id, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { routesForOperators } from '../routes.ts'
import { decisionsAbout } from './decisions-about.ts'
import { ofAnyMerchant, ofRequisite, OrderOf, Reason, RequisiteAndId } from '../../operations/operator-fields.ts'

const OutgoingAnswer = Type.Titled('OutgoingTransfer', {
  ...ofRequisite,
  id: Id,
  state: Type.OneOf(
    outgoingStates,
    '`unexplained`: nobody has said yet what it was for; `duplicate`: it is the money of another one and moves nothing; `withdrawn`: its statement was withdrawn.',
  ),
  amount: Type.Number(),
  currency: Type.String(),
  givenBack: Type.Flag('Whether this is money that came in, because the bank gave back an earlier outgoing transfer.'),
  bookedAt: Time,
  recordedAt: Time,
  source: Type.String(),
  bankReference: Type.Optional(Type.String()),
  payee: Type.Optional(Type.Text('Masked.')),
  payeeName: Type.Optional(Type.String()),
  text: Type.Optional(Type.Text('Long numbers in it are masked.')),
  purpose: Type.Optional(
    Type.OneOf(outgoingPurposes, 'While `unexplained`, what `proposedBy` says; absent if that is `same-money`.'),
  ),
  ...ofAnyMerchant(),
  paymentId: Type.Optional(Id),
  orderId: OrderOf,
  documentId: Type.Optional(
    Id,
    'What it was for: the decision of a refund, the reversal, or the settlement; or the transfer as which it came in on another requisite.',
  ),
  duplicateOf: Type.Optional(
    Id,
    'The outgoing transfer that an earlier file reported with another text. `unexplained`: it may be the same money; `duplicate`: somebody confirmed that it is.',
  ),
  reason: Type.Optional(Type.String()),
  proposedBy: Type.Optional(
    Type.Text(
      'Who proposes the `purpose`, or without one `same-money`: it is decided once another operator does the same.',
      'operator:anna',
    ),
  ),
  decidedBy: Type.Optional(
    Type.Text(
      '`service` if it was recorded before the bank reported it, with the operator who would unbook it; both operators if it took two.',
    ),
  ),
  decidedAt: Type.Optional(Time),
  proposals: Type.Rows('What it may have returned to a payer, the most likely first; confirm one of them.', {
    purpose: Type.OneOf(['refund', 'refund-reversal', 'reversal']),
    ...ofAnyMerchant(),
    paymentId: Type.Optional(Id),
    orderId: Type.Optional(Type.String()),
    transferId: Type.Optional(Id, 'The transfer that it took back.'),
    documentId: Type.Optional(
      Id,
      'The refund or reversal that was recorded before, or the outgoing transfer of the refund that came back.',
    ),
    reasons: Type.Array(Type.String()),
  }),
})

export type OutgoingAnswer = Static<typeof OutgoingAnswer>

type Explained = Pick<ListedOutgoing, 'purpose' | 'paymentId' | 'documentId'>

/** A confirmation that is proposed has no purpose yet, but what it would return. */
const proposedPurpose = ({ purpose, paymentId, documentId }: Explained): Explained['purpose'] => {
  if (purpose !== null || (paymentId === null && documentId === null)) return purpose
  return paymentId === null ? 'reversal' : 'refund'
}

const toAnswer = ({
  payeeMasked,
  payeeIndex: _index,
  detailsSealed: _sealed,
  decidedBy,
  ...row
}: ListedOutgoing): OutgoingAnswer =>
  wire.fields({
    ...row,
    ...(row.state === 'unexplained' && { proposedBy: decidedBy, purpose: proposedPurpose(row) }),
    ...(row.state !== 'unexplained' && { decidedBy }),
    amount: wire.amount(row.amount, row.currency),
    payee: payeeMasked === '' ? null : payeeMasked,
    proposals: row.proposals.map((each) => wire.fields({ ...each, reasons: [...each.reasons] })),
  })

type Key = Static<typeof RequisiteAndId>

/** Most outgoing transfers that one request decides about. */
const mostAtOnce = 1000
/** The keys of `mostAtOnce` take about 120 kB. */
const maxListBytes = 256 * 1024

const decide = decisionsAbout('outgoing', async (context, key) => toAnswer(await getOutgoing(context, key)))

/** The operator of a request, as somebody who says what outgoing money was for. */
export const explainerOf = (context: Context, request: FastifyRequest): Explainer => {
  const second = secondOf(context, request)
  return { ...second, findBound: findExplainBound(context, second.actor) }
}

/** Money that left the accounts of requisites. */
export const outgoingRoutes = routesForOperators()

outgoingRoutes.get('/outgoing', 'read', {
  id: 'listOutgoing',
  summary: 'List outgoing transfers',
  description: 'Newest first: money that left the accounts of requisites, as statements report it.',
  query: {
    ...PageQuery,
    state: Type.Optional(Type.OneOf(outgoingStates, 'Only those in this state.')),
    purpose: Type.Optional(Type.OneOf(outgoingPurposes, 'Only those booked to this purpose.')),
    requisiteId: Type.Optional(Id),
  },
  answer: pageOf('outgoing', OutgoingAnswer),
  exports: 'outgoing',
  handle: (context, { query: { state = null, purpose = null, requisiteId = null, ...query } }) =>
    readPage('outgoing', query, (span) => listOutgoing(context, { state, purpose, requisiteId, ...span }), toAnswer),
})

outgoingRoutes.get('/outgoing/:requisiteId/:id', 'read', {
  id: 'getOutgoing',
  summary: 'Read an outgoing transfer',
  description: 'Money that left the account of a requisite, with what it was for or may be for.',
  params: RequisiteAndId,
  answer: OutgoingAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => toAnswer(await getOutgoing(context, request.params)),
})

outgoingRoutes.post('/outgoing/:requisiteId/:id/book', 'reconcile', {
  id: 'bookOutgoing',
  summary: 'Book an outgoing transfer to what it was for',
  description:
    "`fee`: the bank's fee; `settlement`: paid out to merchants, or exchanged for a payout; `own-account`: it came in on another requisite, whose transfer is set aside; `other`: see the reason. What one operator books as `fee`, `settlement` or `other` within 24 hours is bounded where two people may decide (`PAYIN_SECOND_PERSON_ABOVE`): more stays `unexplained`, with `proposedBy`, until another operator books the same purpose and settlement.",
  params: RequisiteAndId,
  body: {
    purpose: Type.OneOf(operatorPurposes),
    reason: Reason,
    merchantId: Type.Optional(Id, 'Of `settlementId`.'),
    settlementId: Type.Optional(Id, 'The settlement that it paid; must be approved or paid.'),
    transferId: Type.Optional(
      Id,
      'The transfer as which it came in on another requisite. Default: the only possible one.',
    ),
  },
  answer: OutgoingAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) => {
    const { purpose, reason, merchantId = null, settlementId = null, transferId = null } = request.body
    const booking = { purpose, reason, merchantId, settlementId, transferId, by: explainerOf(context, request) }
    const details = ({ state, documentId }: Pick<ListedOutgoing, 'state' | 'documentId'>) => ({
      ...request.body,
      ...(state === 'booked' ? {} : { proposed: true }),
      ...(purpose === 'own-account' && { transferId: documentId }),
    })
    return decide(context, request, 'book', details, (tx, key) => bookOutgoing(tx, key, booking))
  },
})

/** The only proposal for an outgoing transfer. Refuses `invalid_state` if there is none, or more than one. */
const onlyProposal = async (context: Context, key: Key): Promise<ReturnedMoney> => {
  const [only, ...others] = (await getOutgoing(context, key)).proposals
  if (only && others.length === 0) {
    const { documentId, transferId, merchantId, paymentId } = only
    if (documentId !== null) return { documentId }
    if (transferId !== null) return { transferId }
    if (merchantId !== null && paymentId !== null) return { merchantId, paymentId }
  }
  const message = only ? 'There are several proposals: name one.' : 'There is no proposal: say what the money returned.'
  throw new Refusal('invalid_state', message)
}

const DuplicatesAnswer = Type.Object({ outgoing: Type.Array(OutgoingAnswer) })

/** Outgoing transfers that were decided about. */
export type DuplicatesAnswer = Static<typeof DuplicatesAnswer>

outgoingRoutes.post('/outgoing/decide', 'reconcile', {
  id: 'decideOutgoing',
  summary: 'Say whether outgoing transfers are the same money as others',
  description:
    'Decides about all of the named ones or none, or about all possible duplicates of a statement (at most 1000). `same-money` takes a possible duplicate out of the ledger by reversing entries; `other-money` keeps it, or brings it back. The bound of `bookOutgoing` holds for `same-money`, too: more stays `unexplained`, with `proposedBy`, until another operator decides the same. Sending it again changes nothing.',
  bodyLimit: maxListBytes,
  body: {
    decision: Type.OneOf(['same-money', 'other-money']),
    outgoing: Type.Optional(Type.Array(RequisiteAndId, { minItems: 1, maxItems: mostAtOnce })),
    statementId: Type.Optional(Id),
    reason: Reason,
  },
  answer: DuplicatesAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { decision, statementId, reason, outgoing } = request.body
    if ((outgoing === undefined) === (statementId === undefined))
      throw new Refusal('validation_failed', 'Give either outgoing or statementId.')
    const keys = outgoing ?? (await listDoubtfulOutgoingOf(context, statementId ?? '', mostAtOnce))
    const by = { ...explainerOf(context, request), reason }
    await actOnBehalf(
      context,
      request,
      async (tx) => {
        const proposed: string[] = []
        for (const key of keys) if (!(await decideDuplicate(tx, key, decision, by))) proposed.push(key.id)
        return proposed
      },
      {
        action: `outgoing.${decision}`,
        subject: statementId === undefined ? 'outgoing' : `statement:${statementId}`,
        details: (proposed) => ({
          ...{ reason, outgoing: keys.map(({ id }) => id) },
          ...(proposed.length > 0 && { proposed }),
        }),
      },
    )
    const decided: OutgoingAnswer[] = []
    for (const key of keys) decided.push(toAnswer(await getOutgoing(context, key)))
    return { outgoing: decided }
  },
})

outgoingRoutes.post('/outgoing/:requisiteId/:id/confirm', 'reconcile', {
  id: 'confirmOutgoing',
  summary: 'Confirm that outgoing money was returned to a payer',
  description:
    'Without further fields, confirms the only proposal. `paymentId`: a refund of what its payer is owed. `transferId`: the reversal of a transfer. `documentId`: a refund or reversal that was recorded before; for money that the bank gave back, the outgoing transfer of the refund, which is then owed to its payer again. If neither the payee nor the text that the bank reports agrees, the bound of `bookOutgoing` holds: more stays `unexplained`, with `proposedBy`, until another operator confirms the same. The money leaves the ledger once.',
  params: RequisiteAndId,
  body: {
    merchantId: Type.Optional(Id, 'Of `paymentId`.'),
    paymentId: Type.Optional(Id),
    transferId: Type.Optional(Id),
    documentId: Type.Optional(Id),
    reason: Type.Optional(Reason),
  },
  answer: OutgoingAnswer,
  refusals: [
    ...(['already_exists', 'balance_insufficient', 'invalid_state', 'payment_not_found'] as const),
    ...(['resource_not_found', 'second_person_required'] as const),
  ],
  handle: async (context, request) => {
    const { merchantId, paymentId, transferId, documentId, reason = 'returned to its payer' } = request.body
    const named = [
      ...(merchantId === undefined || paymentId === undefined ? [] : [{ merchantId, paymentId }]),
      ...(transferId === undefined ? [] : [{ transferId }]),
      ...(documentId === undefined ? [] : [{ documentId }]),
    ]
    if (named.length > 1 || (merchantId === undefined) !== (paymentId === undefined))
      throw refuseField('validation_failed', 'paymentId', 'is given with its merchantId, and nothing else is named.')
    const money = named[0] ?? (await onlyProposal(context, request.params))
    const by = { ...explainerOf(context, request), reason }
    const details = (isBooked: boolean) => ({ ...money, reason, ...(!isBooked && { proposed: true }) })
    return decide(context, request, 'confirm', details, async (tx, key) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return confirmOutgoing(tx, key, money, { ...by, needsSecond })
    })
  },
})

outgoingRoutes.post('/outgoing/:requisiteId/:id/unbook', 'reconcile', {
  id: 'unbookOutgoing',
  summary: 'Make a booked outgoing transfer unexplained again',
  description:
    'Posts reversing entries. A refund that it confirmed is owed again. A reversal of a transfer stays. Where two people may decide, what another operator has booked is unbooked by that one; what two have agreed on stays `booked`, with the other one as `decidedBy`, until both have unbooked it; and what the service has booked beyond the bound of `bookOutgoing`, with the operator in `decidedBy`, until another one unbooks it, too.',
  params: RequisiteAndId,
  body: { reason: Reason },
  answer: OutgoingAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) =>
    decide(
      context,
      request,
      'unbook',
      ({ state }: Pick<ListedOutgoing, 'state'>) => ({
        ...request.body,
        ...(state === 'booked' && { proposed: true }),
      }),
      (tx, key) => unbookOutgoing(tx, key, explainerOf(context, request)),
    ),
})
