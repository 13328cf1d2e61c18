import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { quoteCurrency, quoteDecimals, formatDecimal } from '../../rules/values/currency.ts'
import { listSettledMovements, readUnproven } from '../../engine/ledger/read.ts'
import { invalidState } from '../../rules/refusal.ts'
import { type Settlement, type SettlementStep, unprovenShare } from '../../rules/money/settlement.ts'
import { findAloneBound, refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
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

/** Refuses `invalid_state` for a sandbox merchant: nobody pays out simulated money. */
const refuseSimulated = async (tx: Tx, merchantId: string): Promise<void> => {
  const { mode, name } = await findMerchant(tx, merchantId)
  if (mode === 'sandbox')
    throw invalidState(`The money of ${name} is simulated: its settlements are, too (simulate the event \`settled\`).`)
}

const aloneBound = (context: Context, request: FastifyRequest, tx: Tx): Promise<bigint> =>
  findAloneBound(context, tx, actorOf(request))

/** Settlements with how much of each rests on unproven money. */
const withUnproven = async <Each extends Settlement>(context: Context, all: readonly Each[]) => {
  const unproven = await readUnproven(
    context,
    all.filter(({ status }) => status === 'draft' || status === 'approved').map(({ merchantId }) => merchantId),
  )
  return all.map((each) => {
    const share = unprovenShare(each, unproven.get(each.merchantId))
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
    if (name !== 'fail') await refuseSimulated(tx, key.merchantId)
    const { needsSecond, refuseOnePerson: withTwo } = await agreeingOf(context, request, tx)
    const isReal = (await findMerchant(tx, key.merchantId)).mode === 'live'
    const above = await aloneBound(context, request, tx)
    const settlement = await advanceSettlement(tx, key, step, above, needsSecond && isReal ? withTwo : null)
    if (name === 'approve') await refuseOnePerson(context, tx, settlement.draftedBy, actor)
    return settlement
  }
  return answer(context, await actOnNamed(context, request, `settlement.${name}`, advance, detailsOf))
}

export const settlementRoutes = bindOperations(settlements.operations, {
  create: async (context, request, reply) => {
    const { merchantId, reference, destinationId, amount } = request.body
    const wanted = readBody((read) => (amount === undefined ? null : read.quote(request.body, 'amount')))
    const create = async (tx: Tx) => {
      await refuseSimulated(tx, merchantId)
      const draft = { merchantId, reference, amount: wanted, destinationId, draftedBy: actorOf(request) }
      return createSettlement(tx, draft, await aloneBound(context, request, tx))
    }
    const { settlement, created } = await actOnBehalf(context, request, create, {
      action: 'settlement.create',
      subject: (made) => `settlement:${merchantId}/${made.settlement.id}`,
      details: (made) => ({
        reference,
        amount: formatDecimal(made.settlement.amount, quoteDecimals),
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
      (row) => ({ ...row, currency: quoteCurrency, amount: row.change }),
    )
  },
})
