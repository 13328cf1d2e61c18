import { type Static, Type } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { openFile } from '../../engine/disputes/claims/seal-file.ts'
import { addEvidence, askForMore, getEvidence, sealEvidence } from '../../engine/disputes/evidence.ts'
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
import { FileBody, fileAnswer, readFile, sendFile, takeFiles, uploadOptions } from '../files.ts'
import { Id, PaymentStatus, PositiveAmount, wire } from '../../operations/fields.ts'
import { accountNames, MerchantAndId } from '../../operations/operator-fields.ts'
import { actOnBehalf, actorOf, type Second, secondOf } from '../act-on-behalf.ts'
import { disputeAct, OperatorDispute, paymentOfDispute, toOperatorDispute } from './disputes.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

/** Schema of transfers that an acceptance moves. */
export const NamedTransfers = (description: string) =>
  Type.Optional(
    Type.Array(Type.Exact({ requisiteId: Id, id: Id }), {
      maxItems: 20,
      description,
    }),
  )

const DecisionBody = Type.TitledExact('DisputeDecision', {
  decision: Type.OneOf(['accept', 'reject']),
  amount: Type.Optional(
    PositiveAmount,
    'Amount to credit. Default: all money that the payment then has, or the claimed amount, at most that of the payment.',
  ),
  transfers: NamedTransfers('Transfers in the inbox to assign to this payment.'),
  unassign: NamedTransfers('Transfers of this payment to unassign; they go to the inbox.'),
  note: Type.Printable(1000, 'Why; the merchant reads it.'),
})

const PreviewAnswer = Type.Object({
  status: { ...PaymentStatus, description: 'The status that the payment would have.' },
  finalAmount: Type.Optional(Type.Number()),
  needsSecondOperator: Type.Flag('No money covers the amount: another operator must confirm it.'),
  entries: Type.Rows('Ledger entries that the decision would write, in order.', {
    kind: Type.String({ examples: ['credit'] }),
    book: Id,
    debit: Type.String(),
    credit: Type.String(),
    currency: Type.String(),
    amount: Type.Number(),
    ...accountNames,
  }),
})

/** What a decision would do. */
export type PreviewAnswer = Static<typeof PreviewAnswer>

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

const toPreview = (decided: DecidedDispute & { readonly needsSecondOperator: boolean }): PreviewAnswer => {
  const { payment, postings, needsSecondOperator } = decided
  return wire.fields({
    status: payment.status,
    finalAmount: wire.amount(payment.finalAmount, payment.currency),
    needsSecondOperator,
    entries: postings.map(({ kind, merchantId, debit, credit, currency, amount }) => ({
      kind,
      book: merchantId,
      debit,
      credit,
      currency,
      amount: wire.money(amount, currency),
    })),
  })
}

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

const decisionRefusals = [
  ...amountRefusals,
  ...(['amount_below_min', 'invalid_state', 'resource_not_found', 'second_person_required'] as const),
] as const

/** Previews, decisions and confirmations of disputes. */
export const disputeDecisionRoutes = routesForOperators()

disputeDecisionRoutes.post('/disputes/:merchantId/:id/preview', 'read', {
  id: 'previewDispute',
  summary: 'Show what a decision would do',
  description: 'Makes the decision and rolls it back: nothing changes.',
  params: MerchantAndId,
  body: DecisionBody,
  answer: PreviewAnswer,
  refusals: [...decisionRefusals, 'status_changed'],
  handle: async (context, request) => {
    const decision = await readDecision(context, request.params, request.body, request.body)
    return toPreview(await previewDecision(context, request.params, decision, secondOf(context, request)))
  },
})

disputeDecisionRoutes.post('/disputes/:merchantId/:id/decision', 'decide', {
  id: 'decideDispute',
  summary: 'Accept or reject a dispute',
  description:
    'Accepting needs money that covers the amount. Otherwise the amount is only proposed: the dispute stays open until another operator confirms it. More than the payment asked for, without money that covers it, also needs a file.',
  params: MerchantAndId,
  body: DecisionBody,
  answer: OperatorDispute,
  refusals: decisionRefusals,
  handle: async (context, request) => {
    const decision = await readDecision(context, request.params, request.body, request.body)
    const act = disputeAct(`dispute.${request.body.decision}`, request, decision)
    await actOnBehalf(
      context,
      request,
      (tx) => decideDispute(tx, request.params, decision, secondOf(context, request)),
      act,
    )
    return toOperatorDispute(context, request.params)
  },
})

disputeDecisionRoutes.post('/disputes/:merchantId/:id/confirm', 'decide', {
  id: 'confirmDispute',
  summary: 'Confirm what another operator has proposed',
  description:
    'A correction of a credited payment changes its status to `disput`; an amount without money that covers it is credited.',
  params: MerchantAndId,
  body: {
    amount: { ...PositiveAmount, description: 'The proposed amount; refused if it has changed since.' },
    transfers: NamedTransfers('The `transfers` of the proposal, if any; refused if they have changed since.'),
    unassign: NamedTransfers('Its `unassign`, if any; refused if they have changed since.'),
  },
  answer: OperatorDispute,
  refusals: [...decisionRefusals, 'status_changed'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const { currency } = await paymentOfDispute(context, await readDispute(context, merchantId, id))
    const amount = readBody((read) => read.amount(request.body, 'amount', currency))
    const { transfers: assign = [], unassign = [] } = request.body
    const seen = { amount, plan: { assign, unassign } }
    const act = disputeAct('dispute.confirm', request, seen)
    const decider = secondOf(context, request)
    const confirm = (tx: Tx) => confirmAsSecond(context, tx, request.params, seen, decider)
    await actOnBehalf(context, request, confirm, act)
    return toOperatorDispute(context, request.params)
  },
})

disputeDecisionRoutes.post('/disputes/:merchantId/:id/ask', 'support', {
  id: 'askAboutDispute',
  summary: 'Ask for more about an undecided dispute',
  description: 'The merchant sees the request in the history of the dispute, and answers with files.',
  params: MerchantAndId,
  body: { text: Type.Printable(1000, { description: 'What is missing.', examples: ['Please send the receipt'] }) },
  answer: OperatorDispute,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { text } = request.body
    const act = disputeAct('dispute.ask', request, { text })
    await actOnBehalf(context, request, (tx) => askForMore(tx, request.params, text, actorOf(request)), act)
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
  params: MerchantAndId,
  bodyContent: FileBody,
  answer: OperatorDispute,
  refusals: ['invalid_state', 'rate_limited', 'resource_not_found'],
  handle: async (context, request) => {
    const file = readFile(request)
    await storeInTurn(context, async () => {
      const sealed = await sealEvidence(context, file)
      const act = disputeAct('dispute.evidence', request, { file: sealed.id })
      return actOnBehalf(context, request, (tx) => addEvidence(tx, request.params, sealed, actorOf(request)), act)
    })
    return toOperatorDispute(context, request.params)
  },
})

export const evidenceRoute = routesForOperators().get('/disputes/:merchantId/:id/evidence/:fileId', 'read', {
  id: 'getEvidence',
  summary: 'Read a file of a dispute',
  description: 'Each read is recorded in the audit.',
  params: { ...MerchantAndId.properties, fileId: Id },
  answerContent: fileAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request, reply) => {
    const { merchantId, id: disputeId, fileId: id } = request.params
    const act = disputeAct('evidence.read', request, { file: id })
    const file = await actOnBehalf(context, request, (tx) => getEvidence(tx, { merchantId, disputeId, id }), act)
    const content = await openFile(context, 'dispute_evidence', file)
    return sendFile(reply, `evidence-${id}`, { contentType: file.contentType, content })
  },
})
