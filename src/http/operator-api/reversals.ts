import { type Static, Type } from '../schema.ts'
import { assignReversal, ignoreReversal } from '../../transfers/reversals/reversals.ts'
import { previewEntries } from '../../ledger/post-entries.ts'
import { listOpenReversals } from '../../transfers/read.ts'
import { Id, Time, wire } from '../fields.ts'
import { pageOf, PageQuery, readPage } from '../lists.ts'
import { actorOf } from '../act-on-behalf.ts'
import { routesForOperators } from '../routes.ts'
import { decisionsAbout, LedgerPreview, ofRequisite, RequisiteAndId, toLedgerEffect, Why } from './operator-fields.ts'

const OpenReversal = Type.Titled('OpenReversal', {
  ...ofRequisite,
  id: Id,
  amount: Type.Number(),
  currency: Type.String(),
  bookedAt: Time,
  recordedAt: Time,
  source: Type.String(),
  bankReference: Type.Optional(Type.String()),
  sender: Type.Optional(Type.Text('Masked.')),
  candidates: Type.Array(Id, {
    description:
      'Transfers of the same amount that have not been reversed, and those with its reference, newest first.',
  }),
})

/** A reversal that waits for a decision. */
export type OpenReversal = Static<typeof OpenReversal>

type Row = Awaited<ReturnType<typeof listOpenReversals>>[number]

const toOpenReversal = ({ senderMasked, candidates, ...row }: Row): OpenReversal =>
  wire.fields({
    ...row,
    amount: wire.amount(row.amount, row.currency),
    sender: senderMasked === '' ? null : senderMasked,
    candidates: [...candidates],
  })

const ResolvedReversal = Type.Object(
  { requisiteId: Id, id: Id, transferId: Type.Optional(Id) },
  { title: 'ResolvedReversal' },
)
/** The result of a decision about a reversal. */
export type ResolvedReversal = Static<typeof ResolvedReversal>

const decide = decisionsAbout('reversal', (_context, key) => key)

/** Reversals that wait for a decision. */
export const reversalRoutes = routesForOperators()

reversalRoutes.get('/reversals', 'read', {
  id: 'listReversals',
  summary: 'List reversals that wait for a decision',
  description: 'Newest first: money that a bank took back, where it is not clear from which transfer.',
  query: PageQuery,
  answer: pageOf('reversals', OpenReversal),
  exports: 'reversals',
  handle: (context, { query }) =>
    readPage('reversals', query, (span) => listOpenReversals(context, span), toOpenReversal),
})

reversalRoutes.post('/reversals/:requisiteId/:id/assign', 'decide', {
  id: 'assignReversal',
  summary: 'Say which transfer a reversal took back',
  description:
    'The money is taken back from where it went; a credit is reversed in the ledger, and its payment stays paid.',
  params: RequisiteAndId,
  body: { transferId: Id, note: Type.Optional(Why) },
  answer: ResolvedReversal,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { transferId, note = null } = request.body
    const decider = { actor: actorOf(request), note }
    const key = await decide(context, request, 'assign', { transferId, note }, (tx, each) =>
      assignReversal(tx, each, transferId, decider),
    )
    return { ...key, transferId }
  },
})

reversalRoutes.post('/reversals/:requisiteId/:id/preview', 'read', {
  id: 'previewReversal',
  summary: 'Show what assigning a reversal would write',
  description: 'Assigns it and rolls that back: nothing changes.',
  params: RequisiteAndId,
  body: { transferId: Id },
  answer: LedgerPreview,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { params, body } = request
    const decider = { actor: actorOf(request), note: null }
    const entries = await previewEntries(context, (tx) => assignReversal(tx, params, body.transferId, decider))
    return { entries: toLedgerEffect(entries) }
  },
})

reversalRoutes.post('/reversals/:requisiteId/:id/ignore', 'decide', {
  id: 'ignoreReversal',
  summary: 'Say that a reversal took back nothing that was recorded',
  description: 'The ledger does not change.',
  params: RequisiteAndId,
  body: { reason: Why },
  answer: ResolvedReversal,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { reason } = request.body
    const decider = { actor: actorOf(request), note: reason }
    return decide(context, request, 'ignore', { reason }, (tx, key) => ignoreReversal(tx, key, decider))
  },
})
