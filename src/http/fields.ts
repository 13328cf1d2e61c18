import { Type } from 'typebox'
import { orderIdPattern } from '../domain/order-id.ts'
import { paymentStatuses } from '../domain/payment.ts'
import { scopedMethods, transferScopes } from '../domain/payment-method.ts'
import { formatInstant, type Instant } from '../domain/time.ts'

/** Schema of a text that is one of a few values: an `enum` of JSON Schema. */
export const OneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })

/** Values in a description, as code: `` `sbp`, `by-phone` ``. */
export const asCode = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')

/** Schema of a transfer's scope. */
export const Scope = OneOf(transferScopes, { description: `Required with, and only with, ${asCode(scopedMethods)}.` })

const patternsInWords = new Map<string, string>()

/** Schema of a text with a pattern; `mustBe` says the same in words, for refusals: nobody reads patterns. */
export const PatternText = (
  mustBe: string,
  options: { readonly pattern: string } & Readonly<Record<string, unknown>>,
) => {
  patternsInWords.set(options.pattern, mustBe)
  return Type.String(options)
}

/** What a text of this pattern must be, in words. */
export const describePattern = (pattern: unknown): string | undefined => patternsInWords.get(String(pattern))

/** Schema of printable text of 1 to `maxLength` characters. */
export const PrintableText = (maxLength: number, options: object = {}) =>
  PatternText('must be printable characters.', { minLength: 1, maxLength, pattern: orderIdPattern, ...options })

/** Schema of a point in time. */
export const Time = Type.String({ format: 'date-time', examples: ['2026-01-31T12:30:00.000Z'] })

/** A point in time in the form of `Time`; `null` stays `null`. */
export const wireTime = (at: Instant | null): string | null => (at === null ? null : formatInstant(at))

/** The earliest time accepted: no bank of today booked anything before, and the database does not read the year 0. */
export const earliestTime = Date.UTC(2000, 0, 1)

/** Why `parseTime` does not accept a time, for refusals. */
export const tooEarly = 'is not a time since the year 2000.'

/** The instant of a text that `Time` has validated; `undefined` before `earliestTime`. */
export const parseTime = (text: string): Instant | undefined => {
  const value = Date.parse(text)
  return value >= earliestTime ? value : undefined
}

/** Schema of a payment's status. */
export const PaymentStatus = OneOf(paymentStatuses, {
  description: 'Payment status. An unknown status means "not decided yet": go on polling.',
  examples: ['new'],
})

/** Schema of a bank issuer's code. */
export const BankCode = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$', examples: ['sberbank'] })

/** Schema of a body that is empty or left out. */
export const NoBody = Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()])
