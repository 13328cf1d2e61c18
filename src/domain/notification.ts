import { currencyDecimals } from './currency.ts'
import { toJsonNumber } from './decimal.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { formatInstant } from './time.ts'

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
