import { maskIfKnown } from '../../rules/values/masking.ts'
import {
  getOutgoing,
  listDoubtfulOutgoingOf,
  type ListedOutgoing,
  listOutgoing,
} from '../../engine/transfers/outgoing/read.ts'
import type { Explainer } from '../../engine/transfers/outgoing/agree-on-purpose.ts'
import {
  bookOutgoing,
  confirmOutgoing,
  decideDuplicate,
  type ReturnedMoney,
  unbookOutgoing,
} from '../../engine/transfers/outgoing/decide-outgoing.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { hasTwoPeople, moneyDuties, findExplainBound } from '../../engine/members/refuse-one-person.ts'
import type { FastifyRequest } from 'fastify'
import { actOnBehalf, actOnNamed, secondOf } from '../access/act-on-behalf.ts'
import { readPage } from '../routes/lists.ts'
import type { RequisiteAndId } from '../../operations/fields.ts'
import { mostAtOnce, outgoing } from '../../operations/outgoing.ts'
import type { Static } from '../../operations/schema.ts'
import { bindOperations } from '../routes/bind-operations.ts'

type Explained = Pick<ListedOutgoing, 'purpose' | 'paymentId' | 'documentId'>

/** A confirmation that is proposed has no purpose yet, but what it would return. */
const proposedPurpose = ({ purpose, paymentId, documentId }: Explained): Explained['purpose'] => {
  if (purpose !== null || (paymentId === null && documentId === null)) return purpose
  return paymentId === null ? 'reversal' : 'refund'
}

const toAnswer = ({ payeeMasked, decidedBy: by, ...row }: ListedOutgoing) => ({
  ...row,
  ...(row.state === 'unexplained' ? { proposedBy: by, purpose: proposedPurpose(row) } : { decidedBy: by }),
  payee: maskIfKnown(payeeMasked) || null,
})

type Key = Static<typeof RequisiteAndId>

const readAnswer = async (context: Context, key: Key) => toAnswer(await getOutgoing(context, key))

/** The operator of a request, as somebody who says what outgoing money was for. */
export const explainerOf = (context: Context, request: FastifyRequest): Explainer => {
  const second = secondOf(context, request)
  return { ...second, findBound: findExplainBound(context, second.actor) }
}

/** The only proposal for an outgoing transfer. Refuses `invalid_state` if there is none, or more than one. */
const onlyProposal = async (context: Context, key: Key): Promise<ReturnedMoney> => {
  const [only, ...others] = (await getOutgoing(context, key)).proposals
  if (only && others.length === 0) {
    const { documentId, transferId, merchantId, paymentId } = only
    if (documentId !== null) return { documentId }
    if (transferId !== null) return { transferId }
    if (merchantId !== null && paymentId !== null) return { merchantId, paymentId }
  }
  const message = only ? 'There are several proposals: name one.' : 'There is no proposal: say what the money returned.'
  throw new Refusal('invalid_state', message)
}

/** Money that left the accounts of requisites. */
export const outgoingRoutes = bindOperations(outgoing.operations, {
  list: (context, { query: { state = null, purpose = null, requisiteId = null, ...query } }) =>
    readPage('outgoing', query, (span) => listOutgoing(context, { state, purpose, requisiteId, ...span }), toAnswer),
  show: (context, request) => readAnswer(context, request.params),
  book: async (context, request) => {
    const { purpose, reason, merchantId = null, settlementId = null, transferId = null } = request.body
    const booking = { purpose, reason, merchantId, settlementId, transferId, by: explainerOf(context, request) }
    const details = ({ state, documentId }: Pick<ListedOutgoing, 'state' | 'documentId'>) => ({
      ...request.body,
      ...(state === 'booked' ? {} : { proposed: true }),
      ...(purpose === 'own-account' && { transferId: documentId }),
    })
    await actOnNamed(context, request, 'outgoing.book', (tx) => bookOutgoing(tx, request.params, booking), details)
    return readAnswer(context, request.params)
  },
  decide: async (context, request) => {
    const { decision, statementId, reason, outgoing: named } = request.body
    if ((named === undefined) === (statementId === undefined))
      throw new Refusal('validation_failed', 'Give either outgoing or statementId.')
    const keys = named ?? (await listDoubtfulOutgoingOf(context, statementId ?? '', mostAtOnce))
    const by = { ...explainerOf(context, request), reason }
    await actOnBehalf(
      context,
      request,
      async (tx) => {
        const proposed: string[] = []
        for (const key of keys) if (!(await decideDuplicate(tx, key, decision, by))) proposed.push(key.id)
        return proposed
      },
      {
        action: `outgoing.${decision}`,
        subject: statementId === undefined ? 'outgoing' : `statement:${statementId}`,
        details: (proposed) => ({
          ...{ reason, outgoing: keys.map(({ id }) => id) },
          ...(proposed.length > 0 && { proposed }),
        }),
      },
    )
    const read = []
    for (const key of keys) read.push(await readAnswer(context, key))
    return { outgoing: read }
  },
  confirm: async (context, request) => {
    const { merchantId, paymentId, transferId, documentId, reason = 'returned to its payer' } = request.body
    const named = [
      ...(merchantId === undefined || paymentId === undefined ? [] : [{ merchantId, paymentId }]),
      ...(transferId === undefined ? [] : [{ transferId }]),
      ...(documentId === undefined ? [] : [{ documentId }]),
    ]
    if (named.length > 1 || (merchantId === undefined) !== (paymentId === undefined))
      throw refuseField('paymentId', 'is given with its merchantId, and nothing else is named.')
    const money = named[0] ?? (await onlyProposal(context, request.params))
    const by = { ...explainerOf(context, request), reason }
    const details = (isBooked: boolean) => ({ ...money, reason, ...(!isBooked && { proposed: true }) })
    const confirm = async (tx: Tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return confirmOutgoing(tx, request.params, money, { ...by, needsSecond })
    }
    await actOnNamed(context, request, 'outgoing.confirm', confirm, details)
    return readAnswer(context, request.params)
  },
  unbook: async (context, request) => {
    const unbook = (tx: Tx) => unbookOutgoing(tx, request.params, explainerOf(context, request))
    const details = ({ state }: Pick<ListedOutgoing, 'state'>) => ({
      ...request.body,
      ...(state === 'booked' && { proposed: true }),
    })
    await actOnNamed(context, request, 'outgoing.unbook', unbook, details)
    return readAnswer(context, request.params)
  },
})
