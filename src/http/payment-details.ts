import { type Static, Type } from 'typebox'
import type { Payment } from '../domain/payment.ts'
import { paymentMethods } from '../domain/payment-method.ts'
import { formatInstant } from '../domain/time.ts'
import { wireAmount } from './amounts.ts'
import { OneOf, PaymentStatus, Time } from './fields.ts'
import { Id } from './ids.ts'
import { ShortPageQuery } from './paging.ts'

/** A payment with all that its merchant and operators may know of it. */
export const PaymentDetails = Type.Object({
  id: Id,
  orderId: Type.String(),
  status: PaymentStatus,
  statusReason: Type.String({ examples: ['exact'] }),
  type: OneOf(['direct', 'staged']),
  method: OneOf(paymentMethods),
  currency: Type.String(),
  amount: Type.Number(),
  receivedAmount: Type.Number(),
  finalAmount: Type.Optional(Type.Number()),
  userId: Type.String(),
  sourcePan: Type.String(),
  createdAt: Time,
  expiredAt: Time,
  changedAt: Time,
  acknowledgedAt: Type.Optional(Time),
})

/** The wire form of a payment with its details. */
export const toPaymentDetails = (payment: Payment): Static<typeof PaymentDetails> => ({
  id: payment.id,
  orderId: payment.orderId,
  status: payment.status,
  statusReason: payment.statusReason,
  type: payment.type,
  method: payment.method,
  currency: payment.currency,
  amount: wireAmount(payment.amount, payment.currency),
  receivedAmount: wireAmount(payment.received, payment.currency),
  ...(payment.finalAmount === null ? {} : { finalAmount: wireAmount(payment.finalAmount, payment.currency) }),
  userId: payment.userId,
  sourcePan: payment.sourcePan,
  createdAt: formatInstant(payment.createdAt),
  expiredAt: formatInstant(payment.expiredAt),
  changedAt: formatInstant(payment.changedAt),
  ...(payment.acknowledgedAt === null ? {} : { acknowledgedAt: formatInstant(payment.acknowledgedAt) }),
})

/** Query of a list of payments: a cursor and filters. */
export const PaymentListQuery = {
  ...ShortPageQuery,
  status: Type.Optional(PaymentStatus),
  acknowledged: Type.Optional(
    OneOf(['true', 'false'], { description: 'Only paid and disput-paid payments that are, or are not, acknowledged.' }),
  ),
}
