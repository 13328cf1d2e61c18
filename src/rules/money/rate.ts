import { currencyDecimals, maxMinor, usdt } from '../values/currency.ts'
import type { MerchantMode } from '../merchants/merchant.ts'
import { type Instant, isAhead } from '../time.ts'

export const priceDecimals = 8

/** What a payment asks for, and what its merchant is credited in. */
export type CurrencyPair = { readonly currency: string; readonly quoteCurrency: string }

/** Price of one unit of the quote currency in a currency, scaled by 10^8, and when it was set. */
export type Rate = {
  readonly currency: string
  readonly price: bigint
  readonly createdAt: Instant
  readonly source: string
  /** From this time on the rate is not used; `null` if its source has no maximum age. */
  readonly validUntil: Instant | null
}

/** The price of a currency in itself. */
export const priceOfSame = 10n ** BigInt(priceDecimals)

/** An amount in minor units of the quote currency, rounded down (docs/domain.md §3.7): `floor(amount ÷ price)`. */
export const quoteAmount = (minor: bigint, { currency, quoteCurrency }: CurrencyPair, price: bigint): bigint =>
  (minor * 10n ** BigInt(priceDecimals + currencyDecimals(quoteCurrency) - currencyDecimals(currency))) / price

/** Whether the value of an amount is small enough to be an amount of the quote currency. */
export const isQuotable = (minor: bigint, pair: CurrencyPair, price: bigint): boolean =>
  quoteAmount(minor, pair, price) <= maxMinor

/** Whether a rate may be used for a new payment; one that a clock dated ahead may not. */
export const isRateUsable = ({ createdAt, validUntil }: Rate, now: Instant): boolean =>
  !isAhead(createdAt, now) && (validUntil === null || now < validUntil)

/** Source of the demo's invented prices, which live merchants never get. */
export const demoRateSource = 'demo'

/**
 * The price of a quote currency by the prices of 1 USDT in both currencies, rounded against the merchant; `undefined` if
 * it is larger than a price may be.
 */
export const crossPrice = (price: bigint, quotePrice: bigint): bigint | undefined => {
  const quotient = (price * priceOfSame + quotePrice - 1n) / quotePrice
  return quotient <= maxMinor ? quotient : undefined
}

/** The rate at which a merchant of a mode is credited for a new payment; `undefined` if there is none. */
export const rateFor = (
  rates: ReadonlyMap<string, Rate>,
  { currency, quoteCurrency }: CurrencyPair,
  mode: MerchantMode,
  now: Instant,
): Pick<Rate, 'price' | 'createdAt'> | undefined => {
  if (currency === quoteCurrency) return { price: priceOfSame, createdAt: now }
  const usable = (each: string): Rate | undefined => {
    const rate = rates.get(each)
    return rate && isRateUsable(rate, now) && (rate.source !== demoRateSource || mode === 'sandbox') ? rate : undefined
  }
  const rate = usable(currency)
  if (rate === undefined || quoteCurrency === usdt) return rate
  const quote = usable(quoteCurrency)
  const price = quote && crossPrice(rate.price, quote.price)
  return quote && price !== undefined ? { price, createdAt: Math.min(rate.createdAt, quote.createdAt) } : undefined
}

/** A new price may differ from the last usable one by at most this percentage, unless the operator insists. */
export const rateBandPercent = 20n

/** Whether `next` is within the band around `last`. */
export const isWithinBand = (last: bigint, next: bigint): boolean => {
  const distance = next > last ? next - last : last - next
  return distance * 100n <= last * rateBandPercent
}

export type PriceRange = { readonly lowest: bigint; readonly highest: bigint }

/** Whether `next` is within the band around each price of a range. */
export const isWithinBandOf = ({ lowest, highest }: PriceRange, next: bigint): boolean =>
  isWithinBand(lowest, next) && isWithinBand(highest, next)
