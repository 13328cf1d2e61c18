import { Type } from 'typebox'
import { orderIdPattern } from '../domain/order-id.ts'
import { commonProblems, Formed, PageLimit, problems, Time } from './wire.ts'

/** Schema of printable text of 1 to `maxLength` characters. */
export const PrintableText = (maxLength: number, options: object = {}) =>
  Formed('must be printable characters.', { minLength: 1, maxLength, pattern: orderIdPattern, ...options })

/** Schema of an identifier that is asked for; the length keeps out `urn:uuid:`, which the database does not read. */
export const ResourceId = Type.String({
  format: 'uuid',
  maxLength: 36,
  examples: ['019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'],
})

/** Path parameter of the operations on one resource. */
export const IdParams = Type.Object({ id: ResourceId })

/** Schema of a currency's code. */
export const Currency = Formed('must be a currency code of three small letters, such as rub.', {
  pattern: '^[a-z]{3}$',
  description: 'Currency code, lowercase.',
  examples: ['rub'],
})

/** Path parameter of the operations on one currency. */
export const CurrencyParams = Type.Object({ currency: Currency })

/** Schema of a bank issuer's code. */
export const BankCode = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$', examples: ['sberbank'] })

/** Schema of an amount that is asked for. */
export const PositiveAmount = Type.Number({
  exclusiveMinimum: 0,
  description: 'Exact amount in the currency.',
  examples: [5000.37],
})

/** Query of a page of a list. */
export const PageQuery = {
  cursor: Type.Optional({ ...ResourceId, description: '`nextCursor` of the page before.' }),
  limit: Type.Optional(PageLimit(500)),
}

/** Rows of a page. */
export const pageSize = (limit: string | undefined): number => Number(limit ?? 50)

/** The page out of one row more than it has, and the cursor of the next page where there is one. */
export const cutPage = <T extends { readonly id: string }>(
  rows: readonly T[],
  size: number,
): { page: T[]; next: object } => {
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return { page, next: rows.length > size && last ? { nextCursor: last.id } : {} }
}

/** Schema of the cursor that `cutPage` gives. */
export const NextCursor = Type.Optional({ ...ResourceId, description: 'Only where there are more rows.' })

/** Schema of a body that is empty or left out. */
export const NoBody = Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()])

/** What the schemas of all operations of the operator API have in common. */
export const operation = (operationId: string, summary: string, description?: string) => ({
  tags: ['operator'],
  security: [{ operator: [] }],
  operationId,
  summary,
  ...(description === undefined ? {} : { description }),
})

/** Refusals that every operation of the operator API may answer. */
export const refusals = problems(...commonProblems)

/** Schema of an operator's own name of something: the same name again is the same thing, and done once. */
export const Reference = PrintableText(128, {
  description: 'Your own name of it. The same again is the same one, and nothing happens twice.',
  examples: ['2026-01-31/1'],
})

/** Schema of why an operator does something. */
export const Reason = PrintableText(500, { examples: ['Agreed by phone'] })

/** Path parameters of what belongs to a merchant. */
export const MerchantAndId = Type.Object({ merchantId: ResourceId, id: ResourceId })

/** Query of a span of time, up to but not including its end. */
export const SpanQuery = {
  from: Type.Optional({ ...Time, description: 'From this time on; from the beginning unless told.' }),
  to: Type.Optional({
    ...Time,
    description: 'Before this time; until two minutes ago unless told, and at the latest.',
  }),
}

/** Schema of a text that is streamed as CSV. */
export const Csv = {
  description:
    'CSV (RFC 4180) with a line of heads; texts that a spreadsheet would take for a formula get an apostrophe.',
  content: { 'text/csv': { schema: Type.Unsafe<string>({ type: 'string' }) } },
}
