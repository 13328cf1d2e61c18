import { assignReversal, ignoreReversal } from '../../engine/transfers/reversals/reversals.ts'
import { previewEntries } from '../../engine/ledger/post-entries.ts'
import { listOpenReversals } from '../../engine/transfers/read.ts'
import { reversals } from '../../operations/reversals.ts'
import { readPage } from '../routes/lists.ts'
import { secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { findExplainBound } from '../../engine/members/refuse-one-person.ts'
import { decisionsAbout } from './decisions-about.ts'

type Row = Awaited<ReturnType<typeof listOpenReversals>>[number]

const toOpenReversal = ({ senderMasked: sender, ...row }: Row) => ({ ...row, sender: sender === '' ? null : sender })

const decide = decisionsAbout('reversal', (_context, key) => key)

/** Reversals that wait for a decision. */
export const reversalRoutes = bindOperations(reversals.operations, {
  list: (context, { query }) =>
    readPage('reversals', query, (span) => listOpenReversals(context, span), toOpenReversal),
  assign: async (context, request) => {
    const { transferId, note = null } = request.body
    const key = await decide(context, request, 'assign', { transferId, note }, async (tx, each) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return assignReversal(tx, each, transferId, { ...secondOf(context, request), note, needsSecond })
    })
    return { ...key, transferId }
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
    let isDecided = false
    const key = await decide(
      context,
      request,
      'ignore',
      () => ({ reason, ...(isDecided ? {} : { proposed: true }) }),
      async (tx, each) => {
        isDecided = await ignoreReversal(tx, each, by)
      },
    )
    return isDecided ? key : { ...key, proposedBy: actor }
  },
})
