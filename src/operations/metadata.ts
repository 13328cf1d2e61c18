import { Type } from './schema.ts'
import type { Metadata as Pairs } from '../rules/payments/payment.ts'
import { orderIdPattern } from '../rules/payments/order-id.ts'

const examples = [{ cart: '8213', campaign: 'autumn' }]

/** Schema of a merchant's own pairs in a request; a name begins with a letter or digit, so that none is `__proto__`. */
export const Metadata = Type.Unsafe<Pairs>({
  type: 'object',
  maxProperties: 20,
  propertyNames: Type.Pattern('has a name that is not 1–40 letters, digits, dots, dashes and underscores.', {
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$',
  }),
  additionalProperties: Type.Pattern('must be up to 500 printable characters.', {
    maxLength: 500,
    pattern: orderIdPattern.replace('+$', '*$'),
  }),
  description:
    'Up to 20 named texts of your own, kept with the payment and shown in lists, the timeline and notifications. Sending other metadata with the same `orderId` changes nothing.',
  examples,
})

export const MetadataAnswer = Type.Unsafe<Pairs>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Metadata that the merchant sent with the payment.',
  examples,
})
