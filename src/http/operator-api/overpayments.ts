import { type Static, Type } from '../../operations/schema.ts'
import { overpaymentDecisions } from '../../rules/transfers/overpayment.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { findAloneBound } from '../../engine/members/refuse-one-person.ts'
import { decideOverpayment, type NewDecision } from '../../engine/transfers/overpayments/decide-overpayment.ts'
import { listOverpayments } from '../../engine/transfers/read.ts'
import { findPaymentById } from '../../engine/payments/read.ts'
import { previewEntries } from '../../engine/ledger/post-entries.ts'
import { Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { ownersOf, readPage } from '../lists.ts'
import { OwnerQuery, pageOf, PageQuery } from '../../operations/lists.ts'
import {
  LedgerPreview,
  MerchantAndId,
  ofMerchant,
  Reason,
  Reference,
  toLedgerEffect,
} from '../../operations/operator-fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const OverpaymentDecisionAnswer = Type.Object({
  id: Id,
  merchantId: Id,
  paymentId: Id,
  reference: Type.String(),
  decision: Type.OneOf(overpaymentDecisions),
  currency: Type.String(),
  amount: Type.Number(),
  reason: Type.String(),
  decidedBy: Type.String({ examples: ['operator:anna'] }),
  decidedAt: Time,
})

/** What was decided about an overpayment. */
export type OverpaymentDecisionAnswer = Static<typeof OverpaymentDecisionAnswer>

const Overpayment = Type.Titled('Overpayment', {
  ...ofMerchant,
  paymentId: Id,
  orderId: Type.String(),
  currency: Type.String(),
  amount: Type.Number(),
})

/** Money beyond what a payment could be credited with. */
export type Overpayment = Static<typeof Overpayment>

const DecisionBody = Type.TitledExact('OverpaymentDecision', {
  reference: Reference,
  decision: Type.OneOf(overpaymentDecisions),
  amount: Type.Optional(PositiveAmount, 'Default: everything that is owed.'),
  requisiteId: Type.Optional(Id, 'For a refund: the requisite that sent it.'),
  bookedAt: Type.Optional(Time, 'For a refund: when the bank booked it. Default: now.'),
  reason: Reason,
})

type Asked = {
  readonly params: Static<typeof MerchantAndId>
  readonly body: Static<typeof DecisionBody>
  readonly operator: string
}

/** Reads the decision of a request. Refuses `payment_not_found`, `amount_above_max`, `amount_precision`. */
const readWanted = async (context: Context, { params, body, operator }: Asked): Promise<NewDecision> => {
  const { reference, decision, reason, requisiteId = null, bookedAt, amount } = body
  const payment = await findPaymentById(context, params.merchantId, params.id)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  return readBody((read) => ({
    ...{ merchantId: payment.merchantId, paymentId: payment.id, reference, decision, reason, requisiteId },
    amount: amount === undefined ? null : read.amount(body, 'amount', payment.currency),
    bookedAt: bookedAt === undefined ? context.clock() : read.instant(bookedAt, 'bookedAt'),
    decidedBy: actorOf({ operator }),
  }))
}

const decisionRefusals = [
  ...(['already_exists', 'balance_insufficient', 'payment_not_found', 'second_person_required'] as const),
  ...amountRefusals,
]

/** Overpayments, and decisions about them. */
export const overpaymentRoutes = routesForOperators()

const toOverpayment = ({ id, amount, ...row }: Awaited<ReturnType<typeof listOverpayments>>[number]): Overpayment => ({
  ...row,
  paymentId: id,
  amount: wire.amount(amount, row.currency),
})

overpaymentRoutes.get('/overpayments', 'read', {
  id: 'listOverpayments',
  summary: 'List payments whose payers are owed money',
  description: 'Newest first.',
  query: { ...PageQuery, ...OwnerQuery },
  answer: pageOf('overpayments', Overpayment),
  exports: 'overpayments',
  handle: (context, { query }) =>
    readPage(
      'overpayments',
      query,
      (span) => listOverpayments(context, { ...ownersOf(query), ...span }),
      toOverpayment,
    ),
})

overpaymentRoutes.post('/overpayments/:merchantId/:id/decisions', 'account', {
  id: 'decideOverpayment',
  summary: 'Decide about an overpayment of a payment',
  description:
    "`assign` credits it to the merchant at the payment's rate and fee, `refund` records that the bank account of `requisiteId` paid it back, `write-off` keeps it. What an operator writes off within 24 hours is bounded (`PAYIN_SECOND_PERSON_ABOVE`); more is an adjustment, which another operator posts.",
  params: MerchantAndId,
  body: DecisionBody,
  answer: OverpaymentDecisionAnswer,
  refusals: decisionRefusals,
  handle: async (context, request) => {
    const wanted = await readWanted(context, request)
    const decide = async (tx: Tx) => decideOverpayment(tx, wanted, await findAloneBound(context, tx, wanted.decidedBy))
    const decided = await actOnBehalf(context, request, decide, {
      action: `overpayment.${wanted.decision}`,
      subject: `payment:${wanted.merchantId}/${wanted.paymentId}`,
      details: (made) => ({ ...request.body, amount: made.amount }),
    })
    return wire.fields({ ...decided, amount: wire.amount(decided.amount, decided.currency) })
  },
})

overpaymentRoutes.post('/overpayments/:merchantId/:id/preview', 'read', {
  id: 'previewOverpaymentDecision',
  summary: 'Show what a decision about an overpayment would write',
  description: 'Makes the decision and rolls it back: nothing changes.',
  params: MerchantAndId,
  body: DecisionBody,
  answer: LedgerPreview,
  refusals: decisionRefusals,
  handle: async (context, request) => {
    const wanted = await readWanted(context, request)
    const decide = async (tx: Tx) => decideOverpayment(tx, wanted, await findAloneBound(context, tx, wanted.decidedBy))
    return { entries: toLedgerEffect(await previewEntries(context, decide)) }
  },
})
