import { type Static, Type } from 'typebox'
import { Refusal } from '../../domain/refusal.ts'
import { getStatement, listDoubtfulTransfers } from '../../statements/read.ts'
import { confirmDuplicate } from '../../transfers/duplicates/confirm-duplicate.ts'
import { findTransfer } from '../../transfers/read.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Exact, Id, OneOf, withoutNulls } from '../fields.ts'
import { routesForOperators } from '../routes.ts'
import { Why } from './operator-fields.ts'

/** Most transfers of one request. */
const mostAtOnce = 1000

const Decided = Type.Object({
  requisiteId: Id,
  id: Id,
  state: OneOf(['duplicate', 'refused'], {
    description: '`duplicate`: it is the money of `duplicateOf` now. `refused`: nothing was decided about it.',
  }),
  duplicateOf: Type.Optional(Id),
  code: Type.Optional(Type.String({ description: 'Why it was refused.', examples: ['invalid_state'] })),
  message: Type.Optional(Type.String()),
})

/** What happened to one of the transfers. */
export type DecidedDuplicate = Static<typeof Decided>

/** Decisions about many possible duplicates. */
export const sameMoneyRoutes = routesForOperators()

sameMoneyRoutes.post('/transfers/same-money', {
  id: 'confirmDuplicates',
  summary: 'Say of many possible duplicates that they are the same money',
  description:
    'Each leaves the ledger as the money of the transfer `duplicateOf`, in a transaction and with an audit entry of its own; the others are decided even if one is refused. Name the transfers, or a statement for all of its possible duplicates (at most 1000 at once). Repeated, it refuses what is decided.',
  body: Exact({
    transfers: Type.Optional(Type.Array(Exact({ requisiteId: Id, id: Id }), { minItems: 1, maxItems: mostAtOnce })),
    statementId: Type.Optional(Id),
    reason: Why,
  }),
  answer: { transfers: Type.Array(Decided) },
  handle: async (context, request) => {
    const { transfers, statementId, reason } = request.body
    if ((transfers === undefined) === (statementId === undefined))
      throw new Refusal('validation_failed', 'Give either transfers or statementId.')
    const named =
      statementId === undefined
        ? (transfers ?? [])
        : await listDoubtfulTransfers(context, (await getStatement(context, statementId)).id, mostAtOnce)
    const decided: DecidedDuplicate[] = []
    for (const { requisiteId, id } of named) {
      const key = { requisiteId, id }
      const act = {
        action: 'transfer.ignore',
        subject: `transfer:${requisiteId}/${id}`,
        details: { reason, otherMoney: false, statementId: statementId ?? null, together: named.length },
      }
      try {
        await actOnBehalf(
          context,
          request,
          (tx) => confirmDuplicate(tx, key, { actor: actorOf(request), note: reason }),
          act,
        )
        const { duplicateOf = null } = (await findTransfer(context, requisiteId, id)) ?? {}
        decided.push(withoutNulls({ ...key, state: 'duplicate' as const, duplicateOf }))
      } catch (error) {
        if (!(error instanceof Refusal) || (error.code !== 'invalid_state' && error.code !== 'resource_not_found'))
          throw error
        decided.push({ ...key, state: 'refused', code: error.code, message: error.message })
      }
    }
    return { transfers: decided }
  },
})
