import { type Static, Type } from '../../operations/schema.ts'
import type { PaymentFilter } from '../../engine/payments/listing/read.ts'
import { unusualPayments } from '../../rules/payments/payment.ts'
import { Id, PaymentStatus } from '../../operations/fields.ts'
import { readFilter } from '../routes/lists.ts'
import { FilterQuery } from '../../operations/lists.ts'

/** Filters of payments only, in addition to those that they share with transfers. */
export const PaymentConditions = {
  status: Type.Optional(PaymentStatus),
  acknowledged: Type.Optional(
    Type.OneOf(['true', 'false'], 'Only paid and disput-paid payments that are, or are not, acknowledged.'),
  ),
  userId: Type.Optional(Type.Printable(200, "The merchant's identifier of the payer.")),
  payerDigits: Type.Optional(
    Type.Pattern('must be four digits.', {
      pattern: '^[0-9]{4}$',
      description: "The last four digits of the payer's number.",
      examples: ['4567'],
    }),
  ),
  linkId: Type.Optional(Id, 'Only those started from this payment link.'),
  unusual: Type.Optional(
    Type.OneOf(
      unusualPayments,
      '`amount`: another amount arrived; `late`: the money arrived late; `disputed`: it is or was in dispute.',
    ),
  ),
}

type Given = Static<ReturnType<typeof Type.Object<typeof FilterQuery & typeof PaymentConditions>>>

/** The conditions of a query of payments. Refuses `validation_failed`. */
export const readPaymentFilter = (query: Given): PaymentFilter => {
  const { status = null, acknowledged, userId = null, payerDigits = null, unusual = null, linkId = null } = query
  const isAcknowledged = acknowledged === undefined ? null : acknowledged === 'true'
  return { ...readFilter(query), status, acknowledged: isAcknowledged, userId, payerDigits, unusual, linkId }
}
