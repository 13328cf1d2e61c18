import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { amountDigits } from '../../rules/values/currency.ts'
import { listSettledMovements, readUnproven } from '../../engine/ledger/read.ts'
import { invalidState } from '../../rules/refusal.ts'
import { holdingStatuses, type Settlement, type SettlementStep, unprovenShare } from '../../rules/money/settlement.ts'
import { findAlone, refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import {
  advanceSettlement,
  createSettlement,
  getSettlement,
  listSettlements,
} from '../../engine/ledger/settlements/settlements.ts'
import { settlements } from '../../operations/settlements.ts'
import { ownersOf, readPage } from '../routes/lists.ts'
import { actOnBehalf, actOnNamed, actorOf, agreeingOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'

/** A merchant; refuses `invalid_state` for one of the sandbox: nobody pays out simulated money. */
const findReal = async (tx: Tx, merchantId: string) => {
  const merchant = await findMerchant(tx, merchantId)
  const { mode, name } = merchant
  if (mode === 'sandbox')
    throw invalidState(`The money of ${name} is simulated: its settlements are, too (simulate the event \`settled\`).`)
  return merchant
}

/** Settlements with how much of each rests on unproven money. */
const withUnproven = async <Each extends Settlement>(context: Context, all: readonly Each[]) => {
  const unproven = await readUnproven(
    context,
    all.filter(({ status }) => holdingStatuses.includes(status)).map(({ merchantId }) => merchantId),
  )
  return all.map((each) => {
    const share = unprovenShare(each, unproven(each.merchantId, each.currency))
    return { ...each, unproven: share === 0n ? null : share }
  })
}

const answer = async <Each extends Settlement>(context: Context, settlement: Each) => {
  const [answered] = await withUnproven(context, [settlement])
  return answered ?? settlement
}

const take = async (
  context: Context,
  request: FastifyRequest<{ Params: { readonly merchantId: string; readonly id: string } }>,
  step: SettlementStep,
) => {
  const key = request.params
  const { step: name, actor, ...details } = step
  const detailsOf = ({ failingBy }: Settlement) => ({
    ...{ ...details, ...(name === 'fail' && failingBy !== null && { proposed: true }) },
  })
  const advance = async (tx: Tx): Promise<Settlement> => {
    if (name !== 'fail') await findReal(tx, key.merchantId)
    const { needsSecond, refuseOnePerson: withTwo } = await agreeingOf(context, request, tx)
    const isReal = (await findMerchant(tx, key.merchantId)).mode === 'live'
    const alone = await findAlone(context, tx, actor)
    const settlement = await advanceSettlement(tx, key, step, alone, needsSecond && isReal ? withTwo : null)
    if (name === 'approve') await refuseOnePerson(context, tx, settlement.draftedBy ?? actor, actor)
    return settlement
  }
  return answer(context, await actOnNamed(context, request, `settlement.${name}`, advance, detailsOf))
}

export const settlementRoutes = bindOperations(settlements.operations, {
  create: async (context, request, reply) => {
    const { merchantId, reference, destinationId } = request.body
    const create = async (tx: Tx) => {
      const { settings } = await findReal(tx, merchantId)
      const { currency = settings.quoteCurrency } = request.body
      const amount = readBody((read) =>
        request.body.amount === undefined ? null : read.amount(request.body, 'amount', currency),
      )
      const draft = { merchantId, reference, currency, amount, destinationId, draftedBy: actorOf(request) }
      return createSettlement(tx, draft, await findAlone(context, tx, draft.draftedBy))
    }
    const { settlement, created } = await actOnBehalf(context, request, create, {
      action: 'settlement.create',
      subject: (made) => `settlement:${merchantId}/${made.settlement.id}`,
      details: (made) => ({
        reference,
        amount: amountDigits(made.settlement.amount, made.settlement.currency),
        destination: made.settlement.destination,
        created: made.created,
      }),
    })
    reply.code(created ? 201 : 200)
    return answer(context, settlement)
  },
  approve: (context, request) => take(context, request, { step: 'approve', actor: actorOf(request) }),
  pay: (context, request) => take(context, request, { step: 'pay', actor: actorOf(request), ...request.body }),
  fail: (context, request) =>
    take(context, request, { step: 'fail', actor: actorOf(request), failure: request.body.reason }),
  list: (context, { query: { status = null, ...query } }) =>
    readPage('settlements', query, async (span) =>
      withUnproven(context, await listSettlements(context, { ...ownersOf(query), status, ...span })),
    ),
  get: async (context, request) => {
    const { merchantId, id } = request.params
    const { settlement, events } = await getSettlement(context, merchantId, id)
    return { ...(await answer(context, settlement)), events }
  },
  entries: async (context, { params: { merchantId, id: settlementId }, query }) => {
    await getSettlement(context, merchantId, settlementId)
    return readPage(
      'entries',
      query,
      (span) => listSettledMovements(context, { merchantId, settlementId, ...span }),
      (row) => ({ ...row, amount: row.change }),
    )
  },
})
