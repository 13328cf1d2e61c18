import type { FastifyRequest } from 'fastify'
import type { Adjustment } from '../../rules/money/adjustment.ts'
import { account, isServiceBook, serviceBook } from '../../rules/money/ledger.ts'
import { decideAdjustment, draftAdjustment, listAdjustments } from '../../engine/ledger/adjustments/adjustments.ts'
import { refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { adjustments } from '../../operations/adjustments.ts'
import { actOnBehalf, actOnNamed, actorOf, type RequestedAct } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'

const toAnswer = ({ merchantId, ...row }: Adjustment) => ({
  ...row,
  book: merchantId,
  merchantId: isServiceBook(merchantId) ? null : merchantId,
})

const detailsOf = (adjustment: Adjustment) => {
  const { reference, debitAccount, creditAccount, currency, amount, reason } = adjustment
  return { reference, debitAccount, creditAccount, currency, amount, reason }
}

const drafting: RequestedAct<Adjustment> = {
  action: 'adjustment.create',
  subject: ({ merchantId, id }) => `adjustment:${merchantId}/${id}`,
  details: detailsOf,
}

/** Posts or rejects a draft. */
const decide = async (
  context: Context,
  request: FastifyRequest<{ Params: { readonly merchantId: string; readonly id: string } }>,
  verb: 'post' | 'reject',
) => {
  const by = actorOf(request)
  const decideBy = async (tx: Tx): Promise<Adjustment> => {
    const adjustment = await decideAdjustment(tx, request.params, verb === 'post' ? 'posted' : 'rejected', by)
    if (verb === 'post') await refuseOnePerson(context, tx, adjustment.draftedBy, by)
    return adjustment
  }
  return toAnswer(await actOnNamed(context, request, `adjustment.${verb}`, decideBy, detailsOf))
}

export const adjustmentRoutes = bindOperations(adjustments.operations, {
  draft: async (context, request) => {
    const { body } = request
    const merchantId = body.merchantId ?? serviceBook
    const named = (name: string): string => (name === 'merchant:available' ? account.available(merchantId) : name)
    const wanted = readBody((read) => ({
      merchantId,
      reference: body.reference,
      debitAccount: named(body.debitAccount),
      creditAccount: named(body.creditAccount),
      currency: body.currency,
      amount: read.amount(body, 'amount', body.currency),
      reason: body.reason,
      bookedAt: read.booked(body.bookedAt, 'bookedAt', context.clock()),
      draftedBy: actorOf(request),
    }))
    const draft = async (tx: Tx): Promise<Adjustment> => {
      if (body.merchantId !== undefined) await findMerchant(tx, merchantId)
      return draftAdjustment(tx, wanted)
    }
    return toAnswer(await actOnBehalf(context, request, draft, drafting))
  },
  post: (context, request) => decide(context, request, 'post'),
  reject: (context, request) => decide(context, request, 'reject'),
  list: (context, { query: { status = null, mode = 'live', ...query } }) =>
    readPage('adjustments', query, (span) => listAdjustments(context, { mode, status, ...span }), toAnswer),
})
