import { type DecisionBody, disputeDecision } from '../../operations/decide-dispute.ts'
import { OperatorDispute } from '../../operations/disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { type Static } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { openFile, sealFile } from '../../engine/disputes/claims/seal-file.ts'
import { addEvidence, askForMore, getEvidence } from '../../engine/disputes/evidence.ts'
import { storeInTurn } from '../../engine/disputes/claims/receive-proof.ts'
import {
  confirmCorrection,
  type DecidedDispute,
  decideDispute,
  type DisputeDecision,
  previewDecision,
  type SeenProposal,
} from '../../engine/disputes/decide-dispute.ts'
import { type DisputeKey, readDispute } from '../../engine/disputes/read.ts'
import { refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { FileBody, fileAnswer, readFile, sendFile, takeFiles, uploadOptions } from '../answers/receipt-files.ts'
import { actOnBehalf, actOnNamed, actorOf, type Second, secondOf } from '../access/act-on-behalf.ts'
import { paymentOfDispute, toOperatorDispute } from './disputes.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForOperators } from '../routes/routes.ts'

/**
 * Reads the decision of a request. `body` must be the parsed object itself: the exact digits of its amount are kept for
 * that object. Refuses `validation_failed`, `amount_precision`, `amount_above_max`, `resource_not_found`.
 */
export const readDecision = async (
  context: Context,
  key: DisputeKey,
  { decision, note }: Pick<Static<typeof DecisionBody>, 'decision' | 'note'>,
  body: Pick<Static<typeof DecisionBody>, 'amount' | 'transfers' | 'unassign'>,
): Promise<DisputeDecision> => {
  const { currency } = await paymentOfDispute(context, await readDispute(context, key.merchantId, key.id))
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

const toPreview = ({ payment, postings, needsSecondOperator }: Awaited<ReturnType<typeof previewDecision>>) => ({
  ...payment,
  needsSecondOperator,
  entries: postings.map((posting) => ({ ...posting, book: posting.merchantId })),
})

/** Confirms a proposal as `confirmCorrection`; refuses `second_person_required` as `refuseOnePerson`. */
export const confirmAsSecond = async (
  context: Context,
  tx: Tx,
  key: DisputeKey,
  seen: SeenProposal,
  decider: Second,
): Promise<DecidedDispute> => {
  const decided = await confirmCorrection(tx, key, seen, decider)
  const { correction } = decided.dispute
  if (correction) await refuseOnePerson(context, tx, correction.by, decider.actor)
  return decided
}

/** Previews, decisions and confirmations of disputes. */
export const decideDisputeRoutes = bindOperations(disputeDecision, {
  preview: async (context, request) => {
    const decision = await readDecision(context, request.params, request.body, request.body)
    return toPreview(await previewDecision(context, request.params, decision, secondOf(context, request)))
  },
  decide: async (context, request) => {
    const decision = await readDecision(context, request.params, request.body, request.body)
    const decide = (tx: Tx) => decideDispute(tx, request.params, decision, secondOf(context, request))
    await actOnNamed(context, request, `dispute.${request.body.decision}`, decide, decision)
    return toOperatorDispute(context, request.params)
  },
  confirm: async (context, request) => {
    const { merchantId, id } = request.params
    const { currency } = await paymentOfDispute(context, await readDispute(context, merchantId, id))
    const amount = readBody((read) => read.amount(request.body, 'amount', currency))
    const { transfers: assign = [], unassign = [] } = request.body
    const seen = { amount, plan: { assign, unassign } }
    const decider = secondOf(context, request)
    const confirm = (tx: Tx) => confirmAsSecond(context, tx, request.params, seen, decider)
    await actOnNamed(context, request, 'dispute.confirm', confirm, seen)
    return toOperatorDispute(context, request.params)
  },
  ask: async (context, request) => {
    const { text } = request.body
    await actOnNamed(context, request, 'dispute.ask', (tx) => askForMore(tx, request.params, text, actorOf(request)))
    return toOperatorDispute(context, request.params)
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
