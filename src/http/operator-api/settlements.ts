import { type Static, Type } from '../schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { quoteDecimals, formatDecimal } from '../../rules/values/currency.ts'
import { invalidState } from '../../rules/refusal.ts'
import type { Settlement, SettlementStep } from '../../rules/money/settlement.ts'
import { findAloneBound, refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import {
  advanceSettlement,
  createSettlement,
  getSettlement,
  listSettlements,
} from '../../engine/ledger/settlements/settlements.ts'
import { SettlementDetails, SettlementStatus } from '../settlement-details.ts'
import { Id, NoBody, PositiveAmount, Time, wire } from '../fields.ts'
import { OwnerQuery, ownersOf, pageOf, PageQuery, readPage } from '../lists.ts'
import { MerchantAndId, Reason, Reference, ofMerchant } from './operator-fields.ts'
import { actOnBehalf, actorOf, agreeingOf, type RequestedAct } from '../act-on-behalf.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const SettlementAnswer = Type.Titled('OperatorSettlement', {
  ...ofMerchant,
  ...SettlementDetails.properties,
  secondPerson: Type.Flag('Whether an operator other than its author must approve it.'),
  draftedBy: Type.String({ examples: ['operator:anna'] }),
  approvedBy: Type.Optional(Type.String({ examples: ['operator:boris'] })),
  failingBy: Type.Optional(Type.Text('Who would fail it; it goes on until another operator fails it, too.')),
})

/** A settlement as operators see it. */
export type SettlementAnswer = Static<typeof SettlementAnswer>

const toAnswer = (settlement: Settlement): SettlementAnswer =>
  wire.fields({ ...settlement, amount: wire.quote(settlement.amount) })

/** Refuses `invalid_state` for a sandbox merchant: nobody pays out simulated money. */
const refuseSimulated = async (tx: Tx, merchantId: string): Promise<void> => {
  const { mode, name } = await findMerchant(tx, merchantId)
  if (mode === 'sandbox')
    throw invalidState(`The money of ${name} is simulated: its settlements are, too (simulate the event \`settled\`).`)
}

export const settlementRoutes = routesForOperators()

const aloneBound = (context: Context, request: FastifyRequest, tx: Tx): Promise<bigint> =>
  findAloneBound(context, tx, actorOf(request))

settlementRoutes.post('/settlements', 'account', {
  id: 'createSettlement',
  summary: 'Draft a settlement',
  description:
    'Of a live merchant, to one of its destinations that is ready. Holds the amount immediately, so that nothing else can settle it. Returns 201, or 200 if the reference is already known.',
  body: {
    merchantId: Id,
    reference: Reference,
    amount: Type.Optional({
      ...PositiveAmount,
      description: 'Exact amount in USDT. Default: everything available.',
      examples: [53.513513],
    }),
    destinationId: { ...Id, description: 'The destination to which the money goes.' },
  },
  answers: { 200: SettlementAnswer, 201: SettlementAnswer },
  refusals: ['already_exists', ...amountRefusals, 'balance_insufficient', 'invalid_state', 'resource_not_found'],
  handle: async (context, request, reply) => {
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
    return reply.code(created ? 201 : 200).send(toAnswer(settlement))
  },
})

const path = '/settlements/:merchantId/:id'

const take = async (
  context: Context,
  request: FastifyRequest<{ Params: Static<typeof MerchantAndId> }>,
  step: SettlementStep,
): Promise<SettlementAnswer> => {
  const key = request.params
  const { step: name, actor, ...details } = step
  const act: RequestedAct<Settlement> = {
    action: `settlement.${name}`,
    subject: `settlement:${key.merchantId}/${key.id}`,
    details: ({ failingBy }) => ({ ...details, ...(name === 'fail' && failingBy !== null ? { proposed: true } : {}) }),
  }
  const advance = async (tx: Tx): Promise<Settlement> => {
    if (name !== 'fail') await refuseSimulated(tx, key.merchantId)
    const { needsSecond, refuseOnePerson: withTwo } = await agreeingOf(context, request, tx)
    const isReal = (await findMerchant(tx, key.merchantId)).mode === 'live'
    const above = await aloneBound(context, request, tx)
    const settlement = await advanceSettlement(tx, key, step, above, needsSecond && isReal ? withTwo : null)
    if (name === 'approve') await refuseOnePerson(context, tx, settlement.draftedBy, actor)
    return settlement
  }
  return toAnswer(await actOnBehalf(context, request, advance, act))
}

settlementRoutes.post(`${path}/approve`, 'account', {
  id: 'approveSettlement',
  summary: 'Approve a settlement',
  description:
    'Another operator must approve a large settlement, or several that are large together within 24 hours. An account and a token do not count as two people, nor does a new account, nor one that the other operator invited or reset.',
  params: MerchantAndId,
  body: NoBody,
  answer: SettlementAnswer,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) => take(context, request, { step: 'approve', actor: actorOf(request) }),
})

settlementRoutes.post(`${path}/pay`, 'account', {
  id: 'paySettlement',
  summary: 'Record that a settlement was paid out',
  description: 'The merchant is notified.',
  params: MerchantAndId,
  body: { externalReference: Type.Printable(200, { description: 'What identifies the payout.', examples: ['0x5f…'] }) },
  answer: SettlementAnswer,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) => take(context, request, { step: 'pay', actor: actorOf(request), ...request.body }),
})

settlementRoutes.post(`${path}/fail`, 'account', {
  id: 'failSettlement',
  summary: 'Fail a settlement',
  description:
    'Its amount is available again. One to which outgoing money is booked does not fail. Where two people may settle, an approved one is failed by the operator who approved it alone; otherwise it goes on, with `failingBy`, until another operator fails it, too.',
  params: MerchantAndId,
  body: { reason: Reason },
  answer: SettlementAnswer,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) =>
    take(context, request, { step: 'fail', actor: actorOf(request), failure: request.body.reason }),
})

const Filter = {
  ...OwnerQuery,
  status: Type.Optional(SettlementStatus, 'Only settlements with this status.'),
}

settlementRoutes.get('/settlements', 'read', {
  id: 'listAllSettlements',
  summary: 'List settlements of all merchants of a mode, or of one merchant',
  description: 'Newest first.',
  query: { ...Filter, ...PageQuery },
  answer: pageOf('settlements', SettlementAnswer),
  exports: 'settlements',
  handle: (context, { query: { status = null, ...query } }) =>
    readPage(
      'settlements',
      query,
      (span) => listSettlements(context, { ...ownersOf(query), status, ...span }),
      toAnswer,
    ),
})

const SettlementWithEvents = Type.Titled('SettlementWithEvents', {
  ...SettlementAnswer.properties,
  events: Type.Array(
    Type.Object({ sequence: Type.Integer(), status: SettlementStatus, actor: Type.String(), at: Time }),
  ),
})

export type SettlementWithEvents = Static<typeof SettlementWithEvents>

settlementRoutes.get('/settlements/:merchantId/:id', 'read', {
  id: 'getSettlement',
  summary: 'Read a settlement with its events',
  description: 'The events are its status changes, and who made them.',
  params: MerchantAndId,
  answer: SettlementWithEvents,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const { settlement, events } = await getSettlement(context, merchantId, id)
    return { ...toAnswer(settlement), events: events.map((event) => ({ ...event, at: wire.time(event.at) })) }
  },
})
