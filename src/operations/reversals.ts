import { Id, Time, idOf, LedgerPreview, ofRequisite, Person, Reason } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { nameColumn } from './named.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

export const OpenReversal = Type.Titled('OpenReversal', {
  ...ofRequisite,
  id: idOf('reversal'),
  amount: Type.Number(),
  currency: Type.String(),
  bookedAt: Time,
  recordedAt: Time,
  source: Type.String(),
  'bankReference?': Type.String(),
  'sender?': Type.Text('Masked.'),
  'proposedBy?': presented(Person, 'Who proposes to ignore it; another operator must do the same.'),
  'reason?': Type.Text('Reason `proposedBy` would ignore it.'),
  candidates: Type.Array(Id, {
    description:
      'Transfers of the same amount that have not been reversed, and those with its reference, newest first.',
    absent: 'none',
  }),
})
export type OpenReversal = Static<typeof OpenReversal>

const ResolvedReversal = Type.Titled('ResolvedReversal', {
  ...ofRequisite,
  id: Id,
  'transferId?': Id,
  'proposedBy?': Type.Text('If it goes on waiting, until another operator ignores it, too.'),
})
export type ResolvedReversal = Static<typeof ResolvedReversal>

const transferId = { ...idOf('transfer'), description: 'What it took back.' }

export const reversals = {
  about: 'Money that banks took back, if it is not clear from which transfer.',
  examples: [
    'payin reversals list',
    'payin reversals assign 019a9c3e-7d5e --transfer 019a9c3e-7c11',
    'payin reversals ignore 019a9c3e-7d5e --reason "money from before the first statement"',
  ],
  operations: {
    list: operation('GET /reversals', 'read', {
      id: 'listReversals',
      summary: 'List reversals that wait for a decision',
      description: 'Newest first: money that a bank took back, where it is not clear from which transfer.',
      query: PageQuery,
      answer: pageOf('reversals', OpenReversal),
      command: {
        columns: [
          nameColumn('Reversal'),
          ...(['amount', 'candidates', 'bookedAt', 'sender', 'requisiteId', 'bankReference', 'proposedBy'] as const),
          'id',
        ],
        empty: 'No reversal waits for a decision. Everything that waits: payin today',
      },
    }),
    assign: operation('POST /reversals/{requisiteId}/{id}/assign', 'decide', {
      id: 'assignReversal',
      summary: 'Say which transfer a reversal took back',
      description:
        'The money is taken back from where it went; a credit is reversed in the ledger, and its payment stays paid.',
      body: { transferId, 'note?': Reason },
      answer: ResolvedReversal,
      refusals: ['second_person_required'],
      command: {
        options: { note: '--reason' },
        says: ({ id, transferId: taken = '' }) => `Reversal ${id} took back transfer ${taken}.`,
      },
    }),
    preview: operation('POST /reversals/{requisiteId}/{id}/preview', 'read', {
      id: 'previewReversal',
      summary: 'Show what assigning a reversal would write',
      description: 'Assigns it and rolls that back: nothing changes.',
      body: { transferId },
      answer: LedgerPreview,
      refusals: ['second_person_required'],
    }),
    ignore: operation('POST /reversals/{requisiteId}/{id}/ignore', 'decide', {
      id: 'ignoreReversal',
      summary: 'Say that a reversal took back nothing that was recorded',
      description:
        'The ledger does not change, so merchants keep what they have. What one operator ignores within 24 hours is bounded where two people may decide (`PAYIN_SECOND_PERSON_ABOVE`): more goes on waiting, with `proposedBy`, until another operator does the same.',
      body: { reason: Reason },
      answer: ResolvedReversal,
      refusals: ['second_person_required'],
      command: {
        says: ({ id, proposedBy }) =>
          proposedBy === undefined
            ? `Reversal ${id} took back nothing that was recorded.`
            : `Reversal ${id} goes on waiting: it is more than one operator may ignore. Another one must do the same.`,
      },
    }),
  },
} satisfies Noun<unknown>
