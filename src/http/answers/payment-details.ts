import { type Static, Type } from '../../operations/schema.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { type Payment, paymentTypes } from '../../rules/payments/payment.ts'
import { MetadataAnswer } from './metadata.ts'
import { Amount, Id, PaymentStatus, Time, wire } from '../../operations/fields.ts'

/** A payment with everything that its merchant and operators may know about it. */
export const PaymentDetails = Type.Titled('Payment', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: { ...PaymentStatus, examples: ['paid'] },
  statusReason: Type.String({ examples: ['exact'] }),
  type: Type.OneOf(paymentTypes),
  method: Type.OneOf(paymentMethods),
  currency: Type.String({ examples: ['rub'] }),
  amount: Amount,
  receivedAmount: Amount,
  finalAmount: Type.Optional(Amount),
  userId: Type.String({ examples: ['user-17'] }),
  metadata: Type.Optional(MetadataAnswer),
  linkId: Type.Optional(Id, 'The payment link from which its payer started it.'),
  sourcePan: Type.String({ examples: [''] }),
  createdAt: Time,
  expiredAt: Time,
  changedAt: Time,
  acknowledgedAt: Type.Optional(Time),
})

/** Schema of the rate of a payment. */
export const RateOfPayment = Type.Group('The rate locked at creation.', {
  price: Type.Number({ examples: [92.5] }),
  createdAt: Time,
  laterPrice: Type.Optional(
    Type.Number({ examples: [93.1] }),
    'The worse price of what exceeds the amount or came late.',
  ),
})

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
