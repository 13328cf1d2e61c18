import { Type } from 'typebox'
import { currencyDecimals, quoteCurrency, quoteDecimals } from '../domain/currency.ts'
import { toJsonNumber } from '../domain/decimal.ts'
import { maxOrderIdLength, orderIdPattern } from '../domain/order-id.ts'
import { paymentStatuses } from '../domain/payment.ts'
import { priceDecimals } from '../domain/rate.ts'

/** A union of words as a JSON Schema `enum`. */
export const words = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })

const formWords = new Map<string, string>()

/** Schema of a text of a form; `mustBe` tells the form in words, because nobody reads patterns. */
export const Formed = (mustBe: string, options: { readonly pattern: string } & Readonly<Record<string, unknown>>) => {
  formWords.set(options.pattern, mustBe)
  return Type.String(options)
}

/** What a text of this pattern must be, in words. */
export const wordsOfForm = (pattern: unknown): string | undefined => formWords.get(String(pattern))

/** Schema of the number of rows of a page, up to 100 or 500. */
export const PageLimit = (most: 100 | 500) =>
  Formed(`must be a whole number from 1 to ${most}.`, {
    pattern: most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9][0-9]?|[1-4][0-9]{2}|500)$',
    description: `Rows of a page, 1–${most}; 50 unless told.`,
  })

/** Schema of a place in a sequence. */
export const Place = (options: object) =>
  Formed('must be a whole number, as an earlier answer has it.', { pattern: '^(0|[1-9][0-9]{0,17})$', ...options })

/** Schema of an orderId: 1–128 well-formed printable characters. */
export const OrderId = Formed('must be printable characters.', {
  minLength: 1,
  maxLength: maxOrderIdLength,
  pattern: orderIdPattern,
  description: "The merchant's own identifier of the order, compared byte for byte.",
  examples: ['order-1001'],
})

/** Path parameter of the operations by order. */
export const OrderParams = Type.Object({ orderId: OrderId })

/** Schema of a payment's status. */
export const Status = words(paymentStatuses, {
  description: 'Payment status. An unknown status means "not decided yet": go on polling.',
  examples: ['new'],
})

/** Schema of an identifier of the service. */
export const Id = Type.String({ format: 'uuid', maxLength: 36, examples: ['019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] })

/** Schema of a point in time. */
export const Time = Type.String({ format: 'date-time', examples: ['2026-01-31T12:30:00.000Z'] })

/** JSON number of an amount in minor units of a fiat currency. */
export const wireAmount = (minor: bigint, currency: string): number => toJsonNumber(minor, currencyDecimals(currency))

/** JSON number of an amount in the quote currency. */
export const wireQuote = (micro: bigint): number => toJsonNumber(micro, quoteDecimals)

/** JSON number of a rate's price. */
export const wirePrice = (price: bigint): number => toJsonNumber(price, priceDecimals)

/** Schema of a refusal (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ examples: ['urn:payin:problem:validation_failed'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ examples: ['validation_failed'] }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })),
    ),
    statementId: Type.Optional(Type.String({ description: 'The refused statement, which stays in the history.' })),
    alternatives: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), value: Type.Union([Type.String(), Type.Number()]) })),
    ),
  },
  { $id: 'Problem', title: 'Problem', description: 'Why a request was refused (RFC 9457).' },
)

type ProblemResponse = {
  readonly description: string
  readonly content: { readonly 'application/problem+json': { readonly schema: { readonly $ref: string } } }
}

/** Answers of the given statuses as problems, for the `response` of a route's schema. */
export const problems = <S extends number>(...statuses: readonly S[]): Record<S, ProblemResponse> => {
  const content = { 'application/problem+json': { schema: { $ref: 'Problem#' } } }
  return Object.fromEntries(
    statuses.map((status) => [status, { description: `Refused (${status}).`, content }]),
  ) as Record<S, ProblemResponse>
}

/** Statuses that every authenticated operation may answer. */
export const commonProblems = [400, 401, 403, 404, 405, 413, 415, 429, 500, 503] as const

/** JSON number of money of the ledger, which knows fiat currencies and the quote currency. */
export const wireMoney = (minor: bigint, currency: string): number =>
  currency === quoteCurrency ? wireQuote(minor) : wireAmount(minor, currency)
