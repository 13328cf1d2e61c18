import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { addEvidence, getEvidence, sealEvidence } from '../../disputes/add-evidence.ts'
import {
  confirmCorrection,
  type DecidedDispute,
  decideDispute,
  type Decision,
  previewDecision,
} from '../../disputes/decide-dispute.ts'
import { readDispute } from '../../disputes/read.ts'
import type { App } from '../app.ts'
import { FileBody, fileAnswer, readFile, sendFile, takeFiles, uploadOptions } from '../files.ts'
import { PositiveAmount, wireAmount, wireMoney } from '../amounts.ts'
import { OneOf, PaymentStatus, PrintableText } from '../fields.ts'
import { Id } from '../ids.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { MerchantAndId } from './operator-fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { disputeAct, OperatorDispute, paymentOfDispute, toOperatorDispute } from './disputes.ts'
import { readBody } from '../read-body.ts'

const Transfers = (description: string) =>
  Type.Optional(
    Type.Array(Type.Object({ requisiteId: Id, id: Id }, { additionalProperties: false }), {
      maxItems: 20,
      description,
    }),
  )

const DecisionBody = Type.Object(
  {
    decision: OneOf(['accept', 'reject']),
    amount: Type.Optional({
      ...PositiveAmount,
      description: 'What is credited. Default: all money that the payment then has, or the claimed amount.',
    }),
    transfers: Transfers('Transfers in the inbox to assign to this payment.'),
    unassign: Transfers('Transfers of this payment to unassign; they go to the inbox.'),
    note: PrintableText(1000, { description: 'Why; the merchant reads it.' }),
  },
  { additionalProperties: false },
)

const PreviewAnswer = Type.Object({
  status: { ...PaymentStatus, description: 'The status that the payment would have.' },
  finalAmount: Type.Optional(Type.Number()),
  needsSecondOperator: Type.Boolean({ description: 'No money covers the amount: another operator has to confirm.' }),
  entries: Type.Array(
    Type.Object({
      kind: Type.String({ examples: ['credit'] }),
      book: Id,
      debit: Type.String(),
      credit: Type.String(),
      currency: Type.String(),
      amount: Type.Number(),
    }),
    { description: 'Ledger entries that the decision would write, in order.' },
  ),
})

/** What a decision would do. */
export type PreviewAnswer = Static<typeof PreviewAnswer>

const readDecision = async (
  context: Context,
  key: { readonly merchantId: string; readonly id: string },
  body: Static<typeof DecisionBody>,
): Promise<Decision> => {
  const { currency } = await paymentOfDispute(context, await readDispute(context, key.merchantId, key.id))
  const { decision, transfers: assign = [], unassign = [], note } = body
  const read = readBody()
  const amount = body.amount === undefined ? null : read.amount(body, 'amount', currency)
  if (decision === 'reject') {
    for (const field of ['amount', 'transfers', 'unassign'] as const) {
      if (body[field] !== undefined) read.wrong(field, 'belongs to an acceptance.')
    }
  }
  const named = [...assign, ...unassign].map(({ id }) => id)
  if (new Set(named).size < named.length) read.wrong('transfers', 'names a transfer twice.')
  read.finish()
  return decision === 'accept' ? { accept: true, amount, plan: { assign, unassign }, note } : { accept: false, note }
}

const toPreview = (decided: DecidedDispute & { readonly needsSecondOperator: boolean }): PreviewAnswer => {
  const { payment, postings, needsSecondOperator } = decided
  return {
    status: payment.status,
    ...(payment.finalAmount === null ? {} : { finalAmount: wireAmount(payment.finalAmount, payment.currency) }),
    needsSecondOperator,
    entries: postings.map(({ kind, merchantId, debit, credit, currency, amount }) => ({
      kind,
      book: merchantId,
      debit,
      credit,
      currency,
      amount: wireMoney(amount, currency),
    })),
  }
}

const registerDecide = (app: App, context: Context): void => {
  app.post(
    '/disputes/:merchantId/:id/preview',
    {
      schema: {
        ...operation(
          'previewDispute',
          'Show what a decision would do',
          'The decision is made and rolled back: nothing changes.',
        ),
        params: MerchantAndId,
        body: DecisionBody,
        response: { 200: PreviewAnswer, ...problems(409, 422) },
      },
    },
    async (request) => {
      const decision = await readDecision(context, request.params, request.body)
      return toPreview(await previewDecision(context, request.params, decision, actorOf(request)))
    },
  )

  app.post(
    '/disputes/:merchantId/:id/decision',
    {
      schema: {
        ...operation(
          'decideDispute',
          'Accept or reject a dispute',
          'Accepting needs money that covers the amount. Otherwise the amount is only proposed: the dispute stays open until another operator confirms it.',
        ),
        params: MerchantAndId,
        body: DecisionBody,
        response: { 200: OperatorDispute, ...problems(409, 422) },
      },
    },
    async (request) => {
      const decision = await readDecision(context, request.params, request.body)
      const act = disputeAct(`dispute.${request.body.decision}`, request, decision)
      await actOnBehalf(context, request, act, (tx) => decideDispute(tx, request.params, decision, actorOf(request)))
      return toOperatorDispute(context, request.params)
    },
  )

  app.post(
    '/disputes/:merchantId/:id/confirm',
    {
      schema: {
        ...operation(
          'confirmDispute',
          'Confirm what another operator has proposed',
          'A correction of a credited payment changes its status to `disput`; an amount without money that covers it is credited.',
        ),
        params: MerchantAndId,
        body: Type.Object(
          { amount: { ...PositiveAmount, description: 'The proposed amount; refused if it has changed since.' } },
          { additionalProperties: false },
        ),
        response: { 200: OperatorDispute, ...problems(409, 422) },
      },
    },
    async (request) => {
      const { merchantId, id } = request.params
      const { currency } = await paymentOfDispute(context, await readDispute(context, merchantId, id))
      const read = readBody()
      const amount = read.amount(request.body, 'amount', currency)
      read.finish()
      const act = disputeAct('dispute.confirm', request, { amount })
      await actOnBehalf(context, request, act, (tx) => confirmCorrection(tx, request.params, amount, actorOf(request)))
      return toOperatorDispute(context, request.params)
    },
  )
}

const registerEvidence = (app: App, context: Context): void => {
  const { bodyLimit, bodyWithinMs } = uploadOptions
  takeFiles(app, (request) => (request.params as { id: string }).id)
  app.post(
    '/disputes/:merchantId/:id/evidence',
    {
      bodyLimit,
      config: { bodyWithinMs },
      schema: {
        ...operation('addEvidenceAsOperator', 'Add a file to an undecided dispute', 'PNG, JPEG or PDF; at most ten.'),
        params: MerchantAndId,
        body: FileBody,
        response: { 200: OperatorDispute, ...problems(409) },
      },
    },
    async (request) => {
      const sealed = sealEvidence(context, readFile(request))
      const act = disputeAct('dispute.evidence', request, { file: sealed.id })
      await actOnBehalf(context, request, act, (tx) => addEvidence(tx, request.params, sealed, actorOf(request)))
      return toOperatorDispute(context, request.params)
    },
  )
}

/** Previews, decisions, confirmations and files of disputes. */
export const registerDisputeDecisions = async (app: App, context: Context): Promise<void> => {
  registerDecide(app, context)
  await app.register(async (scope) => registerEvidence(scope as App, context))
  app.get(
    '/disputes/:merchantId/:id/evidence/:fileId',
    {
      schema: {
        ...operation('getEvidence', 'Read a file of a dispute', 'Reading it is recorded in the audit.'),
        params: Type.Object({ ...MerchantAndId.properties, fileId: Id }),
        response: { 200: fileAnswer, ...problems() },
      },
    },
    async (request, reply) => {
      const { merchantId, id: disputeId, fileId: id } = request.params
      const act = disputeAct('evidence.read', request, { file: id })
      const file = await actOnBehalf(context, request, act, (tx) => getEvidence(tx, { merchantId, disputeId, id }))
      return sendFile(reply, `evidence-${id}`, file)
    },
  )
}
