import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { namedPurposes, outgoingPurposes, outgoingStates } from '../../domain/outgoing.ts'
import { getOutgoing, type ListedOutgoing, listOutgoing } from '../../transfers/outgoing/read.ts'
import { bookOutgoing } from '../../transfers/outgoing/book-outgoing.ts'
import { unbookOutgoing } from '../../transfers/outgoing/unbook-outgoing.ts'
import type { Context, Tx } from '../../context.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Id, OneOf, Time, wireAmount, wireTime, withoutNulls } from '../fields.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { routesForOperators } from '../routes.ts'
import { Reason, RequisiteAndId } from './operator-fields.ts'

const OutgoingAnswer = Type.Object({
  requisiteId: Id,
  id: Id,
  state: OneOf(outgoingStates, {
    description:
      '`unexplained` waits for somebody to say what it was for; `withdrawn` went with the statement that brought it.',
  }),
  amount: Type.Number(),
  currency: Type.String(),
  givenBack: Type.Boolean({ description: 'Whether the bank gave an earlier one back: then the money came in.' }),
  bookedAt: Time,
  recordedAt: Time,
  source: Type.String(),
  bankReference: Type.Optional(Type.String()),
  payee: Type.Optional(Type.String({ description: 'Masked.' })),
  payeeName: Type.Optional(Type.String()),
  text: Type.Optional(Type.String({ description: 'Long numbers in it are masked.' })),
  purpose: Type.Optional(OneOf(outgoingPurposes)),
  merchantId: Type.Optional(Id),
  paymentId: Type.Optional(Id),
  documentId: Type.Optional({
    ...Id,
    description:
      'What it carries out: the decision of a refund, the reversal, the settlement; or the transfer as which it came in.',
  }),
  reason: Type.Optional(Type.String()),
  decidedBy: Type.Optional(
    Type.String({ description: '`service` where it was recorded before the bank reported it.' }),
  ),
  decidedAt: Type.Optional(Time),
})

/** Money that left an account. */
export type OutgoingAnswer = Static<typeof OutgoingAnswer>

const toAnswer = (row: ListedOutgoing): OutgoingAnswer =>
  withoutNulls({
    requisiteId: row.requisiteId,
    id: row.id,
    state: row.state,
    amount: wireAmount(row.amount, row.currency),
    currency: row.currency,
    givenBack: row.givenBack,
    bookedAt: wireTime(row.bookedAt),
    recordedAt: wireTime(row.recordedAt),
    source: row.source,
    bankReference: row.bankReference,
    payee: row.payeeMasked === '' ? null : row.payeeMasked,
    payeeName: row.payeeName,
    text: row.text,
    purpose: row.purpose,
    merchantId: row.merchantId,
    paymentId: row.paymentId,
    documentId: row.documentId,
    reason: row.reason,
    decidedBy: row.decidedBy,
    decidedAt: wireTime(row.decidedAt),
  })

type Key = Static<typeof RequisiteAndId>

/** Runs a decision about an outgoing transfer with its audit entry, and answers the transfer. */
const decide = async (
  context: Context,
  request: FastifyRequest<{ Params: Key }>,
  verb: string,
  details: object,
  work: (tx: Tx, key: Key) => Promise<unknown>,
): Promise<OutgoingAnswer> => {
  const key = request.params
  await actOnBehalf(context, request, (tx) => work(tx, key), {
    action: `outgoing.${verb}`,
    subject: `outgoing:${key.requisiteId}/${key.id}`,
    details: { ...details },
  })
  return toAnswer(await getOutgoing(context, key))
}

/** Money that left the accounts of requisites. */
export const outgoingRoutes = routesForOperators()

outgoingRoutes.get('/outgoing', {
  id: 'listOutgoing',
  summary: 'List outgoing transfers',
  description: 'Newest first: money that left the accounts of requisites, as statements report it.',
  query: {
    ...PageQuery,
    state: Type.Optional(OneOf(outgoingStates)),
    purpose: Type.Optional(OneOf(outgoingPurposes)),
    requisiteId: Type.Optional(Id),
  },
  answer: pageOf('outgoing', OutgoingAnswer),
  handle: (context, { query: { state = null, purpose = null, requisiteId = null, ...query } }) =>
    readPage('outgoing', query, (span) => listOutgoing(context, { state, purpose, requisiteId, ...span }), toAnswer),
})

outgoingRoutes.get('/outgoing/:requisiteId/:id', {
  id: 'getOutgoing',
  summary: 'Read an outgoing transfer',
  params: RequisiteAndId,
  answer: OutgoingAnswer,
  handle: async (context, request) => toAnswer(await getOutgoing(context, request.params)),
})

outgoingRoutes.post('/outgoing/:requisiteId/:id/book', {
  id: 'bookOutgoing',
  summary: 'Book an outgoing transfer to what it was for',
  description:
    "`fee`: the bank's; `settlement`: paid out to merchants, or exchanged for that; `own-account`: it came in on another requisite, where that transfer is set aside; `other`: as the reason says.",
  params: RequisiteAndId,
  body: {
    purpose: OneOf(namedPurposes),
    reason: Reason,
    merchantId: Type.Optional({ ...Id, description: 'Of `settlementId`.' }),
    settlementId: Type.Optional({ ...Id, description: 'The settlement that it was sent for; approved or paid.' }),
    transferId: Type.Optional({
      ...Id,
      description: 'The transfer as which it came in on another requisite. Default: the only one that it can be.',
    }),
  },
  answer: OutgoingAnswer,
  refusals: [409],
  handle: (context, request) => {
    const { purpose, reason, merchantId = null, settlementId = null, transferId = null } = request.body
    const booking = { purpose, reason, merchantId, settlementId, transferId, actor: actorOf(request) }
    return decide(context, request, 'book', request.body, (tx, key) => bookOutgoing(tx, key, booking))
  },
})

outgoingRoutes.post('/outgoing/:requisiteId/:id/unbook', {
  id: 'unbookOutgoing',
  summary: 'Make a booked outgoing transfer unexplained again',
  description:
    'By reversing entries. A refund that was confirmed by it is owed again. What took a transfer back stays as it is.',
  params: RequisiteAndId,
  body: { reason: Reason },
  answer: OutgoingAnswer,
  refusals: [409],
  handle: (context, request) => decide(context, request, 'unbook', request.body, unbookOutgoing),
})
