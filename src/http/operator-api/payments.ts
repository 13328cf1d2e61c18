import { type Static, Type } from '../../operations/schema.ts'
import type { Tx } from '../../engine/context.ts'
import { listDisputesOfPayment, listReceiptsOf } from '../../engine/disputes/read.ts'
import { quoteCurrency } from '../../rules/values/currency.ts'
import { type Dispute, disputeStates } from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { partKinds } from '../../rules/transfers/transfer.ts'
import { getEntries } from '../../engine/ledger/read.ts'
import { listDeliveriesOf } from '../../engine/notifications/deliveries/read.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { countPayments, listMatchingPayments } from '../../engine/payments/listing/read.ts'
import { addPaymentNote, listPaymentNotes } from '../../engine/payments/notes/notes.ts'
import { findPaymentById, listPaymentEvents } from '../../engine/payments/read.ts'
import { listMoneyOf } from '../../engine/transfers/read.ts'
import { DeliveryAnswer } from '../../operations/deliveries.ts'
import { toDeliveryAnswer } from '../notifications/deliveries.ts'
import { PaymentDetails, RateOfPayment, toPaymentDetails, toRateOfPayment } from '../answers/payment-details.ts'
import { PaymentConditions, readPaymentFilter } from '../answers/payment-filters.ts'
import { Id, NoBody, PaymentStatus, Time, wire } from '../../operations/fields.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { routesForOperators } from '../routes/routes.ts'
import { ReceiptAnswer } from '../../operations/claims.ts'
import { toReceiptAnswer } from './claims.ts'
import { readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { filteredPageOf, FilterQuery } from '../../operations/lists.ts'
import {
  accountNames,
  MerchantAndId,
  NoteBody,
  Notes,
  ofMerchant,
  ofRequisite,
  toNotes,
} from '../../operations/operator-fields.ts'

const OperatorPayment = Type.Titled('OperatorPayment', {
  ...ofMerchant,
  ...PaymentDetails.properties,
  ...ofRequisite,
  bankIssuer: Type.Optional(Type.Text('The bank that the merchant asked for.')),
  rate: RateOfPayment,
  total: Type.Group('Before the fee.', { currency: Type.String({ examples: ['USDT'] }), amount: Type.Number() }),
  claimedAt: Type.Optional(Time, 'When the payer said "I have paid".'),
  claimReceivedAt: Type.Optional(Time, 'When the payer claimed to have paid a closed payment.'),
})

/** A payment as operators see it. */
export type OperatorPayment = Static<typeof OperatorPayment>

const Timeline = Type.Titled('OperatorPaymentTimeline', {
  ...OperatorPayment.properties,
  receipts: Type.Array(ReceiptAnswer, { description: 'Files that the payer sent.' }),
  events: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      status: PaymentStatus,
      statusReason: Type.String(),
      trigger: Type.String({ examples: ['money-right'] }),
      actor: Type.String({ examples: ['bank'] }),
      at: Time,
    }),
  ),
  entries: Type.Rows('Ledger entries, in posting order.', {
    id: Id,
    kind: Type.String({ examples: ['credit'] }),
    debit: Type.String({ examples: ['bank:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] }),
    credit: Type.String({ examples: ['fx:rub'] }),
    currency: Type.String(),
    amount: Type.Number(),
    ...accountNames,
    transferId: Type.Optional(Id),
    postedAt: Time,
  }),
  transfers: Type.Rows('The transfers that paid it, and how much of each.', {
    ...ofRequisite,
    id: Id,
    kind: Type.OneOf(partKinds),
    amount: Type.Number(),
    outcome: Type.String({ examples: ['exact'] }),
    by: Type.Text('Who decided.', 'service'),
    note: Type.Optional(Type.Text('Why, in the words of whoever decided.')),
    bookedAt: Time,
    sender: Type.Optional(Type.Text('Masked.')),
    bankReference: Type.Optional(Type.String()),
  }),
  disputes: Type.Rows('Newest first.', {
    id: Id,
    state: Type.OneOf(disputeStates),
    reason: Type.String(),
    amount: Type.Number(),
    openedAt: Time,
  }),
  deliveries: Type.Array(Type.Object({ endpointId: Id, ...DeliveryAnswer.properties }), {
    description: 'The newest 50 deliveries about it, newest first.',
  }),
  notes: Notes,
})

/** A payment with its events, ledger entries, transfers, disputes, deliveries and notes. */
export type Timeline = Static<typeof Timeline>

const toAnswer = (payment: Payment): OperatorPayment =>
  wire.fields({
    merchantId: payment.merchantId,
    ...toPaymentDetails(payment),
    requisiteId: payment.requisiteId,
    bankIssuer: payment.bankIssuer,
    rate: toRateOfPayment(payment),
    total: { currency: quoteCurrency, amount: wire.quote(payment.total) },
    claimedAt: payment.claimedAt,
    claimReceivedAt: payment.claimReceivedAt,
  })

const toEntry = ({
  debitAccount: debit,
  creditAccount: credit,
  ...row
}: Awaited<ReturnType<typeof getEntries>>[number]) =>
  wire.fields({ ...row, debit, credit, amount: wire.money(row.amount, row.currency) })

const toRelated = (
  currency: string,
  money: Awaited<ReturnType<typeof listMoneyOf>>,
  disputes: readonly Dispute[],
  deliveries: Awaited<ReturnType<typeof listDeliveriesOf>>,
): Pick<Timeline, 'transfers' | 'disputes' | 'deliveries'> => ({
  transfers: money.map(({ amount, decidedBy: by, senderMasked, ...part }) =>
    wire.fields({
      ...{ ...part, by, amount: wire.amount(amount, currency) },
      sender: senderMasked === '' ? null : senderMasked,
    }),
  ),
  disputes: disputes.map(({ id, state, reason, amount, openedAt }) =>
    wire.fields({ id, state, reason, amount: wire.amount(amount, currency), openedAt }),
  ),
  deliveries: deliveries.map(({ endpointId, ...delivery }) => ({ endpointId, ...toDeliveryAnswer(delivery) })),
})

/** Payments of all merchants. */
export const paymentRoutes = routesForOperators()

const PaymentFilterQuery = { ...FilterQuery, ...PaymentConditions }

paymentRoutes.get('/payments', 'read', {
  id: 'listAllPayments',
  summary: 'List payments of all merchants or of one',
  description: 'Newest first by default; times are creation times.',
  query: PaymentFilterQuery,
  answer: filteredPageOf('payments', OperatorPayment),
  exports: {
    rows: 'payments',
    columns:
      'id,merchantId,orderId,status,statusReason,method,requisiteId,currency,amount,receivedAmount,finalAmount,total.amount,userId,sourcePan,createdAt,expiredAt,changedAt,acknowledgedAt',
  },
  handle: async (context, { query }) => {
    const filter = readPaymentFilter(query)
    const sort = readSort(query, 'newest')
    const [{ payments, ...end }, count] = await Promise.all([
      listMatchingPayments(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countPayments(context, filter),
    ])
    return { payments: payments.map(toAnswer), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
})

paymentRoutes.get('/payments/:merchantId/:id', 'read', {
  id: 'getPaymentTimeline',
  summary: 'Read a payment with its events, ledger entries, transfers, disputes, deliveries and notes',
  description: 'Everything known about it, in the order in which it happened.',
  params: MerchantAndId,
  answer: Timeline,
  refusals: ['payment_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const payment = await findPaymentById(context, merchantId, id)
    if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
    const [notes, events, entries, receipts, ...related] = await Promise.all([
      listPaymentNotes(context, merchantId, id),
      listPaymentEvents(context, merchantId, id),
      getEntries(context, merchantId, id),
      listReceiptsOf(context, [{ merchantId, paymentId: id }]),
      listMoneyOf(context, merchantId, id),
      listDisputesOfPayment(context, payment),
      listDeliveriesOf(context, merchantId, id),
    ])
    return {
      ...toAnswer(payment),
      receipts: receipts.map(toReceiptAnswer),
      events: events.map(({ paymentId, at, ...event }) => ({ ...event, at: wire.time(at) })),
      entries: entries.map(toEntry),
      ...toRelated(payment.currency, ...related),
      notes: toNotes(notes),
    }
  },
})

paymentRoutes.post('/payments/:merchantId/:id/cancel', 'support', {
  id: 'cancelPaymentAsOperator',
  summary: 'Cancel a payment for which no money has arrived',
  description: 'Refused with `invalid_state` once money has arrived or the payment is closed.',
  params: MerchantAndId,
  body: NoBody,
  answer: OperatorPayment,
  refusals: ['invalid_state', 'payment_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const act = { action: 'payment.cancel', subject: `payment:${merchantId}/${id}`, details: {} }
    const by = { actor: actorOf(request), reason: 'canceled-by-operator' } as const
    return toAnswer(await actOnBehalf(context, request, (tx) => cancelPayment(tx, { merchantId, id }, by), act))
  },
})

paymentRoutes.post('/payments/:merchantId/:id/notes', 'support', {
  id: 'addPaymentNote',
  summary: 'Write a note about a payment',
  description: 'Only operators see notes. Notes cannot be deleted.',
  params: MerchantAndId,
  body: NoteBody,
  answer: { notes: Notes },
  refusals: ['invalid_state', 'payment_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    const { text } = request.body
    const act = { action: 'payment.note', subject: `payment:${merchantId}/${id}`, details: { text } }
    const write = (tx: Tx) => addPaymentNote(tx, request.params, actorOf(request), text)
    await actOnBehalf(context, request, write, act)
    return { notes: toNotes(await listPaymentNotes(context, merchantId, id)) }
  },
})
