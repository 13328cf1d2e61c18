import { currencyDecimals, quoteCurrency, quoteDecimals } from './currency.ts'
import { toJsonNumber } from './decimal.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import type { Settlement } from './settlement.ts'
import { formatInstant, type Instant } from './time.ts'

/** Kind of the notification that tells of a payment's status (domain rules §9). */
export const notificationKind = (status: PaymentStatus): string => `payment.${status}`

/** The bytes that tell of a payment's present state, frozen when the change happens: `{ type, timestamp, data }`. */
export const notificationBody = (payment: Payment): string => {
  const decimals = currencyDecimals(payment.currency)
  return JSON.stringify({
    type: notificationKind(payment.status),
    timestamp: formatInstant(payment.changedAt),
    data: {
      id: payment.id,
      orderId: payment.orderId,
      sequence: payment.sequence,
      status: payment.status,
      statusReason: payment.statusReason,
      amount: toJsonNumber(payment.amount, decimals),
      ...(payment.finalAmount === null ? {} : { finalAmount: toJsonNumber(payment.finalAmount, decimals) }),
      currency: payment.currency,
    },
  })
}

/** Kind of the notification that tells of a settlement that was paid out (domain rules §9). */
export const settlementKind = 'settlement.paid'

/** The bytes that tell of a settlement that was paid out: `{ type, timestamp, data }`. */
export const settlementBody = (settlement: Settlement): string =>
  JSON.stringify({
    type: settlementKind,
    timestamp: formatInstant(settlement.changedAt),
    data: {
      id: settlement.id,
      reference: settlement.reference,
      sequence: settlement.sequence,
      status: settlement.status,
      amount: toJsonNumber(settlement.amount, quoteDecimals),
      currency: settlement.currency,
      destination: settlement.destination,
      externalReference: settlement.externalReference,
    },
  })

/** Kind of the notification that tells of credited money that a bank took back; an extension beyond domain rules §9. */
export const reversalKind = 'payment.reversed'

/** The bytes that tell of credited money that a bank took back; the payment keeps its status. */
export const reversalBody = (payment: Payment, amount: bigint, net: bigint, now: Instant): string =>
  JSON.stringify({
    type: reversalKind,
    timestamp: formatInstant(now),
    data: {
      id: payment.id,
      orderId: payment.orderId,
      sequence: payment.sequence,
      status: payment.status,
      reversedAmount: toJsonNumber(amount, currencyDecimals(payment.currency)),
      currency: payment.currency,
      balanceChange: { currency: quoteCurrency, amount: toJsonNumber(-net, quoteDecimals) },
    },
  })
