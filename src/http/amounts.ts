import { Type } from 'typebox'
import { currencyDecimals, quoteCurrency, quoteDecimals } from '../domain/currency.ts'
import { toJsonNumber } from '../domain/decimal.ts'
import { priceDecimals } from '../domain/rate.ts'
import { PatternText } from './fields.ts'

/** Schema of a currency's code. */
export const Currency = PatternText('must be a currency code of three small letters, such as rub.', {
  pattern: '^[a-z]{3}$',
  description: 'Currency code, lowercase.',
  examples: ['rub'],
})

/** Schema of an amount in a request. */
export const PositiveAmount = Type.Number({
  exclusiveMinimum: 0,
  description: 'Exact amount in the currency.',
  examples: [5000.37],
})

/** JSON number of an amount in minor units of a fiat currency. */
export const wireAmount = (minor: bigint, currency: string): number => toJsonNumber(minor, currencyDecimals(currency))

/** JSON number of an amount in the quote currency. */
export const wireQuote = (micro: bigint): number => toJsonNumber(micro, quoteDecimals)

/** JSON number of a rate's price. */
export const wirePrice = (price: bigint): number => toJsonNumber(price, priceDecimals)

/** JSON number of an amount in the ledger, which has fiat currencies and the quote currency. */
export const wireMoney = (minor: bigint, currency: string): number =>
  currency === quoteCurrency ? wireQuote(minor) : wireAmount(minor, currency)
