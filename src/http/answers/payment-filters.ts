import type { Static, Type } from '../../operations/schema.ts'
import type { PaymentFilter } from '../../engine/payments/listing/read.ts'
import type { FilterQuery } from '../../operations/lists.ts'
import type { PaymentConditions } from '../../operations/payments.ts'
import { readFilter } from '../routes/lists.ts'

type Given = Static<ReturnType<typeof Type.Object<typeof FilterQuery & typeof PaymentConditions>>>

/** The conditions of a query of payments. Refuses `validation_failed`. */
export const readPaymentFilter = (query: Given): PaymentFilter => {
  const { status = null, acknowledged, userId = null, payerDigits = null, unusual = null, linkId = null } = query
  const isAcknowledged = acknowledged === undefined ? null : acknowledged === 'true'
  return { ...readFilter(query), status, acknowledged: isAcknowledged, userId, payerDigits, unusual, linkId }
}
