import { type DisputeFilters, disputes } from '../../operations/disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { listReceiptsOf, readDispute, readHistory } from '../../engine/disputes/read.ts'
import type { Context } from '../../engine/context.ts'
import {
  countDisputes,
  type DisputeFilter,
  isOfUndecided,
  listMatchingDisputes,
} from '../../engine/disputes/listing/read.ts'
import { openDispute } from '../../engine/disputes/disputes.ts'
import { type Dispute, type DisputeSort } from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { refuseField } from '../../rules/refusal.ts'
import { getPaymentById } from '../../engine/payments/read.ts'
import { toDisputeAnswer, toHistoryAnswer } from '../answers/dispute-answer.ts'
import { readFilter, readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { readBody } from '../routes/read-body.ts'

const toCorrection = ({ correction }: Dispute) =>
  correction && {
    ...correction,
    transfers: correction.plan.assign.length > 0 ? correction.plan.assign : null,
    unassign: correction.plan.unassign.length > 0 ? correction.plan.unassign : null,
  }

/** The payment of a dispute. */
export const paymentOfDispute = (context: Context, { merchantId, paymentId }: Dispute): Promise<Payment> =>
  getPaymentById(context, merchantId, paymentId)

/** The current state of a dispute, as operators see it. */
export const toOperatorDispute = async (
  context: Context,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
) => {
  const history = await readHistory(context, await readDispute(context, merchantId, id))
  const { dispute } = history
  const payment = await paymentOfDispute(context, dispute)
  const receipts = await listReceiptsOf(context, [dispute])
  return { ...toHistoryAnswer(history, payment, (actor) => actor), correction: toCorrection(dispute), receipts }
}

const readDisputeFilter = (query: DisputeFilters): { filter: DisputeFilter; sort: DisputeSort } => {
  const { merchantId, currency, amountFrom, amountTo, from, to } = readFilter(query)
  const filter = { merchantId, currency, amountFrom, amountTo, from, to, state: query.state ?? null }
  const sort = readSort<DisputeSort>(query, query.state === 'undecided' ? 'due' : 'newest')
  if (sort.endsWith('due') && !isOfUndecided(filter))
    throw refuseField('sort', 'is for undecided disputes only: add state=undecided, open or proposed.')
  return { filter, sort }
}

const toListed = async (context: Context, dispute: Dispute) => ({
  ...toDisputeAnswer(dispute, await paymentOfDispute(context, dispute)),
  correction: toCorrection(dispute),
})

/** Disputes. */
export const disputeRoutes = bindOperations(disputes.operations, {
  list: async (context, { query }) => {
    const { filter, sort } = readDisputeFilter(query)
    const [{ disputes: listed, ...end }, count] = await Promise.all([
      listMatchingDisputes(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countDisputes(context, filter),
    ])
    return {
      disputes: await Promise.all(listed.map((dispute) => toListed(context, dispute))),
      ...toPageEnd(sort, end, { currency: filter.currency, count }),
    }
  },
  show: (context, request) => toOperatorDispute(context, request.params),
  open: async (context, request) => {
    const { merchantId, id } = request.params
    const payment = await getPaymentById(context, merchantId, id)
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
