import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import { priceDecimals } from '../../rules/money/rate.ts'
import { type FieldProblem, type RefusalCode, refuseProblems } from '../../rules/refusal.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { earliestTime, parseTime, outsideTimes } from '../../operations/fields.ts'
import { numberSource } from './json-body.ts'

/** How far a bank's clock may run ahead of ours. */
const mostAheadOfUs = 5 * minute

/** Reads what schemas cannot check: exact numbers and times. Collects all errors. */
export type BodyReader = {
  /** Minor units of the number `holder[key]`; `field` is its name in a refusal. */
  amount(holder: object, key: string, currency: string, field?: string): bigint
  /** Price of a rate, scaled by 10^8. */
  price(holder: object, key: string): bigint
  /** The instant of an RFC 3339 text. */
  instant(text: string, field: string): Instant
  /** When money was booked, `now` if nobody says so; a bank's clock may run five minutes ahead of ours. */
  booked(text: string | undefined, field: string, now: Instant): Instant
  /** Adds a wrong field. */
  wrong(field: string, message: string, code?: RefusalCode): void
}

/** Returns what `read` makes of a body. Refuses everything that it found wrong at once, with the code of the first. */
export const readBody = <T>(read: (reader: BodyReader) => T): T => {
  const errors: FieldProblem[] = []
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
  const instant: BodyReader['instant'] = (text, field) => {
    const value = parseTime(text)
    if (value === undefined) wrong(field, outsideTimes)
    return value ?? earliestTime
  }
  const result = read({
    wrong,
    amount: (holder, key, currency, field = key) => decimal(holder, key, currencyDecimals(currency), field),
    price: (holder, key) => decimal(holder, key, priceDecimals, key),
    instant,
    booked: (text, field, now) => {
      const value = text === undefined ? now : instant(text, field)
      if (value > now + mostAheadOfUs) wrong(field, 'is in the future.')
      return value
    },
  })
  const refusal = refuseProblems(errors)
  if (refusal) throw refusal
  return result
}
