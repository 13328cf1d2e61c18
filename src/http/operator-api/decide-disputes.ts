import { type Static } from '../../operations/schema.ts'
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
import { readBody } from '../routes/read-body.ts'
import { amountRefusals } from '../../operations/fields.ts'
import {
  type DecidedOne,
  type DecideDisputesBody,
  disputesDecided,
  type WantedDispute,
} from '../../operations/decide-disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import type { Known } from '../routes/to-answer.ts'
import { confirmAsSecond, readDecision } from './dispute-decisions.ts'
import { paymentOfDispute } from './disputes.ts'

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
const checkBody = ({ disputes, note }: Static<typeof DecideDisputesBody>): void =>
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
const openOne = async (context: Context, wanted: WantedDispute, { note: usual = '', ...decider }: Decider) => {
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
const stateOf = ({ decision }: WantedDispute, { dispute }: DecidedDispute): 'done' | 'proposed' =>
  decision === 'accept' && dispute.decidedAt === null ? 'proposed' : 'done'

const carryOut = async (
  context: Context,
  request: FastifyRequest,
  wanted: WantedDispute,
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
  wanted: readonly WantedDispute[],
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

type Previewed = Known<Omit<DecidedOne, 'decision'>>

const previewOne = async (context: Context, wanted: WantedDispute, decider: Decider): Promise<Previewed> => {
  const key = { merchantId: wanted.merchantId, id: wanted.id }
  try {
    const { preview } = await openOne(context, wanted, decider)
    const { payment, postings, needsSecondOperator } = await preview()
    const { status } = payment
    return { ...key, state: 'possible', status, needsSecondOperator, entries: postings }
  } catch (error) {
    if (!(error instanceof Refusal) || !rowCodes.has(error.code)) throw error
    return { ...key, state: 'refused', code: error.code, message: error.message }
  }
}

const toAnswer = async (
  context: Context,
  wanted: readonly WantedDispute[],
  results: readonly (DisputeResult | Previewed)[],
) => {
  const found = await listDisputesById(
    context,
    wanted.map(({ merchantId, id }) => ({ merchantId, id })),
  )
  const payments = new Map(found.map(({ id, paymentId }) => [id, paymentId]))
  const decisions = new Map(wanted.map(({ id, decision }) => [id, decision]))
  return results.map((result) => ({
    ...result,
    decision: decisions.get(result.id) ?? 'accept',
    paymentId: payments.get(result.id),
  }))
}

/** Decisions about many disputes at once. */
export const decideDisputesRoute = bindOperations(disputesDecided, {
  decide: async (context, request) => {
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
