import { currencyDecimals, formatDecimal } from 'bank-files/pure'

export {
  currencyDecimals,
  distanceOf,
  formatDecimal,
  maxMinor,
  otherDecimals,
  parseDecimal,
  withoutNoise,
} from 'bank-files/pure'

/** The currency in which merchants are credited (docs/contract.md §2.3). */
export const quoteCurrency = 'USDT'
/** Decimals of the quote currency (`total.amount` in docs/domain.md §3.7). */
export const quoteDecimals = 6

/**
 * The JSON number of an exact amount. Amounts have at most 15 significant digits (`maxMinor`), and every decimal of
 * that length survives conversion to a double and back to its shortest text (IEEE 754).
 */
export const toJsonNumber = (value: bigint, decimals: number): number => Number(formatDecimal(value, decimals))

/** The decimal text of an amount in minor units, as requests have it: `5000.37`. */
export const amountDigits = (minor: bigint, currency: string): string =>
  formatDecimal(minor, currencyDecimals(currency))

/** An amount in minor units with its currency, for people: `5000.37 rub`. */
export const showAmount = (minor: bigint, currency: string): string => `${amountDigits(minor, currency)} ${currency}`
