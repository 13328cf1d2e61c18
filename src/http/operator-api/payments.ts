import type { Tx } from '../../engine/context.ts'
import { listDisputesOfPayment, listReceiptsOf } from '../../engine/disputes/read.ts'
import { getEntries } from '../../engine/ledger/read.ts'
import { listDeliveriesOf } from '../../engine/notifications/deliveries/read.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { countPayments, listMatchingPayments } from '../../engine/payments/listing/read.ts'
import { addPaymentNote, listPaymentNotes } from '../../engine/payments/notes.ts'
import { getPaymentById, listPaymentEvents } from '../../engine/payments/read.ts'
import { listMoneyOf } from '../../engine/transfers/read.ts'
import { toDeliveryAnswer } from '../notifications/deliveries.ts'
import { maskIfKnown } from '../../rules/values/masking.ts'
import { toPaymentDetails } from '../answers/payment-details.ts'
import { readPaymentFilter } from '../answers/payment-filters.ts'
import { payments } from '../../operations/payments.ts'
import { actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { toNotes } from '../../operations/fields.ts'
import type { Payment } from '../../rules/payments/payment.ts'

/** Merchants get the payer's number as it is stored; people see it masked as every other one. */
const withMask = (payment: Payment) => ({
  ...toPaymentDetails(payment),
  sourcePan: maskIfKnown(payment.sourcePan),
})

/** Payments of all merchants. */
export const paymentRoutes = bindOperations(payments.operations, {
  list: async (context, { query }) => {
    const filter = readPaymentFilter(query)
    const sort = readSort(query, 'newest')
    const [{ payments: rows, ...end }, count] = await Promise.all([
      listMatchingPayments(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countPayments(context, filter),
    ])
    return { payments: rows.map(withMask), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
  show: async (context, request) => {
    const { merchantId, id } = request.params
    const payment = await getPaymentById(context, merchantId, id)
    const [notes, events, entries, receipts, transfers, listedDisputes, deliveries] = await Promise.all([
      listPaymentNotes(context, merchantId, id),
      listPaymentEvents(context, merchantId, id),
      getEntries(context, merchantId, id),
      listReceiptsOf(context, [{ merchantId, paymentId: id }]),
      listMoneyOf(context, merchantId, id),
      listDisputesOfPayment(context, payment),
      listDeliveriesOf(context, merchantId, id),
    ])
    return {
      ...withMask(payment),
      ...{ receipts, events, disputes: listedDisputes, deliveries: deliveries.map(toDeliveryAnswer) },
      entries: entries.map((entry) => ({ ...entry, debit: entry.debitAccount, credit: entry.creditAccount })),
      transfers: transfers.map(({ decidedBy: by, senderMasked: sender, ...part }) => ({
        ...{ ...part, by, sender: maskIfKnown(sender) || null },
      })),
      notes: toNotes(notes),
    }
  },
  cancel: async (context, request) => {
    const by = { actor: actorOf(request), reason: 'canceled-by-operator' } as const
    const cancel = (tx: Tx) => cancelPayment(tx, request.params, by)
    return withMask(await actOnNamed(context, request, 'payment.cancel', cancel))
  },
  note: async (context, request) => {
    const { merchantId, id } = request.params
    const write = (tx: Tx) => addPaymentNote(tx, request.params, actorOf(request), request.body.text)
    await actOnNamed(context, request, 'payment.note', write)
    return { notes: toNotes(await listPaymentNotes(context, merchantId, id)) }
  },
})
