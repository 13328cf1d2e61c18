import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import { type DecisionWord } from '../../rules/transfers/transfer.ts'
import { hashText } from '../../secrets/hashes.ts'
import { getStatement, listDoubtfulTransfers } from '../../engine/statements/read.ts'
import {
  decideTransfer,
  previewDecision,
  revokeDecided,
  type TransferDecision,
  whyIrrevocable,
} from '../../engine/transfers/decisions/decide-transfer.ts'
import { getDecision, listDecidedBy, listDecisions } from '../../engine/transfers/decisions/read.ts'
import {
  type NamedTransfer,
  openDecision,
  recordDone,
  recordRefused,
} from '../../engine/transfers/decisions/record-decision.ts'
import { findTransfer } from '../../engine/transfers/read.ts'
import { actOnBehalf, actorOf, type Second, secondOf } from '../access/act-on-behalf.ts'
import { readBody } from '../routes/read-body.ts'
import { amountRefusals } from '../../operations/fields.ts'
import {
  type DecideBody,
  type DecidedTransfer,
  mostAtOnce,
  transferDecisions,
  type WantedDecision,
} from '../../operations/transfer-decisions.ts'
import { toDecisionEffect } from './decision-effect.ts'
import { readPage } from '../routes/lists.ts'
import type { Known } from '../routes/to-answer.ts'
import { type DecisionDetails, decisions, type RevokedItem } from '../../operations/decisions.ts'
import { bindOperations } from '../routes/bind-operations.ts'

/** What the audit calls a decision. */
const actions: Readonly<Record<DecisionWord, string>> = {
  assign: 'assign',
  accept: 'assign',
  ignore: 'ignore',
  'same-money': 'ignore',
  'other-money': 'ignore',
  park: 'park',
  unpark: 'unpark',
}

/** Refusals that concern one transfer; any other one ends the request. */
const rowCodes: ReadonlySet<RefusalCode> = new Set([
  'invalid_state',
  'second_person_required',
  'resource_not_found',
  'payment_not_found',
  'validation_failed',
  ...amountRefusals,
])

/** The transfers that a body names, each with its note. */
const listWanted = async (
  context: Context,
  { transfers, statementId, note }: DecideBody,
): Promise<readonly WantedDecision[]> => {
  if ((transfers === undefined) === (statementId === undefined))
    throw new Refusal('validation_failed', 'Give either transfers or statementId.')
  const named =
    statementId === undefined
      ? (transfers ?? [])
      : (await listDoubtfulTransfers(context, (await getStatement(context, statementId)).id, mostAtOnce)).map(
          ({ requisiteId, id }) => ({ requisiteId, id, decision: 'same-money' as const }),
        )
  const wanted = named.map((each) => ({ ...(note === undefined ? {} : { note }), ...each }))
  readBody((read) => {
    const seen = new Set<string>()
    for (const [index, each] of wanted.entries()) {
      const assigns = each.decision === 'assign'
      if (assigns !== 'shares' in each) {
        read.wrong(`transfers.${index}.shares`, assigns ? 'is required for assign.' : 'is for assign only.')
      }
      const needsNote = !assigns && each.decision !== 'accept'
      if (needsNote && each.note === undefined) read.wrong(`transfers.${index}.note`, 'is required: say why.')
      if (seen.has(each.id)) read.wrong(`transfers.${index}.id`, 'is named twice.')
      seen.add(each.id)
    }
  })
  return wanted
}

const readDecision = async (context: Context, wanted: WantedDecision): Promise<TransferDecision> => {
  if (wanted.decision !== 'assign') return { word: wanted.decision }
  const transfer = await findTransfer(context, wanted.requisiteId, wanted.id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  const shares = readBody((read) =>
    (wanted.shares ?? []).map((share) => ({
      ...share,
      amount: share.amount === undefined ? null : read.amount(share, 'amount', transfer.currency),
    })),
  )
  return { word: 'assign', shares }
}

const previewOne = async (context: Context, wanted: WantedDecision, decider: Second) => {
  const { requisiteId, id, note = null } = wanted
  const decision = await readDecision(context, wanted)
  const preview = await previewDecision(context, { requisiteId, id }, decision, { ...decider, note })
  return { state: 'possible' as const, ...toDecisionEffect(preview) }
}

/** Rolls back a transaction whose decision another request with the same key has carried out meanwhile. */
class DecidedMeanwhile extends Error {}

const carryOut = async (
  context: Context,
  request: FastifyRequest,
  wanted: WantedDecision,
  named: NamedTransfer,
  details: object,
): Promise<void> => {
  const { key, word } = named
  const { note = null } = wanted
  const decision = await readDecision(context, wanted)
  const work = async (tx: Tx): Promise<void> => {
    const { made } = await decideTransfer(tx, key, decision, { ...secondOf(context, request), note })
    if (!(await recordDone(tx, named, made))) throw new DecidedMeanwhile('decided meanwhile')
  }
  await actOnBehalf(context, request, work, {
    action: `transfer.${actions[word]}`,
    subject: `transfer:${key.requisiteId}/${key.id}`,
    details: { decision: word, ...decision, note, ...details },
  })
}

/** Decides about the transfers without a result yet, and returns all results of the decision. */
const decideAll = async (context: Context, request: FastifyRequest, id: string, wanted: readonly WantedDecision[]) => {
  const known = new Set((await listDecidedBy(context, id)).map((each) => each.transferId))
  for (const [index, each] of wanted.entries()) {
    if (known.has(each.id)) continue
    const key = { requisiteId: each.requisiteId, id: each.id }
    const named = { decisionId: id, number: index + 1, key, word: each.decision }
    const details = { decisionId: id, together: wanted.length }
    try {
      await carryOut(context, request, each, named, details)
    } catch (error) {
      if (error instanceof DecidedMeanwhile) continue
      if (!(error instanceof Refusal) || !rowCodes.has(error.code)) throw error
      await recordRefused(context, named, error)
    }
  }
  return (await listDecidedBy(context, id)).map(({ requisiteId, transferId, word, refusal }) => ({
    ...{ requisiteId, id: transferId, decision: word },
    ...(refusal ? { state: 'refused' as const, ...refusal } : { state: 'done' as const }),
  }))
}

const previewAll = async (context: Context, wanted: readonly WantedDecision[], decider: Second) => {
  const results: Known<DecidedTransfer>[] = []
  for (const each of wanted) {
    const { requisiteId, id, decision } = each
    try {
      results.push({ requisiteId, id, decision, ...(await previewOne(context, each, decider)) })
    } catch (error) {
      if (!(error instanceof Refusal) || !rowCodes.has(error.code)) throw error
      results.push({ requisiteId, id, decision, state: 'refused', code: error.code, message: error.message })
    }
  }
  return results
}

/** Decisions about many transfers at once. */
export const decideTransfersRoute = bindOperations(transferDecisions, {
  decide: async (context, request) => {
    const { body } = request
    const wanted = await listWanted(context, body)
    if (body.preview) return { transfers: await previewAll(context, wanted, secondOf(context, request)) }
    const key = request.headers['idempotency-key']
    const id = await openDecision(
      context,
      actorOf(request),
      typeof key === 'string' ? key : null,
      hashText(JSON.stringify(body)),
    )
    return { id, transfers: await decideAll(context, request, id, wanted) }
  },
})

const toDecision = ({ decidedBy: by, decidedAt: at, ...counts }: Awaited<ReturnType<typeof getDecision>>) => ({
  ...{ ...counts, by, at },
})

/** Decisions of operators, and revoking them. */
export const decisionRoutes = bindOperations(decisions.operations, {
  list: (context, { query }) => readPage('decisions', query, (span) => listDecisions(context, span), toDecision),
  show: async (context, request) => {
    const decision = await getDecision(context, request.params.id)
    const decider = { ...secondOf(context, request), note: null }
    const transfers: DecisionDetails['transfers'] = []
    for (const { requisiteId, transferId: id, word, refusal, revokedAt } of await listDecidedBy(context, decision.id)) {
      const named = { requisiteId, id, decision: word }
      if (refusal) transfers.push({ ...named, state: 'refused', message: refusal.message })
      else if (revokedAt !== null) transfers.push({ ...named, state: 'revoked' })
      else {
        const message = await whyIrrevocable(context, decision.id, { requisiteId, id }, decider)
        transfers.push(
          message === null ? { ...named, state: 'revocable' } : { ...named, state: 'irrevocable', message },
        )
      }
    }
    return { ...toDecision(decision), transfers }
  },
  revoke: async (context, request) => {
    const { id: decisionId } = await getDecision(context, request.params.id)
    const { reason, transfers } = request.body
    const done = (await listDecidedBy(context, decisionId)).filter((each) => !each.refusal && each.revokedAt === null)
    const keys = transfers ?? done.map(({ requisiteId, transferId: id }) => ({ requisiteId, id }))
    const results: RevokedItem[] = []
    for (const { requisiteId, id } of keys) {
      const key = { requisiteId, id }
      const decider = { ...secondOf(context, request), note: reason }
      const act = {
        action: 'transfer.revoke',
        subject: `transfer:${requisiteId}/${id}`,
        details: { decisionId, reason, together: keys.length },
      }
      try {
        await actOnBehalf(context, request, (tx) => revokeDecided(tx, decisionId, key, decider), act)
        results.push({ ...key, state: 'revoked' })
      } catch (error) {
        if (!(error instanceof Refusal) || (error.code !== 'invalid_state' && error.code !== 'resource_not_found'))
          throw error
        results.push({ ...key, state: 'refused', message: error.message })
      }
    }
    return { transfers: results }
  },
})
