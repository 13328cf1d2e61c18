import { decideDispute, previewConfirmation, previewDecision } from '../../engine/disputes/decide-dispute.ts'
import { listDisputesById, readDispute } from '../../engine/disputes/read.ts'
import { type DecidedDispute, disputeDecisions, type WantedDispute } from '../../operations/decide-disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { type Decidable, decideMany } from './decide-many.ts'
import { confirmAsSecond, readDecision } from './decide-dispute.ts'
import { paymentOfDispute } from './disputes.ts'

const toEffect = (
  { payment, postings }: Awaited<ReturnType<typeof previewConfirmation>>,
  needsSecondOperator: boolean,
) => ({
  status: payment.status,
  needsSecondOperator,
  entries: postings,
})

const dispute: Decidable<'merchantId', WantedDispute> = {
  about: 'dispute',
  owner: 'merchantId',
  check: ({ decision, amount }, wrong) => {
    if (decision === 'confirm' && amount === undefined) wrong('amount', 'is required: the amount that was proposed.')
  },
  needsNote: (decision) => decision !== 'confirm',
  open: async (context, wanted, decider) => {
    const { merchantId, id, decision, transfers: assign = [], unassign = [] } = wanted
    const key = { merchantId, id }
    if (decision === 'confirm') {
      const { currency } = await paymentOfDispute(context, await readDispute(context, merchantId, id))
      const amount = readBody((read) => read.amount(wanted, 'amount', currency))
      const seen = { amount, plan: { assign, unassign } }
      return {
        verb: decision,
        details: seen,
        preview: async () => toEffect(await previewConfirmation(context, key, seen, decider), false),
        decide: async (tx) => {
          await confirmAsSecond(context, tx, key, seen, decider)
          return { state: 'done' }
        },
      }
    }
    const decided = await readDecision(context, key, { decision, note: decider.note ?? '' }, wanted)
    return {
      verb: decision,
      details: decided,
      preview: async () => {
        const previewed = await previewDecision(context, key, decided, decider)
        return toEffect(previewed, previewed.needsSecondOperator)
      },
      decide: async (tx) => {
        const after = (await decideDispute(tx, key, decided, decider)).dispute
        return { state: after.decidedAt === null ? 'proposed' : 'done' }
      },
    }
  },
}

/** Decisions about many disputes at once. */
export const decideDisputesRoute = bindOperations(disputeDecisions, {
  decide: async (context, request) => {
    const wanted = request.body.disputes
    const { results } = await decideMany<DecidedDispute, 'merchantId', WantedDispute>(context, request, dispute, wanted)
    const found = await listDisputesById(
      context,
      wanted.map(({ merchantId, id }) => ({ merchantId, id })),
    )
    const payments = new Map(found.map(({ id, paymentId }) => [id, paymentId]))
    return { disputes: results.map((result) => ({ ...result, paymentId: payments.get(result.id) })) }
  },
})
