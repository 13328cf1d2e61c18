import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import { listReceiptsOf, readDispute, readHistory } from '../../engine/disputes/read.ts'
import type { Context } from '../../engine/context.ts'
import {
  countDisputes,
  type DisputeFilter,
  isOfUndecided,
  listMatchingDisputes,
} from '../../engine/disputes/listing/read.ts'
import { openDispute } from '../../engine/disputes/disputes.ts'
import {
  type Dispute,
  disputeReasons,
  type DisputeSort,
  disputeSorts,
  disputeStates,
} from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { findPaymentById } from '../../engine/payments/read.ts'
import { DisputeAnswer, DisputeHistoryAnswer, toDisputeAnswer, toHistoryAnswer } from '../dispute-answer.ts'
import { Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { readFilter, readListPage, readSort, toPageEnd } from '../lists.ts'
import { filteredPageOf, FilterQuery } from '../../operations/lists.ts'
import { MerchantAndId, ofMerchant } from '../../operations/operator-fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { ReceiptAnswer, toReceiptAnswer } from './claims.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const PlannedTransfers = (description: string) => Type.Array(Type.Object({ requisiteId: Id, id: Id }), { description })

const correction = {
  correction: Type.Optional(
    Type.Group('An amount that no money covers, proposed by one operator for a second one to confirm.', {
      amount: Type.Number(),
      transfers: Type.Optional(PlannedTransfers('Transfers in the inbox that it assigns to the payment.')),
      unassign: Type.Optional(PlannedTransfers('Transfers of the payment that it returns to the inbox.')),
      by: Type.String({ examples: ['operator:anna'] }),
      at: Time,
      confirmedBy: Type.Optional(Type.String({ examples: ['operator:boris'] })),
      confirmedAt: Type.Optional(Time),
    }),
  ),
}

const ListedDispute = Type.Object(
  { ...ofMerchant, ...DisputeAnswer.properties, ...correction },
  { title: 'ListedDispute' },
)

export type ListedDispute = Static<typeof ListedDispute>

/** Schema of a dispute as operators see it. */
export const OperatorDispute = Type.Titled('OperatorDispute', {
  ...ofMerchant,
  ...DisputeHistoryAnswer.properties,
  ...correction,
  decidedBy: Type.Optional(Type.String()),
  receipts: Type.Array(ReceiptAnswer, { description: 'Files that the payer sent on its page.' }),
})

/** A dispute as operators see it. */
export type OperatorDispute = Static<typeof OperatorDispute>

const toCorrection = ({ correction: proposed }: Dispute, { currency }: Payment) => {
  if (!proposed) return {}
  const { plan, ...fields } = proposed
  return {
    correction: wire.fields({
      ...fields,
      ...(plan.assign.length > 0 && { transfers: [...plan.assign] }),
      ...(plan.unassign.length > 0 && { unassign: [...plan.unassign] }),
      amount: wire.amount(proposed.amount, currency),
      at: wire.time(proposed.at),
    }),
  }
}

/** The payment of a dispute. */
export const paymentOfDispute = async (context: Context, dispute: Dispute): Promise<Payment> => {
  const payment = await findPaymentById(context, dispute.merchantId, dispute.paymentId)
  if (!payment) throw new Error(`dispute ${dispute.id}: its payment is missing`)
  return payment
}

/** The current state of a dispute, as operators see it. */
export const toOperatorDispute = async (
  context: Context,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
): Promise<OperatorDispute> => {
  const history = await readHistory(context, await readDispute(context, merchantId, id))
  const { dispute } = history
  const payment = await paymentOfDispute(context, dispute)
  const receipts = await listReceiptsOf(context, [dispute])
  return wire.fields({
    merchantId,
    ...toHistoryAnswer(history, payment, (actor) => actor),
    ...toCorrection(dispute, payment),
    decidedBy: dispute.decidedBy,
    receipts: receipts.map(toReceiptAnswer),
  })
}

/** The audit entry of a step in a dispute. */
export const disputeAct = (action: string, request: Pick<FastifyRequest, 'params'>, details: object = {}) => {
  const { merchantId, id } = request.params as { merchantId: string; id: string }
  return { action, subject: `dispute:${merchantId}/${id}`, details: { ...details } }
}

export const disputeRoutes = routesForOperators()

const DisputeFilterQuery = {
  cursor: FilterQuery.cursor,
  limit: FilterQuery.limit,
  state: Type.Optional(Type.OneOf([...disputeStates, 'undecided'], '`undecided` are those that are open or proposed.')),
  merchantId: FilterQuery.merchantId,
  from: Type.Optional(Time, 'Opened at this time or later.'),
  to: Type.Optional(Time, 'Opened before this time.'),
  currency: FilterQuery.currency,
  amountFrom: FilterQuery.amountFrom,
  amountTo: FilterQuery.amountTo,
  sort: Type.Optional(
    Type.OneOf(
      disputeSorts,
      'Default: `newest` first; with `state=undecided` `due`, the nearest deadline first. `due` and `-due` need one of the states `undecided`, `open`, `proposed`; `amount` and `-amount`, the largest claims first, need `currency`.',
    ),
  ),
  count: FilterQuery.count,
}

type DisputeFilterQuery = Static<ReturnType<typeof Type.Object<typeof DisputeFilterQuery>>>

const readDisputeFilter = (query: DisputeFilterQuery): { filter: DisputeFilter; sort: DisputeSort } => {
  const { merchantId, currency, amountFrom, amountTo, from, to } = readFilter(query)
  const filter = { merchantId, currency, amountFrom, amountTo, from, to, state: query.state ?? null }
  const sort = readSort<DisputeSort>(query, query.state === 'undecided' ? 'due' : 'newest')
  if (sort.endsWith('due') && !isOfUndecided(filter))
    throw refuseField(
      'validation_failed',
      'sort',
      'is for undecided disputes only: add state=undecided, open or proposed.',
    )
  return { filter, sort }
}

const toListed = async (context: Context, dispute: Dispute): Promise<ListedDispute> => {
  const payment = await paymentOfDispute(context, dispute)
  const { merchantId } = dispute
  return { merchantId, ...toDisputeAnswer({ dispute }, payment), ...toCorrection(dispute, payment) }
}

disputeRoutes.get('/disputes', 'read', {
  id: 'listDisputes',
  summary: 'List disputes',
  description: 'Newest first by default; with `state=undecided`, the nearest deadline first.',
  query: DisputeFilterQuery,
  answer: filteredPageOf('disputes', ListedDispute),
  exports: {
    rows: 'disputes',
    columns:
      'id,merchantId,paymentId,orderId,state,claimant,reason,currency,amount,paymentAmount,status,openedAt,dueAt,decidedAt,finalAmount',
  },
  handle: async (context, { query }) => {
    const { filter, sort } = readDisputeFilter(query)
    const [{ disputes, ...end }, count] = await Promise.all([
      listMatchingDisputes(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countDisputes(context, filter),
    ])
    return {
      disputes: await Promise.all(disputes.map((dispute) => toListed(context, dispute))),
      ...toPageEnd(sort, end, { currency: filter.currency, count }),
    }
  },
})

disputeRoutes.get('/disputes/:merchantId/:id', 'read', {
  id: 'readDispute',
  summary: 'Read a dispute with its files and history',
  description: 'The history has all messages and decisions.',
  params: MerchantAndId,
  answer: OperatorDispute,
  refusals: ['resource_not_found'],
  handle: (context, request) => toOperatorDispute(context, request.params),
})

disputeRoutes.post('/payments/:merchantId/:id/disputes', 'support', {
  id: 'openDisputeAsOperator',
  summary: 'Open a dispute, or propose a correction',
  description:
    'A payment that is expired, canceled or failed becomes `disput`. One that is paid or disput-paid keeps its status until another operator confirms the correction.',
  params: MerchantAndId,
  body: {
    amount: { ...PositiveAmount, description: 'The claimed amount, or the amount to credit instead.' },
    reason: Type.Optional(Type.OneOf(disputeReasons)),
    note: Type.Printable(1000, 'Why.'),
  },
  status: 201,
  answer: OperatorDispute,
  refusals: [...amountRefusals, 'dispute_exists', 'invalid_state', 'payment_not_found', 'resource_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const payment = await findPaymentById(context, merchantId, id)
    if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
    const amount = readBody((read) => read.amount(request.body, 'amount', payment.currency))
    const { reason = 'other', note } = request.body
    const claim = { claimant: 'operator', actor: actorOf(request), amount, reason, note } as const
    const dispute = await actOnBehalf(context, request, (tx) => openDispute(tx, payment, claim), {
      action: 'dispute.open',
      subject: `payment:${merchantId}/${id}`,
      details: (made) => ({ dispute: made.id, state: made.state, amount, reason, note }),
    })
    return await toOperatorDispute(context, dispute)
  },
})
