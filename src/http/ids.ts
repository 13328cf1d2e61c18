import { Type } from 'typebox'
import { maxOrderIdLength } from '../domain/order-id.ts'
import { PrintableText } from './fields.ts'

/** Schema of an identifier of the service; the length keeps out `urn:uuid:`, which the database does not read. */
export const Id = Type.String({ format: 'uuid', maxLength: 36, examples: ['019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] })

/** Path parameter of the operations on one resource. */
export const IdParams = Type.Object({ id: Id })

/** Schema of an orderId: 1–128 well-formed printable characters. */
export const OrderId = PrintableText(maxOrderIdLength, {
  description: "The merchant's own identifier of the order, compared byte for byte.",
  examples: ['order-1001'],
})

/** Path parameter of the operations by order. */
export const OrderParams = Type.Object({ orderId: OrderId })
