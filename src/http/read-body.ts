import { currencyDecimals, quoteDecimals } from '../domain/currency.ts'
import { parseDecimal } from '../domain/decimal.ts'
import { priceDecimals } from '../domain/rate.ts'
import { type FieldError, Refusal, type RefusalCode } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { numberSource } from './json-body.ts'

/** Reads what schemas cannot: exact numbers and times; gathers all that is wrong, to refuse it at once. */
export type BodyReader = {
  /** Minor units of the number `holder[key]`; `field` is its name in the answer. */
  amount(holder: object, key: string, currency: string, field?: string): bigint
  /** Millionths of the quote currency of the number `holder[key]`. */
  quote(holder: object, key: string): bigint
  /** Price of a rate, scaled by 10^8. */
  price(holder: object, key: string): bigint
  /** The time of an RFC 3339 text. */
  instant(text: string, field: string): Instant
  /** Notes a wrong field. */
  wrong(field: string, message: string, code?: RefusalCode): void
  /** Throws the refusal when anything was wrong; its code is that of the first field. */
  finish(): void
}

// No bank of today booked anything before, and the database does not read the year 0.
const earliest = Date.UTC(2000, 0, 1)

/** Starts to read a body; what is wrong in it is told by `finish`. */
export const readBody = (): BodyReader => {
  const errors: (FieldError & { readonly code: RefusalCode })[] = []
  const wrong: BodyReader['wrong'] = (field, message, code = 'validation_failed') => {
    errors.push({ field, code, message })
  }
  const decimal = (holder: object, key: string, decimals: number, field: string): bigint => {
    const value = parseDecimal(numberSource(holder, key), decimals)
    if (typeof value === 'bigint') return value
    if (value === 'precision') wrong(field, `has more than ${decimals} decimals.`, 'amount_precision')
    else wrong(field, 'is too large.', 'amount_above_max')
    return 0n
  }
  return {
    wrong,
    amount: (holder, key, currency, field = key) => decimal(holder, key, currencyDecimals(currency), field),
    quote: (holder, key) => decimal(holder, key, quoteDecimals, key),
    price: (holder, key) => decimal(holder, key, priceDecimals, key),
    instant: (text, field) => {
      const value = Date.parse(text)
      if (value >= earliest) return value
      wrong(field, 'is not a time since the year 2000.')
      return earliest
    },
    finish: () => {
      const [first] = errors
      if (first) throw new Refusal(first.code, `${first.field} ${first.message}`, { errors })
    },
  }
}
