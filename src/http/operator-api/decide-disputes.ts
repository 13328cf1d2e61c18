import { listDisputesById } from '../../engine/disputes/read.ts'
import { type DecidedDispute, disputeDecisions, type WantedDispute } from '../../operations/decide-disputes.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { type Decidable, decideMany } from './decide-many.ts'
import { openDecision } from './decide-dispute.ts'

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
    const { results } = await decideMany<DecidedDispute, 'merchantId', WantedDispute>(context, request, dispute, wanted)
    const found = await listDisputesById(
      context,
      wanted.map(({ merchantId, id }) => ({ merchantId, id })),
    )
    const payments = new Map(found.map(({ id, paymentId }) => [id, paymentId]))
    return { disputes: results.map((result) => ({ ...result, paymentId: payments.get(result.id) })) }
  },
})
