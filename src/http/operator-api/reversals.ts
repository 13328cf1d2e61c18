import { maskIfKnown } from '../../rules/values/masking.ts'
import type { Tx } from '../../engine/context.ts'
import { assignReversal, ignoreReversal } from '../../engine/transfers/reversals/reversals.ts'
import { previewEntries } from '../../engine/ledger/post-entries.ts'
import { listOpenReversals } from '../../engine/transfers/read.ts'
import { reversals } from '../../operations/reversals.ts'
import { readPage } from '../routes/lists.ts'
import { actOnNamed, secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { hasTwoPeople, moneyDuties, findExplainBound } from '../../engine/members/refuse-one-person.ts'

type Row = Awaited<ReturnType<typeof listOpenReversals>>[number]

const toOpenReversal = ({ senderMasked: sender, ...row }: Row) => ({ ...row, sender: maskIfKnown(sender) || null })

/** Reversals that wait for a decision. */
export const reversalRoutes = bindOperations(reversals.operations, {
  list: (context, { query }) =>
    readPage('reversals', query, (span) => listOpenReversals(context, span), toOpenReversal),
  assign: async (context, request) => {
    const { params } = request
    const { transferId, note = null } = request.body
    const assign = async (tx: Tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return assignReversal(tx, params, transferId, { ...secondOf(context, request), note, needsSecond })
    }
    await actOnNamed(context, request, 'reversal.assign', assign, { transferId, note })
    return { ...params, transferId }
  },
  preview: async (context, request) => {
    const { params, body } = request
    const entries = await previewEntries(context, async (tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return assignReversal(tx, params, body.transferId, { ...secondOf(context, request), note: null, needsSecond })
    })
    return { entries }
  },
  ignore: async (context, request) => {
    const { reason } = request.body
    const second = secondOf(context, request)
    const { actor } = second
    const by = { ...second, reason, findBound: findExplainBound(context, actor) }
    const { params } = request
    const ignore = (tx: Tx) => ignoreReversal(tx, params, by)
    const detailsOf = (isDecided: boolean) => ({ reason, ...(isDecided ? {} : { proposed: true }) })
    const isDecided = await actOnNamed(context, request, 'reversal.ignore', ignore, detailsOf)
    return isDecided ? params : { ...params, proposedBy: actor }
  },
})
