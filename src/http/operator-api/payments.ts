import type { Tx } from '../../engine/context.ts'
import { listDisputesOfPayment, listReceiptsOf } from '../../engine/disputes/read.ts'
import { quoteCurrency } from '../../rules/values/currency.ts'
import type { Dispute } from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { getEntries } from '../../engine/ledger/read.ts'
import { listDeliveriesOf } from '../../engine/notifications/deliveries/read.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { countPayments, listMatchingPayments } from '../../engine/payments/listing/read.ts'
import { addPaymentNote, listPaymentNotes } from '../../engine/payments/notes/notes.ts'
import { findPaymentById, listPaymentEvents } from '../../engine/payments/read.ts'
import { listMoneyOf } from '../../engine/transfers/read.ts'
import { toDeliveryAnswer } from '../notifications/deliveries.ts'
import { toPaymentDetails, toRateOfPayment } from '../answers/payment-details.ts'
import { readPaymentFilter } from '../answers/payment-filters.ts'
import { wire } from '../../operations/fields.ts'
import { type OperatorPayment, payments, type Timeline } from '../../operations/payments.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { toReceiptAnswer } from './claims.ts'
import { toNotes } from '../../operations/operator-fields.ts'

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
export const paymentRoutes = bindNoun(payments, {
  list: async (context, { query }) => {
    const filter = readPaymentFilter(query)
    const sort = readSort(query, 'newest')
    const [{ payments: rows, ...end }, count] = await Promise.all([
      listMatchingPayments(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countPayments(context, filter),
    ])
    return { payments: rows.map(toAnswer), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
  show: async (context, request) => {
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
  cancel: async (context, request) => {
    const { merchantId, id } = request.params
    const act = { action: 'payment.cancel', subject: `payment:${merchantId}/${id}`, details: {} }
    const by = { actor: actorOf(request), reason: 'canceled-by-operator' } as const
    return toAnswer(await actOnBehalf(context, request, (tx) => cancelPayment(tx, { merchantId, id }, by), act))
  },
  note: async (context, request) => {
    const { merchantId, id } = request.params
    const { text } = request.body
    const act = { action: 'payment.note', subject: `payment:${merchantId}/${id}`, details: { text } }
    const write = (tx: Tx) => addPaymentNote(tx, request.params, actorOf(request), text)
    await actOnBehalf(context, request, write, act)
    return { notes: toNotes(await listPaymentNotes(context, merchantId, id)) }
  },
})
