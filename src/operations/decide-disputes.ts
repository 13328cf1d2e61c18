import { countDecided, hasRefused, KeyHeader } from './decide-many.ts'
import { NamedTransfers } from './decide-dispute.ts'
import { Id, idOf, LedgerEffect, ofMerchant, OrderOf, PaymentStatus, PositiveAmount } from './fields.ts'
import { operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const mostAtOnce = 500

const words = ['accept', 'reject', 'confirm'] as const

const Note = Type.Printable(1000, "Why; the merchant sees it. Default: the request's note.")

export const WantedDispute = Type.Exact({
  merchantId: idOf('merchant'),
  id: idOf('dispute'),
  decision: Type.OneOf(
    words,
    '`accept` and `reject` as in the decision about one dispute. `confirm`: as a second operator, confirm the `amount`, `transfers` and `unassign` that another one proposed.',
  ),
  'amount?': presented(
    PositiveAmount,
    'For `accept`: the amount to credit; default: all money that the payment then has, or the claimed amount, at most that of the payment. For `confirm`: the proposed amount.',
  ),
  'transfers?': NamedTransfers(
    'For `accept`: transfers in the inbox to assign to the payment. For `confirm`: those of the proposal.',
  ),
  'unassign?': NamedTransfers(
    'For `accept`: transfers of the payment to unassign. For `confirm`: those of the proposal.',
  ),
  'note?': Note,
})
export type WantedDispute = Static<typeof WantedDispute>

const Decided = Type.Titled('DecidedDispute', {
  ...ofMerchant,
  id: Id,
  'paymentId?': presented(Id, { heading: 'Payment id' }),
  'orderId?': OrderOf,
  decision: Type.OneOf(words),
  state: Type.OneOf(
    ['done', 'proposed', 'possible', 'refused'],
    '`proposed`: no money covers the amount, and another operator must confirm it. `possible`: only previewed. `refused`: nothing was decided about it.',
  ),
  'code?': Type.Text('Why it was refused.', 'invalid_state'),
  'message?': Type.String({ heading: 'Reason' }),
  'status?': presented(PaymentStatus, {
    description: 'In a preview: the status that the payment would have.',
    heading: 'Payment',
  }),
  'needsSecondOperator?': Type.Flag('In a preview: no money covers the amount, and another operator must confirm it.'),
  'entries?': presented(LedgerEffect, 'In a preview: the ledger entries that the decision would write, in order.'),
})
export type DecidedDispute = Static<typeof Decided>

export type DecideDisputesAnswer = { readonly disputes: readonly DecidedDispute[] }

const DecideDisputesBody = Type.Exact({
  disputes: Type.Array(WantedDispute, { minItems: 1, maxItems: mostAtOnce }),
  'note?': presented(Note, 'Why; required unless each dispute has its own note. The merchant sees it.'),
  'preview?': Type.Flag('Only show what each decision would do on its own; nothing changes.'),
})

const describeState = ({ state, needsSecondOperator }: DecidedDispute): string =>
  needsSecondOperator === true ? 'needs a second operator' : state

const columns = [
  { heading: 'Dispute', show: ({ orderId, id }: DecidedDispute) => orderId ?? id },
  'decision',
  { heading: 'State', show: describeState },
  ...(['message', 'merchantId', 'status', 'id'] as const),
] as const

/** What commands that decide about disputes have in common. */
const one = {
  list: 'disputes',
  options: { note: '--reason' },
  columns,
  note: ({ disputes: decided }: DecideDisputesAnswer) => countDecided(decided),
  fails: ({ disputes: decided }: DecideDisputesAnswer) => hasRefused(decided),
  patient: true,
} as const

export const disputeDecisions = {
  decide: operation('POST /disputes/decide', 'decide', {
    id: 'decideDisputes',
    summary: 'Decide about many disputes',
    description:
      'Each has its own transaction and audit entry; if one is refused, the others are still decided. With an `Idempotency-Key`, a repeated request gets the same results for 30 days and continues where the first was cut off; with another body it is refused with `409 already_exists`.',
    bodyLimit: 1024 * 1024,
    headers: KeyHeader,
    body: DecideDisputesBody,
    answer: { disputes: Type.Array(Decided, { description: 'In the order of the request.' }) },
    refusals: [
      'already_exists',
      'amount_below_min',
      'invalid_state',
      'resource_not_found',
      'second_person_required',
      'status_changed',
    ],
    command: {
      ...one,
      about:
        'Decide about up to 500 disputes from a file, and show each result; transfers are named like A1 + A2. Exits with 1 if one was refused.',
      only: ['note', 'preview'],
    },
    commands: {
      accept: {
        ...one,
        about: 'Credit a disputed payment; --preview only shows what it would do.',
        only: ['id', 'amount', 'transfers', 'unassign', 'note', 'preview'],
        fixed: { decision: 'accept' },
      },
    },
  }),
}
