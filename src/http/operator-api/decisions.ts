import { type Static, Type } from 'typebox'
import { Refusal } from '../../domain/refusal.ts'
import { decisionWords } from '../../domain/transfer.ts'
import { getDecision, listDecidedBy, listDecisions } from '../../transfers/decisions/read.ts'
import { revokeDecided, whyIrrevocable } from '../../transfers/decisions/revoke-decided.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Exact, Id, OneOf, Time, Titled, wireTime } from '../fields.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { routesForOperators } from '../routes.ts'
import { ofRequisite, Why } from './operator-fields.ts'

const Decision = Titled('Decision', {
  id: Id,
  by: Type.String({ description: 'Who decided.' }),
  at: Time,
  done: Type.Integer({ description: 'Transfers that were decided.' }),
  refused: Type.Integer(),
  revoked: Type.Integer({ description: 'Of what was done.' }),
})

/** What an operator decided with one request. */
export type Decision = Static<typeof Decision>

const DecisionItem = Titled('DecisionItem', {
  ...ofRequisite,
  id: Id,
  decision: OneOf(decisionWords),
  state: OneOf(['revocable', 'irrevocable', 'revoked', 'refused']),
  message: Type.Optional(Type.String({ description: 'Why it was refused or cannot be revoked.' })),
})

const DecisionDetails = Type.Object(
  { ...Decision.properties, transfers: Type.Array(DecisionItem) },
  { title: 'DecisionDetails' },
)

/** The same with its transfers. */
export type DecisionDetails = Static<typeof DecisionDetails>

const RevokedItem = Titled('RevokedItem', {
  ...ofRequisite,
  id: Id,
  state: OneOf(['revoked', 'refused']),
  message: Type.Optional(Type.String()),
})

/** What became of one transfer when its decision was revoked. */
export type RevokedItem = Static<typeof RevokedItem>

const toDecision = ({ id, decidedBy, decidedAt, ...counts }: Awaited<ReturnType<typeof getDecision>>): Decision => ({
  ...{ id, by: decidedBy, at: wireTime(decidedAt) },
  ...counts,
})

/** What operators decided, and how it is revoked. */
export const decisionRoutes = routesForOperators()

decisionRoutes.get('/decisions', {
  id: 'listDecisions',
  duty: 'read',
  summary: 'List what was decided about transfers in the last 24 hours',
  description: 'Newest first; a request is one decision, however many transfers it names.',
  query: PageQuery,
  answer: pageOf('decisions', Decision),
  handle: (context, { query }) => readPage('decisions', query, (span) => listDecisions(context, span), toDecision),
})

decisionRoutes.get('/decisions/:id', {
  id: 'getDecision',
  duty: 'read',
  summary: 'Read a decision with its transfers',
  description: 'Each with whether it can be revoked, and why not.',
  params: Type.Object({ id: Id }),
  answer: DecisionDetails,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const decision = await getDecision(context, request.params.id)
    const decider = { actor: actorOf(request), note: null }
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
})

decisionRoutes.post('/decisions/:id/revoke', {
  id: 'revokeDecision',
  duty: 'decide',
  summary: 'Revoke a decision, or what it decided about some transfers',
  description:
    'Each transfer returns to the inbox by reversing entries, in a transaction and with an audit entry of its own; it is refused where something was built on the decision. For 24 hours.',
  params: Type.Object({ id: Id }),
  body: {
    transfers: Type.Optional(
      Type.Array(Exact({ requisiteId: Id, id: Id }), { minItems: 1, maxItems: 1000, description: 'Default: all.' }),
    ),
    reason: Why,
  },
  bodyLimit: 1024 * 1024,
  answer: { transfers: Type.Array(RevokedItem) },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id: decisionId } = await getDecision(context, request.params.id)
    const { reason, transfers } = request.body
    const done = (await listDecidedBy(context, decisionId)).filter((each) => !each.refusal && each.revokedAt === null)
    const keys = transfers ?? done.map(({ requisiteId, transferId: id }) => ({ requisiteId, id }))
    const results: RevokedItem[] = []
    for (const { requisiteId, id } of keys) {
      const key = { requisiteId, id }
      const decider = { actor: actorOf(request), note: reason }
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
