import { decisionWords } from '../rules/transfers/transfer.ts'
import { countDecided, hasRefused, KeyHeader } from './decide-many.ts'
import { Id, idOf, ofRequisite, Reason } from './fields.ts'
import { decisionEffect, Shares } from './inbox.ts'
import { operation } from './operation.ts'
import { type Forms, type Static, presented, Type } from './schema.ts'

export const mostAtOnce = 1000

const Decided = Type.Titled('DecidedTransfer', {
  ...ofRequisite,
  id: idOf('transfer'),
  decision: Type.OneOf(decisionWords),
  state: Type.OneOf(
    ['done', 'possible', 'refused'],
    '`possible`: only previewed. `refused`: nothing was decided about it.',
  ),
  'code?': Type.Text('Reason it was refused.', 'invalid_state'),
  'message?': Type.String({ heading: 'Reason' }),
  ...decisionEffect,
})
export type DecidedTransfer = Static<typeof Decided>

const DecideTransfersAnswer = Type.Object({
  'id?': presented(Id, 'The decision; absent for a preview.'),
  transfers: Type.Array(Decided, { description: 'In the order of the request.' }),
})
export type DecideTransfersAnswer = Static<typeof DecideTransfersAnswer>

const Wanted = Type.Exact({
  requisiteId: idOf('requisite'),
  id: idOf('transfer'),
  decision: Type.OneOf(
    decisionWords,
    '`accept`: assign it as its first suggestion says. `ignore`: it belongs to no payment. For a possible duplicate, `same-money`: it is the money of `duplicateOf` and leaves the ledger; `other-money`: it is not, and belongs to no payment either. `park`: leave it in the inbox, marked.',
  ),
  'shares?': presented(Shares, 'Only for `assign`.'),
  'note?': presented(Reason, "Why. Default: the request's note."),
})
export type WantedTransfer = Static<typeof Wanted>

const DecideTransfersBody = Type.Exact({
  'transfers?': Type.Array(Wanted, { minItems: 1, maxItems: mostAtOnce }),
  'statementId?': presented(idOf('statement'), 'Decide `same-money` about all possible duplicates of this statement.'),
  'note?': presented(Reason, 'Why; required for transfers that are not assigned.'),
  'preview?': Type.Flag(
    'Only show what each decision would do on its own, up to the status of its payments, and whether it could be revoked; nothing changes.',
  ),
})
export type DecideTransfersBody = Static<typeof DecideTransfersBody>

type Effect = Pick<DecidedTransfer, 'payments' | 'revocable' | 'whyIrrevocable'>

/** What becomes of the payments that get money, one per line. */
export const describePayments = ({ payments = [] }: Effect, { amount }: Forms): string =>
  payments
    .map(({ orderId, before, after, finalAmount, currency }) => {
      const change = before === after ? `${orderId} stays ${after}` : `${orderId} ${before} → ${after}`
      return finalAmount === undefined ? change : `${change} with ${amount(finalAmount, currency)}`
    })
    .join('\n')

/** Whether the decision could be revoked, or why not. */
export const describeRevocable = ({ revocable, whyIrrevocable }: Effect): string | undefined =>
  revocable === undefined ? undefined : revocable ? 'for a day' : ['No.', whyIrrevocable].join(' ')

const columns = [
  ...(['id', 'requisiteId', 'decision', 'state', 'message'] as const),
  { heading: 'Payments', show: describePayments },
  { heading: 'Revocable', show: describeRevocable },
] as const

/** What commands that decide about transfers have in common. */
const one = {
  options: { note: '--reason' },
  columns,
  note: ({ transfers }: DecideTransfersAnswer) => countDecided(transfers),
  fails: ({ transfers }: DecideTransfersAnswer) => hasRefused(transfers),
  patient: true,
} as const

const named = { ...one, list: 'transfers', only: ['id', 'note'] } as const

export const transferDecisions = {
  decide: operation('POST /transfers/decide', 'decide', {
    id: 'decideTransfers',
    summary: 'Decide about many transfers in the inbox',
    description:
      'Each has its own transaction and audit entry; if one is refused, the others are still decided. With an `Idempotency-Key`, a repeated request gets the same results and continues where the first was cut off; with another body it is refused with `409 already_exists`.',
    bodyLimit: 1024 * 1024,
    headers: KeyHeader,
    body: DecideTransfersBody,
    answer: DecideTransfersAnswer,
    refusals: ['already_exists', 'invalid_state', 'payment_not_found', 'resource_not_found'],
    command: {
      ...one,
      about:
        'Decide about up to 1000 transfers in the inbox from a file, and show each result. Exits with 1 if one was refused.',
      list: 'transfers',
      cells: { shares: 'to' },
      only: ['note', 'preview'],
    },
    commands: {
      accept: {
        ...named,
        about: 'Assign a transfer in the inbox as its first suggestion says.',
        fixed: { decision: 'accept' },
      },
      park: {
        ...named,
        fixed: { decision: 'park' },
        about: 'Park a transfer in the inbox for later, with the reason; any other decision ends that.',
      },
      'same-money': {
        ...one,
        only: ['statementId', 'note'],
        about:
          'Say that possible duplicates are the same money: all of a statement, or those named. Exits with 1 if one was refused.',
        empty: 'No possible duplicates wait. Everything that waits: payin transfers list --unmatched',
      },
    },
  }),
}
