import type { Context } from '../../engine/context.ts'
import { getStatement, listDoubtfulTransfers } from '../../engine/statements/read.ts'
import {
  decideTransfer,
  doneWith,
  type PreviewedDecision,
  previewDecision,
  type TransferDecision,
} from '../../engine/transfers/decisions/decide-transfer.ts'
import { getTransfer } from '../../engine/transfers/read.ts'
import {
  type DecideTransfersBody,
  type DecidedTransfer,
  mostAtOnce,
  transferDecisions,
  type WantedTransfer,
} from '../../operations/decide-transfers.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { DecisionWord } from '../../rules/transfers/transfer.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { type Decidable, decideMany } from './decide-many.ts'

/** What the audit calls a decision. */
const verbs: Readonly<Record<DecisionWord, string>> = {
  assign: 'assign',
  accept: 'assign',
  ignore: 'ignore',
  'same-money': 'ignore',
  'other-money': 'ignore',
  park: 'park',
  unpark: 'unpark',
}

/** The transfers that a body names. */
const listWanted = async (
  context: Context,
  { transfers, statementId }: DecideTransfersBody,
): Promise<readonly WantedTransfer[]> => {
  if ((transfers === undefined) === (statementId === undefined))
    throw new Refusal('validation_failed', 'Give either transfers or statementId.')
  if (statementId === undefined) return transfers ?? []
  const { id } = await getStatement(context, statementId)
  const doubtful = await listDoubtfulTransfers(context, id, mostAtOnce)
  return doubtful.map((each) => ({ requisiteId: each.requisiteId, id: each.id, decision: 'same-money' }))
}

const readDecision = async (context: Context, wanted: WantedTransfer): Promise<TransferDecision> => {
  if (wanted.decision !== 'assign') return { word: wanted.decision }
  const transfer = await getTransfer(context, wanted)
  const shares = readBody((read) =>
    (wanted.shares ?? []).map((share) => ({
      ...share,
      amount: share.amount === undefined ? null : read.amount(share, 'amount', transfer.currency),
    })),
  )
  return { word: 'assign', shares }
}

/** What a decision would do. */
export const toDecisionEffect = ({ postings, payments, whyIrrevocable }: PreviewedDecision) => ({
  entries: postings,
  payments: payments.map(({ before, after }) => ({
    ...{ ...after, paymentId: after.id, before: before.status, after: after.status },
  })),
  revocable: whyIrrevocable === null,
  whyIrrevocable,
})

const transfer: Decidable<'requisiteId', WantedTransfer> = {
  about: 'transfer',
  owner: 'requisiteId',
  check: (wanted, wrong) => {
    const assigns = wanted.decision === 'assign'
    if (assigns !== 'shares' in wanted) wrong('shares', assigns ? 'is required for assign.' : 'is for assign only.')
  },
  needsNote: (decision) => decision !== 'assign' && decision !== 'accept',
  open: async (context, wanted, decider) => {
    const { requisiteId, id } = wanted
    const key = { requisiteId, id }
    const decision = await readDecision(context, wanted)
    return {
      verb: verbs[decision.word],
      details: { decision: decision.word, ...decision, note: decider.note },
      preview: async () => toDecisionEffect(await previewDecision(context, key, decision, decider)),
      decide: async (tx) => doneWith(tx, key, (await decideTransfer(tx, key, decision, decider)).made),
    }
  },
}

/** Decisions about many transfers at once. */
export const decideTransfersRoute = bindOperations(transferDecisions, {
  decide: async (context, request) => {
    const wanted = await listWanted(context, request.body)
    const { id, results } = await decideMany<DecidedTransfer, 'requisiteId', WantedTransfer>(
      context,
      request,
      transfer,
      wanted,
    )
    return { id, transfers: results }
  },
})
