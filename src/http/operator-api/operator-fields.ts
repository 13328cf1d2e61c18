import { Type } from 'typebox'
import { Currency, Id, PrintableText } from '../fields.ts'

/** Schema of the operator's own reference of something: sent again, it names the same thing, which is done once. */
export const Reference = PrintableText(128, {
  description: 'Your own reference. Sent again, it names the same thing, and nothing happens twice.',
  examples: ['2026-01-31/1'],
})

/** Schema of why an operator does something. */
export const Reason = PrintableText(500, { examples: ['Agreed by phone'] })

/** Path parameters of what belongs to a merchant. */
export const MerchantAndId = Type.Object({ merchantId: Id, id: Id })

/** Path parameters of what belongs to a requisite. */
export const RequisiteAndId = Type.Object({ requisiteId: Id, id: Id })

/** Schema of why an operator decides about money that came in. */
export const Why = PrintableText(500, { description: 'Why.' })

/** Path parameter of the operations on one currency. */
export const CurrencyParams = Type.Object({ currency: Currency })

/** Response schema of a text that is streamed as CSV. */
export const Csv = {
  description:
    'CSV (RFC 4180) with a header row. A text that a spreadsheet would take for a formula is prefixed with an apostrophe.',
  content: { 'text/csv': { schema: Type.Unsafe<string>({ type: 'string' }) } },
}
