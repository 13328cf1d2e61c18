import type { FastifyRequest } from 'fastify'
import { disputeDecision } from '../../operations/decide-dispute.ts'
import {
  type DecidedDispute as Decided,
  disputeDecisions,
  type WantedDispute,
} from '../../operations/decide-disputes.ts'
import { OperatorDispute } from '../../operations/disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { openFile, sealFile } from '../../engine/disputes/claims/seal-file.ts'
import { addEvidence, askForMore, getEvidence } from '../../engine/disputes/evidence.ts'
import { storeInTurn } from '../../engine/disputes/claims/receive-proof.ts'
import {
  confirmCorrection,
  type DecidedDispute,
  decideDispute,
  type DisputeDecision,
  previewConfirmation,
  previewDecision,
} from '../../engine/disputes/decide-dispute.ts'
import { type DisputeKey, listDisputesById, readDispute } from '../../engine/disputes/read.ts'
import { refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { FileBody, fileAnswer, readFile, sendFile, takeFiles, uploadOptions } from '../answers/receipt-files.ts'
import { actOnBehalf, actOnNamed, actorOf, type Second, secondOf } from '../access/act-on-behalf.ts'
import type { Made } from '../../engine/decisions/record-decision.ts'
import { type Decidable, decideMany } from './decide-many.ts'
import { paymentOfDispute, toOperatorDispute } from './disputes.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForOperators } from '../routes/routes.ts'

type Decision = Pick<WantedDispute, 'decision' | 'amount' | 'transfers' | 'unassign'>

/** Reads the acceptance or rejection of a dispute; `body` as in `openDecision`. */
const readDecision = (
  decision: 'accept' | 'reject',
  body: Omit<Decision, 'decision'>,
  currency: string,
  note: string | null,
): DisputeDecision => {
  const { transfers: assign = [], unassign = [] } = body
  const amount = readBody((read) => {
    const wanted = body.amount === undefined ? null : read.amount(body, 'amount', currency)
    if (decision === 'reject') {
      for (const field of ['amount', 'transfers', 'unassign'] as const) {
        if (body[field] !== undefined) read.wrong(field, 'is for accept only.')
      }
    }
    const named = [...assign, ...unassign].map(({ id }) => id)
    if (new Set(named).size < named.length) read.wrong('transfers', 'names a transfer twice.')
    return wanted
  })
  return decision === 'accept' ? { accept: true, amount, plan: { assign, unassign }, note } : { accept: false, note }
}

const toEffect = ({ payment, postings }: DecidedDispute, needsSecondOperator: boolean) => ({
  status: payment.status,
  needsSecondOperator,
  entries: postings,
})

/**
 * Reads the decision of a request. `body` must be the parsed object itself: the exact digits of its amount are kept for
 * that object. Refuses `validation_failed`, `amount_precision`, `amount_above_max`, `resource_not_found`.
 */
const openDecision = async (
  context: Context,
  key: DisputeKey,
  decision: WantedDispute['decision'],
  body: Omit<Decision, 'decision'>,
  decider: Second & { readonly note: string | null },
) => {
  const { currency } = await paymentOfDispute(context, await readDispute(context, key.merchantId, key.id))
  if (decision === 'confirm') {
    const { transfers: assign = [], unassign = [] } = body
    const seen = { amount: readBody((read) => read.amount(body, 'amount', currency)), plan: { assign, unassign } }
    return {
      verb: decision,
      details: seen,
      preview: async () => toEffect(await previewConfirmation(context, key, seen, decider), false),
      decide: async (tx: Tx): Promise<Made> => {
        const { correction } = (await confirmCorrection(tx, key, seen, decider)).dispute
        if (correction) await refuseOnePerson(context, tx, correction.by, decider.actor)
        return { state: 'done' }
      },
    }
  }
  const decided = readDecision(decision, body, currency, decider.note)
  return {
    verb: decision,
    details: decided,
    preview: async () => {
      const previewed = await previewDecision(context, key, decided, decider)
      return toEffect(previewed, previewed.needsSecondOperator)
    },
    decide: async (tx: Tx): Promise<Made> => {
      const { dispute } = await decideDispute(tx, key, decided, decider)
      return { state: dispute.decidedAt === null ? 'proposed' : 'done' }
    },
  }
}

type Asked = FastifyRequest<{ Params: DisputeKey; Body: Omit<Decision, 'decision'> & { readonly note?: string } }>

const carryOut = async (context: Context, request: Asked, decision: WantedDispute['decision']) => {
  const decider = { ...secondOf(context, request), note: request.body.note ?? null }
  const { verb, details, decide } = await openDecision(context, request.params, decision, request.body, decider)
  await actOnNamed(context, request, `dispute.${verb}`, decide, details)
  return toOperatorDispute(context, request.params)
}

/** Decisions and confirmations of disputes. */
export const decideDisputeRoutes = bindOperations(disputeDecision, {
  decide: (context, request) => carryOut(context, request, request.body.decision),
  confirm: (context, request) => carryOut(context, request, 'confirm'),
  ask: async (context, request) => {
    const { text } = request.body
    await actOnNamed(context, request, 'dispute.ask', (tx) => askForMore(tx, request.params, text, actorOf(request)))
    return toOperatorDispute(context, request.params)
  },
})

const dispute: Decidable<'merchantId', WantedDispute> = {
  about: 'dispute',
  owner: 'merchantId',
  check: ({ decision, amount }, wrong) => {
    if (decision === 'confirm' && amount === undefined) wrong('amount', 'is required: the amount that was proposed.')
  },
  needsNote: (decision) => decision !== 'confirm',
  open: (context, wanted, decider) => {
    const { merchantId, id, decision } = wanted
    return openDecision(context, { merchantId, id }, decision, wanted, decider)
  },
}

/** Decisions about many disputes at once. */
export const decideDisputesRoute = bindOperations(disputeDecisions, {
  decide: async (context, request) => {
    const wanted = request.body.disputes
    const { results } = await decideMany<Decided, 'merchantId', WantedDispute>(context, request, dispute, wanted)
    const found = await listDisputesById(
      context,
      wanted.map(({ merchantId, id }) => ({ merchantId, id })),
    )
    const payments = new Map(found.map(({ id, paymentId }) => [id, paymentId]))
    return { disputes: results.map((result) => ({ ...result, paymentId: payments.get(result.id) })) }
  },
})

export const evidenceUploadRoute = routesForOperators((scope) =>
  takeFiles(scope, (request) => (request.params as { id: string }).id),
).post('/disputes/:merchantId/:id/evidence', 'support', {
  id: 'addEvidenceAsOperator',
  summary: 'Add a file to an undecided dispute',
  description: 'PNG, JPEG, WebP, HEIC or PDF; at most ten.',
  ...uploadOptions,
  bodyContent: FileBody,
  answer: OperatorDispute,
  refusals: ['rate_limited'],
  handle: async (context, request) => {
    const file = readFile(request)
    await storeInTurn(context, async () => {
      const sealed = await sealFile(context, 'dispute_evidence', file)
      const add = (tx: Tx) => addEvidence(tx, request.params, sealed, actorOf(request))
      return actOnNamed(context, request, 'dispute.evidence', add, { file: sealed.id })
    })
    return toOperatorDispute(context, request.params)
  },
})

export const evidenceRoute = routesForOperators().get('/disputes/:merchantId/:id/evidence/:fileId', 'read', {
  id: 'getEvidence',
  summary: 'Read a file of a dispute',
  description: 'Each read is recorded in the audit.',
  answerContent: fileAnswer,
  handle: async (context, request, reply) => {
    const { merchantId, id: disputeId, fileId: id } = request.params
    const file = await actOnBehalf(context, request, (tx) => getEvidence(tx, { merchantId, disputeId, id }), {
      ...{ action: 'evidence.read', subject: `dispute:${merchantId}/${disputeId}`, details: { file: id } },
    })
    const content = await openFile(context, 'dispute_evidence', file)
    return sendFile(reply, `evidence-${id}`, { contentType: file.contentType, content })
  },
})
