import { currencyDecimals, toJsonNumber } from '../values/currency.ts'
import type { Payment, PaymentStatus } from '../payments/payment.ts'
import type { Settlement } from '../money/settlement.ts'
import type { Refund } from '../transfers/refund.ts'
import { formatInstant, hour, type Instant, minute } from '../time.ts'

/** Kinds of notifications that an endpoint may subscribe to (docs/domain.md §9). */
export const notificationKinds = [
  'payment.processing',
  'payment.paid',
  'payment.disput',
  'payment.disput-paid',
  'payment.expired',
  'payment.canceled',
  'payment.failed',
  'payment.ack-overdue',
  'payment.reversed',
  'settlement.approved',
  'settlement.paid',
  'settlement.failed',
  'settlement.canceled',
  'refund.approved',
  'refund.sent',
  'refund.done',
  'refund.refused',
  'refund.canceled',
  'refund.failed',
  'endpoint.test',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** The kind of notification for a payment's status (docs/domain.md §9). */
export const notificationKind = (status: PaymentStatus): string => `payment.${status}`

/** How long after a credit its acknowledgement is requested (docs/domain.md §4.3). */
export const ackReminderDelaysMs: readonly number[] = [5 * minute, hour, 24 * hour]

/** What a notification contains about a payment. */
export type NotifiedPayment = Pick<
  Payment,
  'id' | 'orderId' | 'sequence' | 'status' | 'statusReason' | 'amount' | 'finalAmount' | 'currency' | 'metadata'
> &
  Partial<Pick<Payment, 'linkId'>>

const body = (type: string, at: Instant, data: object): string =>
  JSON.stringify({ type, timestamp: formatInstant(at), data })

const paymentData = (payment: NotifiedPayment): object => {
  const decimals = currencyDecimals(payment.currency)
  return {
    id: payment.id,
    orderId: payment.orderId,
    sequence: payment.sequence,
    status: payment.status,
    statusReason: payment.statusReason,
    amount: toJsonNumber(payment.amount, decimals),
    ...(payment.finalAmount === null ? {} : { finalAmount: toJsonNumber(payment.finalAmount, decimals) }),
    currency: payment.currency,
    ...(payment.metadata === null ? {} : { metadata: payment.metadata }),
    ...(payment.linkId ? { linkId: payment.linkId } : {}),
  }
}

/** The notification of a payment's current state, as bytes frozen at the change: `{ type, timestamp, data }`. */
export const notificationBody = (payment: NotifiedPayment & Pick<Payment, 'changedAt'>): string =>
  body(notificationKind(payment.status), payment.changedAt, paymentData(payment))

/** The bytes of a reminder of an unacknowledged credit; `sequence` is that of the credit. */
export const ackOverdueBody = (payment: NotifiedPayment, creditedAt: Instant, now: Instant): string =>
  body('payment.ack-overdue', now, { ...paymentData(payment), creditedAt: formatInstant(creditedAt) })

/** The bytes of a test of one endpoint. */
export const endpointTestBody = (endpointId: string, now: Instant): string => body('endpoint.test', now, { endpointId })

/** The notification of a settlement's new status, as bytes. */
export const settlementBody = (settlement: Settlement): string =>
  body(`settlement.${settlement.status}`, settlement.changedAt, {
    id: settlement.id,
    reference: settlement.reference,
    sequence: settlement.sequence,
    status: settlement.status,
    amount: toJsonNumber(settlement.amount, currencyDecimals(settlement.currency)),
    currency: settlement.currency,
    destination: settlement.destination,
    ...(settlement.externalReference !== null && { externalReference: settlement.externalReference }),
    ...(settlement.failure !== null && { failure: settlement.failure }),
  })

/**
 * The notification that a bank reversed credited money, as bytes (docs/domain.md §9): `amount` in minor units of the
 * payment's currency, `net` what the merchant's balance lost. The payment keeps its status.
 */
export const reversalBody = (
  payment: NotifiedPayment & Pick<Payment, 'quoteCurrency'>,
  amount: bigint,
  net: bigint,
  at: Instant,
): string => {
  const { currency, quoteCurrency } = payment
  return body('payment.reversed', at, {
    ...paymentData(payment),
    reversedAmount: toJsonNumber(amount, currencyDecimals(currency)),
    balanceChange: { currency: quoteCurrency, amount: toJsonNumber(-net, currencyDecimals(quoteCurrency)) },
  })
}

/** The notification of a refund's new status, as bytes; `balanceChange` is what it takes of the merchant's balance. */
export const refundBody = (refund: Refund): string => {
  const { id, paymentId, orderId, reference, sequence, status, amount, currency, quoteCurrency, net, failure } = refund
  return body(`refund.${status}`, refund.changedAt, {
    ...{ id, paymentId, orderId, reference, sequence, status },
    ...{ amount: toJsonNumber(amount, currencyDecimals(currency)), currency },
    balanceChange: { currency: quoteCurrency, amount: toJsonNumber(-net, currencyDecimals(quoteCurrency)) },
    ...(failure !== null && { failure }),
  })
}
