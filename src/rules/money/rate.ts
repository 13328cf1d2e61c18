import { currencyDecimals, quoteDecimals, maxMinor } from '../values/currency.ts'
import { type Instant, isAhead } from '../time.ts'

export const priceDecimals = 8

/** Price of one unit of the quote currency in a fiat currency, scaled by 10^8, and when it was set. */
export type Rate = {
  readonly currency: string
  readonly price: bigint
  readonly createdAt: Instant
  readonly source: string
  /** From this time on the rate is not used; `null` if its source has no maximum age. */
  readonly validUntil: Instant | null
}

/**
 * Fiat minor units in quote units of 6 decimals, rounded down (docs/domain.md §3.7):
 * `floor(amount ÷ price, 6)`.
 */
export const quoteAmount = (minor: bigint, decimals: number, price: bigint): bigint =>
  (minor * 10n ** BigInt(quoteDecimals + priceDecimals - decimals)) / price

/** Whether the value of a fiat amount is small enough to be an amount of the quote currency. */
export const isQuotable = (minor: bigint, currency: string, price: bigint): boolean =>
  quoteAmount(minor, currencyDecimals(currency), price) <= maxMinor

/** Whether a rate may be used for a new payment; one that a clock dated ahead may not. */
export const isRateUsable = ({ createdAt, validUntil }: Rate, now: Instant): boolean =>
  !isAhead(createdAt, now) && (validUntil === null || now < validUntil)

/** Source of the demo's invented prices, which live merchants never get. */
export const demoRateSource = 'demo'

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
