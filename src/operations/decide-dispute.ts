import { OperatorDispute } from './disputes.ts'
import { Id, PositiveAmount } from './fields.ts'
import { operation } from './operation.ts'
import { presented, Type } from './schema.ts'

/** Schema of transfers that an acceptance moves. */
export const NamedTransfers = (description: string) =>
  Type.Array(Type.Exact({ requisiteId: Id, id: Id }), { maxItems: 20, description, of: 'transfer' })

const DecisionBody = Type.TitledExact('DisputeDecision', {
  decision: Type.OneOf(['accept', 'reject']),
  'amount?': presented(
    PositiveAmount,
    'Amount to credit. Default: all money that the payment then has, or the claimed amount, at most that of the payment.',
  ),
  'transfers?': NamedTransfers('Transfers in the inbox to assign to this payment.'),
  'unassign?': NamedTransfers('Transfers of this payment to unassign; they go to the inbox.'),
  note: Type.Printable(1000, 'Why; the merchant reads it.'),
})

const decisionRefusals = ['amount_below_min', 'second_person_required'] as const

export const disputeDecision = {
  decide: operation('POST /disputes/{merchantId}/{id}/decision', 'decide', {
    id: 'decideDispute',
    summary: 'Accept or reject a dispute',
    description:
      'Accepting needs money that covers the amount. Otherwise the amount is only proposed: the dispute stays open until another operator confirms it. More than the payment asked for, without money that covers it, also needs a file.',
    body: DecisionBody,
    answer: OperatorDispute,
    refusals: decisionRefusals,
    commands: {
      reject: {
        about: 'Reject a claim; the payment returns to its previous status.',
        only: ['note'],
        fixed: { decision: 'reject' },
        options: { note: '--reason' },
      },
    },
  }),
  confirm: operation('POST /disputes/{merchantId}/{id}/confirm', 'decide', {
    id: 'confirmDispute',
    summary: 'Confirm what another operator has proposed',
    description:
      'A correction of a credited payment changes its status to `disput`; an amount without money that covers it is credited.',
    body: {
      amount: { ...PositiveAmount, description: 'The proposed amount; refused if it has changed since.' },
      'transfers?': NamedTransfers('The `transfers` of the proposal, if any; refused if they have changed since.'),
      'unassign?': NamedTransfers('Its `unassign`, if any; refused if they have changed since.'),
    },
    answer: OperatorDispute,
    refusals: [...decisionRefusals, 'status_changed'],
  }),
  ask: operation('POST /disputes/{merchantId}/{id}/ask', 'support', {
    id: 'askAboutDispute',
    summary: 'Ask for more about an undecided dispute',
    description: 'The merchant sees the request in the history of the dispute, and answers with files.',
    body: { text: Type.Printable(1000, { description: 'What is missing.', examples: ['Please send the receipt'] }) },
    answer: OperatorDispute,
  }),
}
