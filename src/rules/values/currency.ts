import { formatDecimal, otherDecimals as otherFiatDecimals } from 'bank-files/pure'

export {
  distanceOf,
  formatDecimal,
  isCurrency,
  maxMinor,
  parseDecimal,
  readCurrency,
  withoutNoise,
} from 'bank-files/pure'

/** The currency of rates and bounds, and the quote currency of merchants that have no other. */
export const usdt = 'USDT'

/** One USDT in its minor units. */
export const oneUsdt = 1_000_000n

/** Number of decimals of the currencies that do not have two, by their codes. */
export const otherDecimals: ReadonlyMap<string, number> = new Map([...otherFiatDecimals, [usdt, 6]])

/** Number of decimals of a currency, by its code: `rub`, in `rate` and `total` also `RUB`, and `USDT`. */
export const currencyDecimals = (currency: string): number =>
  otherDecimals.get(currency === usdt ? usdt : currency.toLowerCase()) ?? 2

/** The code of a quote currency in `rate` and `total` (docs/domain.md §3.7). */
export const quoteCode = (currency: string): string => currency.toUpperCase()

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
