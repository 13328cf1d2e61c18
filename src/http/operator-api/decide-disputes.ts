import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import {
  type DecidedDispute,
  decideDispute,
  previewConfirmation,
  previewDecision,
} from '../../engine/disputes/decide-dispute.ts'
import {
  type DisputeResult,
  listResults,
  type NamedDispute,
  openDisputeDecision,
  recordDecidedDispute,
  recordRefusedDispute,
} from '../../engine/disputes/decisions/record-decided-dispute.ts'
import { type DisputeKey, listDisputesById, readDispute } from '../../engine/disputes/read.ts'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import { hashText } from '../../secrets/hashes.ts'
import { actOnBehalf, type Second, secondOf } from '../access/act-on-behalf.ts'
import { Id, PaymentStatus, PositiveAmount } from '../../operations/fields.ts'
import { readBody } from '../routes/read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes/routes.ts'
import { NamedTransfers } from '../../operations/disputes.ts'
import { confirmAsSecond, readDecision } from './dispute-decisions.ts'
import { paymentOfDispute } from './disputes.ts'
import { LedgerEffect, ofMerchant, OrderOf, toLedgerEffect } from '../../operations/operator-fields.ts'

/** Most disputes in one request. */
const mostAtOnce = 500

const words = ['accept', 'reject', 'confirm'] as const

const Note = Type.Printable(1000, "Why; the merchant sees it. Default: the request's note.")

const Wanted = Type.Exact({
  merchantId: Id,
  id: Id,
  decision: Type.OneOf(
    words,
    '`accept` and `reject` as in the decision about one dispute. `confirm`: as a second operator, confirm the `amount`, `transfers` and `unassign` that another one proposed.',
  ),
  amount: Type.Optional(
    PositiveAmount,
    'For `accept`: the amount to credit; default: all money that the payment then has, or the claimed amount, at most that of the payment. For `confirm`: the proposed amount.',
  ),
  transfers: NamedTransfers(
    'For `accept`: transfers in the inbox to assign to the payment. For `confirm`: those of the proposal.',
  ),
  unassign: NamedTransfers('For `accept`: transfers of the payment to unassign. For `confirm`: those of the proposal.'),
  note: Type.Optional(Note),
})

type Wanted = Static<typeof Wanted>

const Decided = Type.Titled('DecidedDispute', {
  ...ofMerchant,
  id: Id,
  paymentId: Type.Optional(Id),
  orderId: OrderOf,
  decision: Type.OneOf(words),
  state: Type.OneOf(
    ['done', 'proposed', 'possible', 'refused'],
    '`proposed`: no money covers the amount, and another operator must confirm it. `possible`: only previewed. `refused`: nothing was decided about it.',
  ),
  code: Type.Optional(Type.Text('Why it was refused.', 'invalid_state')),
  message: Type.Optional(Type.String()),
  status: Type.Optional(PaymentStatus, 'In a preview: the status that the payment would have.'),
  needsSecondOperator: Type.Optional(
    Type.Flag('In a preview: no money covers the amount, and another operator must confirm it.'),
  ),
  entries: Type.Optional(LedgerEffect, 'In a preview: the ledger entries that the decision would write, in order.'),
})

/** The result for one dispute of a request. */
export type DecidedOne = Static<typeof Decided>

/** The results for the disputes of a request. */
export type DecideDisputesAnswer = { readonly disputes: readonly DecidedOne[] }

const Body = Type.Exact({
  disputes: Type.Array(Wanted, { minItems: 1, maxItems: mostAtOnce }),
  note: Type.Optional(Note, 'Why, for disputes without their own note; the merchant sees it.'),
  preview: Type.Optional(
    Type.Flag('Only show what each decision would do on its own; nothing changes. Default: false.'),
  ),
})

/** Refusals that concern one dispute; any other one ends the request. */
const rowCodes: ReadonlySet<RefusalCode> = new Set([
  ...amountRefusals,
  'amount_below_min',
  'invalid_state',
  'payment_not_found',
  'resource_not_found',
  'second_person_required',
  'status_changed',
  'validation_failed',
])

/** Refuses `validation_failed` if a row lacks what its decision needs. */
const checkBody = ({ disputes, note }: Static<typeof Body>): void =>
  readBody((read) => {
    const seen = new Set<string>()
    for (const [index, each] of disputes.entries()) {
      const confirms = each.decision === 'confirm'
      if (confirms && each.amount === undefined) {
        read.wrong(`disputes.${index}.amount`, 'is required: the amount that was proposed.')
      }
      if (!confirms && (each.note ?? note) === undefined) read.wrong(`disputes.${index}.note`, 'is required: say why.')
      if (seen.has(each.id)) read.wrong(`disputes.${index}.id`, 'is named twice.')
      seen.add(each.id)
    }
  })

/** Who decides, and the reason for rows that have none. */
type Decider = Second & { readonly note: string | undefined }

/** Prepares one decision: `preview` shows what it would do, `decide` carries it out, `details` are for the audit. */
const openOne = async (context: Context, wanted: Wanted, { note: usual = '', ...decider }: Decider) => {
  const { merchantId, id, decision, note = usual } = wanted
  const key: DisputeKey = { merchantId, id }
  if (decision === 'confirm') {
    const { currency } = await paymentOfDispute(context, await readDispute(context, merchantId, id))
    const amount = readBody((read) => read.amount(wanted, 'amount', currency))
    const { transfers: assign = [], unassign = [] } = wanted
    const seen = { amount, plan: { assign, unassign } }
    return {
      details: seen,
      preview: async () => ({
        ...(await previewConfirmation(context, key, seen, decider)),
        needsSecondOperator: false,
      }),
      decide: (tx: Tx): Promise<DecidedDispute> => confirmAsSecond(context, tx, key, seen, decider),
    }
  }
  const decided = await readDecision(context, key, { decision, note }, wanted)
  return {
    details: decided,
    preview: () => previewDecision(context, key, decided, decider),
    decide: (tx: Tx): Promise<DecidedDispute> => decideDispute(tx, key, decided, decider),
  }
}

/** Rolls back a transaction whose decision another request with the same key has carried out meanwhile. */
class DecidedMeanwhile extends Error {}

/** `proposed` if an acceptance waits for a second operator. */
const stateOf = ({ decision }: Wanted, { dispute }: DecidedDispute): 'done' | 'proposed' =>
  decision === 'accept' && dispute.decidedAt === null ? 'proposed' : 'done'

const carryOut = async (
  context: Context,
  request: FastifyRequest,
  wanted: Wanted,
  decider: Decider,
  named: Omit<NamedDispute, 'decisionId'> & { readonly decisionId: string | null },
  together: number,
): Promise<'done' | 'proposed'> => {
  const { decisionId, key } = named
  const { details, decide } = await openOne(context, wanted, decider)
  const work = async (tx: Tx): Promise<'done' | 'proposed'> => {
    const state = stateOf(wanted, await decide(tx))
    if (decisionId !== null && !(await recordDecidedDispute(tx, { ...named, decisionId }, state)))
      throw new DecidedMeanwhile('decided meanwhile')
    return state
  }
  return actOnBehalf(context, request, work, {
    action: `dispute.${wanted.decision}`,
    subject: `dispute:${key.merchantId}/${key.id}`,
    details: { ...details, together },
  })
}

/** Decides about the disputes without a result yet, and returns all results of the request. */
const decideAll = async (
  context: Context,
  request: FastifyRequest,
  decisionId: string | null,
  wanted: readonly Wanted[],
  decider: Decider,
): Promise<readonly DisputeResult[]> => {
  const known = new Set((decisionId === null ? [] : await listResults(context, decisionId)).map(({ id }) => id))
  const results: DisputeResult[] = []
  for (const [index, each] of wanted.entries()) {
    if (known.has(each.id)) continue
    const key = { merchantId: each.merchantId, id: each.id }
    const named = { decisionId, number: index + 1, key }
    try {
      results.push({ ...key, state: await carryOut(context, request, each, decider, named, wanted.length) })
    } catch (error) {
      if (error instanceof DecidedMeanwhile) continue
      if (!(error instanceof Refusal) || !rowCodes.has(error.code)) throw error
      if (decisionId !== null) await recordRefusedDispute(context, { ...named, decisionId }, error)
      results.push({ ...key, state: 'refused', code: error.code, message: error.message })
    }
  }
  return decisionId === null ? results : listResults(context, decisionId)
}

type Previewed = Omit<DecidedOne, 'decision'>

const previewOne = async (context: Context, wanted: Wanted, decider: Decider): Promise<Previewed> => {
  const key = { merchantId: wanted.merchantId, id: wanted.id }
  try {
    const { preview } = await openOne(context, wanted, decider)
    const { payment, postings, needsSecondOperator } = await preview()
    const { status } = payment
    return { ...key, state: 'possible', status, needsSecondOperator, entries: toLedgerEffect(postings) }
  } catch (error) {
    if (!(error instanceof Refusal) || !rowCodes.has(error.code)) throw error
    return { ...key, state: 'refused', code: error.code, message: error.message }
  }
}

const toAnswer = async (
  context: Context,
  wanted: readonly Wanted[],
  results: readonly (DisputeResult | Previewed)[],
): Promise<DecidedOne[]> => {
  const found = await listDisputesById(
    context,
    wanted.map(({ merchantId, id }) => ({ merchantId, id })),
  )
  const payments = new Map(found.map(({ id, paymentId }) => [id, paymentId]))
  const decisions = new Map(wanted.map(({ id, decision }) => [id, decision]))
  return results.map((result) => {
    const paymentId = payments.get(result.id)
    const decision = decisions.get(result.id) ?? 'accept'
    return { ...result, decision, ...(paymentId === undefined ? {} : { paymentId }) }
  })
}

/** Decisions about many disputes at once. */
export const decideDisputesRoute = routesForOperators().post('/disputes/decide', 'decide', {
  id: 'decideDisputes',
  summary: 'Decide about many disputes',
  description:
    'Each has its own transaction and audit entry; if one is refused, the others are still decided. With an `Idempotency-Key`, a repeated request gets the same results for 30 days and continues where the first was cut off; with another body it is refused with `409 already_exists`.',
  bodyLimit: 1024 * 1024,
  headers: {
    'idempotency-key': Type.Optional(Type.Printable(128, 'Your own key for the request.')),
  },
  body: Body,
  answer: { disputes: Type.Array(Decided, { description: 'In the order of the request.' }) },
  refusals: [
    'already_exists',
    ...amountRefusals,
    'amount_below_min',
    'invalid_state',
    'resource_not_found',
    'second_person_required',
    'status_changed',
  ],
  handle: async (context, request) => {
    const { body } = request
    checkBody(body)
    const { disputes: wanted, note } = body
    const decider = { ...secondOf(context, request), note }
    if (body.preview) {
      const previews: Previewed[] = []
      for (const each of wanted) previews.push(await previewOne(context, each, decider))
      return { disputes: await toAnswer(context, wanted, previews) }
    }
    const key = request.headers['idempotency-key']
    const hash = hashText(JSON.stringify(body))
    const decisionId = typeof key === 'string' ? await openDisputeDecision(context, decider.actor, key, hash) : null
    return { disputes: await toAnswer(context, wanted, await decideAll(context, request, decisionId, wanted, decider)) }
  },
})
