import type { Static } from '../../operations/schema.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { wire } from '../../operations/fields.ts'
import type { PaymentDetails, RateOfPayment } from '../../operations/payments.ts'

/** The wire form of the rate of a payment. */
export const toRateOfPayment = ({ ratePrice, rateCreatedAt, laterPrice }: Payment): Static<typeof RateOfPayment> => ({
  price: wire.price(ratePrice),
  createdAt: wire.time(rateCreatedAt),
  ...(laterPrice === null ? {} : { laterPrice: wire.price(laterPrice) }),
})

/** The wire form of a payment with its details. */
export const toPaymentDetails = (payment: Payment): Static<typeof PaymentDetails> => {
  const { currency } = payment
  return wire.fields({
    id: payment.id,
    orderId: payment.orderId,
    status: payment.status,
    statusReason: payment.statusReason,
    type: payment.type,
    method: payment.method,
    currency,
    userId: payment.userId,
    metadata: payment.metadata,
    linkId: payment.linkId,
    sourcePan: payment.sourcePan,
    createdAt: payment.createdAt,
    expiredAt: payment.expiredAt,
    changedAt: payment.changedAt,
    acknowledgedAt: payment.acknowledgedAt,
    amount: wire.amount(payment.amount, currency),
    receivedAmount: wire.amount(payment.received, currency),
    finalAmount: wire.amount(payment.finalAmount, currency),
  })
}
