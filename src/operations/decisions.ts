import { decisionWords } from '../rules/transfers/transfer.ts'
import { Id, Time, idOf, ofRequisite, Reason } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

const why = { heading: 'Reason' }

const TransferDecisionAnswer = Type.Titled('Decision', {
  id: Id,
  by: Type.Text('Who decided.'),
  at: Time,
  done: Type.Whole('Transfers that were decided.'),
  refused: Type.Integer(),
  revoked: Type.Whole('Those of them whose decision was revoked.'),
})
export type TransferDecisionAnswer = Static<typeof TransferDecisionAnswer>

const DecisionItem = Type.Titled('DecisionItem', {
  ...ofRequisite,
  id: idOf('transfer'),
  decision: Type.OneOf(decisionWords),
  state: Type.OneOf(['revocable', 'irrevocable', 'revoked', 'refused']),
  'message?': presented(Type.Text('Reason it was refused or cannot be revoked.'), why),
})

const DecisionDetails = Type.Titled('DecisionDetails', {
  ...TransferDecisionAnswer.properties,
  transfers: Type.Array(DecisionItem),
})
export type DecisionDetails = Static<typeof DecisionDetails>

const RevokedItem = Type.Titled('RevokedItem', {
  ...ofRequisite,
  id: idOf('transfer'),
  state: Type.OneOf(['revoked', 'refused']),
  'message?': Type.String(why),
})
export type RevokedItem = Static<typeof RevokedItem>

export const decisions = {
  about: 'Decisions of operators about transfers, and revoking them.',
  examples: [
    'payin decisions list',
    'payin decisions show last',
    'payin decisions revoke last --reason "the wrong file"',
    'payin decisions revoke last --transfer bank-77 --reason "another order"',
  ],
  operations: {
    list: operation('GET /decisions', 'read', {
      id: 'listDecisions',
      summary: 'List decisions about transfers of the last 24 hours',
      description: 'Newest first; one request, such as a file, is one decision, however many transfers it names.',
      query: PageQuery,
      answer: pageOf('decisions', TransferDecisionAnswer),
      command: {
        columns: ['id', 'at', 'by', 'done', 'refused', 'revoked'],
        empty: 'Nothing was decided in the last 24 hours. To decide about many: payin transfers decide --file <path>',
      },
    }),
    show: operation('GET /decisions/{id}', 'read', {
      id: 'getDecision',
      summary: 'Read a decision with its transfers',
      description: 'For each transfer: whether the decision can be revoked, and if not, why.',
      answer: DecisionDetails,
      refusals: ['invalid_state'],
      command: {
        columns: ['id', 'requisiteId', 'decision', 'state', 'message'],
        patient: true,
      },
    }),
    revoke: operation('POST /decisions/{id}/revoke', 'decide', {
      id: 'revokeDecision',
      summary: 'Revoke a decision, for all or some of its transfers',
      description:
        'Possible for 24 hours. Each transfer returns to the inbox by reversing entries, with its own transaction and audit entry; refused if something else was built on the decision.',
      body: {
        'transfers?': Type.Array(Type.Exact({ requisiteId: Id, id: Id }), {
          minItems: 1,
          maxItems: 1000,
          description: 'Only these. Default: all.',
          of: 'transfer',
        }),
        reason: Reason,
      },
      bodyLimit: 1024 * 1024,
      answer: { transfers: Type.Array(RevokedItem) },
      command: {
        about: 'Return the transfers of a decision, or those named, to the inbox. Exits with 1 if one was refused.',
        columns: ['id', 'requisiteId', 'state', 'message'],
        empty: 'Nothing is left to revoke.',
        fails: ({ transfers }) => transfers.some(({ state }) => state === 'refused'),
        patient: true,
      },
    }),
  },
} satisfies Noun<unknown>
