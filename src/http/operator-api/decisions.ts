import { getDecision, listDecisions, listResults } from '../../engine/decisions/read.ts'
import { revokeDecided, whyIrrevocable } from '../../engine/transfers/decisions/decide-transfer.ts'
import { type DecisionDetails, decisions, type RevokedItem } from '../../operations/decisions.ts'
import { orRefusal } from '../../rules/refusal.ts'
import type { DecisionWord } from '../../rules/transfers/transfer.ts'
import { actOnBehalf, secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readPage } from '../routes/lists.ts'
import type { Known } from '../routes/to-answer.ts'

const toDecision = ({ decidedBy: by, decidedAt: at, ...counts }: Awaited<ReturnType<typeof getDecision>>) => ({
  ...{ ...counts, by, at },
})

/** Decisions about transfers, and revoking them. */
export const decisionRoutes = bindOperations(decisions.operations, {
  list: (context, { query }) => readPage('decisions', query, (span) => listDecisions(context, span), toDecision),
  show: async (context, request) => {
    const decision = await getDecision(context, request.params.id)
    const decider = { ...secondOf(context, request), note: null }
    const transfers: Known<DecisionDetails['transfers']>[number][] = []
    for (const { ownerId, id, word, revokedAt, ...result } of await listResults(context, decision.id)) {
      const named = { requisiteId: ownerId, id, decision: word as DecisionWord }
      if (result.state === 'refused') transfers.push({ ...named, state: 'refused', message: result.message })
      else if (revokedAt !== null) transfers.push({ ...named, state: 'revoked' })
      else {
        const message = await whyIrrevocable(context, decision.id, named, decider)
        transfers.push({ ...named, state: message === null ? 'revocable' : 'irrevocable', message })
      }
    }
    return { ...toDecision(decision), transfers }
  },
  revoke: async (context, request) => {
    const { id: decisionId } = await getDecision(context, request.params.id)
    const { reason, transfers } = request.body
    const results = await listResults(context, decisionId)
    const left = results.filter(({ state, revokedAt }) => state !== 'refused' && revokedAt === null)
    const keys = transfers ?? left.map(({ ownerId: requisiteId, id }) => ({ requisiteId, id }))
    const revoked: RevokedItem[] = []
    for (const { requisiteId, id } of keys) {
      const key = { requisiteId, id }
      const decider = { ...secondOf(context, request), note: reason }
      const act = {
        action: 'transfer.revoke',
        subject: `transfer:${requisiteId}/${id}`,
        details: { decisionId, reason, together: keys.length },
      }
      const refused = await orRefusal(['invalid_state', 'resource_not_found'], () =>
        actOnBehalf(context, request, (tx) => revokeDecided(tx, decisionId, key, decider), act),
      )
      revoked.push(refused ? { ...key, state: 'refused', message: refused.message } : { ...key, state: 'revoked' })
    }
    return { transfers: revoked }
  },
})
