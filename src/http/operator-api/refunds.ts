import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { findAlone, findAloneBound, requireTwo } from '../../engine/members/refuse-one-person.ts'
import type { StoredRefund } from '../../engine/transfers/refunds/follow-money.ts'
import {
  approveRefund,
  type Deciding,
  failRefund,
  getRefund,
  listRefunds,
  markRefundSent,
  refuseRequested,
} from '../../engine/transfers/refunds/refunds.ts'
import { refunds } from '../../operations/refunds.ts'
import { writeBankFile } from './refund-file.ts'
import { actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { toRefundAnswer } from '../answers/refund-answer.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { ownersOf, readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'

type RefundRequest = FastifyRequest<{ Params: { readonly merchantId: string; readonly id: string } }>

const take = async (
  context: Context,
  request: RefundRequest,
  step: string,
  work: (tx: Tx) => Promise<StoredRefund>,
) => {
  const detailsOf = ({ proposedBy, failingBy, status, orderId, paymentId, reference, amount }: StoredRefund) => ({
    ...{ orderId, paymentId, reference, amount },
    ...(request.body as object | undefined),
    ...((status === 'requested'
      ? proposedBy !== null
      : step === 'fail' && status !== 'failed' && failingBy !== null) && {
      proposed: true,
    }),
  })
  return toRefundAnswer(await actOnNamed(context, request, `refund.${step}`, work, detailsOf))
}

/** The operator of a request, and what one may decide alone. */
const decidingOf = async (context: Context, tx: Tx, actor: string): Promise<Deciding> => ({
  actor,
  alone: await findAlone(context, tx, actor),
  requireTwo: (inTx, author) => requireTwo(context, inTx, author, actor),
})

/** Refunds of merchants, as operators approve and send them. */
export const refundRoutes = bindOperations(refunds.operations, {
  list: (context, { query: { orderId = null, status = null, ...query } }) =>
    readPage(
      'refunds',
      query,
      (span) => listRefunds(context, { ...ownersOf(query), orderId, status, ...span }),
      toRefundAnswer,
    ),
  get: async (context, { params }) => {
    const { refund, events } = await getRefund(context, params)
    return { ...toRefundAnswer(refund), events }
  },
  approve: (context, request) => {
    const actor = actorOf(request)
    return take(context, request, 'approve', async (tx) =>
      approveRefund(tx, request.params, await decidingOf(context, tx, actor)),
    )
  },
  refuse: (context, request) =>
    take(context, request, 'refuse', (tx) =>
      refuseRequested(tx, request.params, actorOf(request), request.body.reason),
    ),
  send: (context, request) => {
    const { requisiteId, bookedAt } = request.body
    const actor = actorOf(request)
    const at = readBody((read) => read.booked(bookedAt, 'bookedAt', context.clock()))
    return take(context, request, 'send', async (tx) => {
      const above = await findAloneBound(context, tx, actor)
      return markRefundSent(tx, request.params, { actor, requisiteId, bookedAt: at, above })
    })
  },
  'bank-file': writeBankFile,
  fail: (context, request) =>
    take(context, request, 'fail', async (tx) =>
      failRefund(tx, request.params, await decidingOf(context, tx, actorOf(request)), request.body.reason),
    ),
})
