import { type Static, Type } from '../../operations/schema.ts'
import { assignReversal, ignoreReversal } from '../../engine/transfers/reversals/reversals.ts'
import { previewEntries } from '../../engine/ledger/post-entries.ts'
import { listOpenReversals } from '../../engine/transfers/read.ts'
import { Id, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { secondOf } from '../act-on-behalf.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { findExplainBound } from '../../engine/members/refuse-one-person.ts'
import { routesForOperators } from '../routes.ts'
import { decisionsAbout } from './decisions-about.ts'
import { LedgerPreview, ofRequisite, RequisiteAndId, toLedgerEffect, Reason } from '../../operations/operator-fields.ts'

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
  proposedBy: Type.Optional(Type.Text('Who proposes to set it aside; another operator must do the same.')),
  reason: Type.Optional(Type.Text('Reason `proposedBy` would set it aside.')),
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
  {
    requisiteId: Id,
    id: Id,
    transferId: Type.Optional(Id),
    proposedBy: Type.Optional(Type.Text('If it goes on waiting, until another operator sets it aside, too.')),
  },
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
  body: { transferId: Id, note: Type.Optional(Reason) },
  answer: ResolvedReversal,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { transferId, note = null } = request.body
    const key = await decide(context, request, 'assign', { transferId, note }, async (tx, each) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return assignReversal(tx, each, transferId, { ...secondOf(context, request), note, needsSecond })
    })
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
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { params, body } = request
    const entries = await previewEntries(context, async (tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return assignReversal(tx, params, body.transferId, { ...secondOf(context, request), note: null, needsSecond })
    })
    return { entries: toLedgerEffect(entries) }
  },
})

reversalRoutes.post('/reversals/:requisiteId/:id/ignore', 'decide', {
  id: 'ignoreReversal',
  summary: 'Say that a reversal took back nothing that was recorded',
  description:
    'The ledger does not change, so merchants keep what they have. What one operator sets aside within 24 hours is bounded where two people may decide (`PAYIN_SECOND_PERSON_ABOVE`): more goes on waiting, with `proposedBy`, until another operator does the same.',
  params: RequisiteAndId,
  body: { reason: Reason },
  answer: ResolvedReversal,
  refusals: ['resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
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
