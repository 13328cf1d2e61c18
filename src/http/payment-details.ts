import { type Static, Type } from './schema.ts'
import type { Payment } from '../domain/payment.ts'
import { paymentMethods } from '../domain/payment-method.ts'
import { MetadataAnswer } from './metadata.ts'
import { Id, PaymentStatus, Time, wire } from './fields.ts'

/** A payment with all that its merchant and operators may know of it. */
export const PaymentDetails = Type.Titled('Payment', {
  id: Id,
  orderId: Type.String(),
  status: { ...PaymentStatus, examples: ['paid'] },
  statusReason: Type.String({ examples: ['exact'] }),
  type: Type.OneOf(['direct', 'staged']),
  method: Type.OneOf(paymentMethods),
  currency: Type.String(),
  amount: Type.Number(),
  receivedAmount: Type.Number(),
  finalAmount: Type.Optional(Type.Number()),
  userId: Type.String(),
  metadata: Type.Optional(MetadataAnswer),
  linkId: Type.Optional(Id, 'The payment link by which its payer started it.'),
  sourcePan: Type.String(),
  createdAt: Time,
  expiredAt: Time,
  changedAt: Time,
  acknowledgedAt: Type.Optional(Time),
})

/** The wire form of a payment with its details. */
export const toPaymentDetails = (payment: Payment): Static<typeof PaymentDetails> =>
  wire.fields({
    id: payment.id,
    orderId: payment.orderId,
    status: payment.status,
    statusReason: payment.statusReason,
    type: payment.type,
    method: payment.method,
    currency: payment.currency,
    amount: wire.amount(payment.amount, payment.currency),
    receivedAmount: wire.amount(payment.received, payment.currency),
    finalAmount: wire.amount(payment.finalAmount, payment.currency),
    userId: payment.userId,
    metadata: payment.metadata,
    linkId: payment.linkId,
    sourcePan: payment.sourcePan,
    createdAt: wire.time(payment.createdAt),
    expiredAt: wire.time(payment.expiredAt),
    changedAt: wire.time(payment.changedAt),
    acknowledgedAt: wire.time(payment.acknowledgedAt),
  })
