import { parseDecimal } from '../values/currency.ts'
import { demoRateSource, isWithinBand, isWithinBandOf, type PriceRange, priceDecimals, type Rate } from './rate.ts'
import { day, type Instant, isAhead, minute, second } from '../time.ts'

/** Where rates come from: a JSON document at an address, or a price that the operator has fixed. */
export const rateSourceKinds = ['json', 'fixed'] as const
export type RateSourceKind = (typeof rateSourceKinds)[number]

export type RateSourceWish = {
  readonly name: string
  /** Sources of a currency are used in this order. */
  readonly rank: number
  /** For a JSON source: its address, and the JSON pointer (RFC 6901) to the price. */
  readonly url: string | null
  readonly pointer: string | null
  readonly fixedPrice: bigint | null
  /** Added to the price, in millionths of it. */
  readonly spreadPpm: number
  /** A price that differs by more than this from the last rate, in millionths of it, waits for an operator. */
  readonly maxStepPpm: number
  /** As `maxStepPpm`, compared with the rate of a day ago: many small steps are a jump, too. */
  readonly maxDayPpm: number
  readonly everyMs: number
  /** How long a price is used after it was fetched. */
  readonly maxAgeMs: number
  readonly enabled: boolean
}

/** A source of rates and what is known of its price. */
export type RateSource = RateSourceWish & {
  readonly id: string
  readonly currency: string
  readonly kind: RateSourceKind
  /** The last usable price, including its spread, and when it was fetched. */
  readonly price: bigint | null
  readonly pricedAt: Instant | null
  /** A price that waits for an operator: too far from the rates of a day, or the first of its currency. */
  readonly heldPrice: bigint | null
  readonly heldSince: Instant | null
  /** Since when no price could be fetched, and why the last attempt failed. */
  readonly failingSince: Instant | null
  readonly lastError: string | null
  readonly nextFetchAt: Instant
  /** When an operator added it, accepted its price or set the rate of its currency: the day is measured from then. */
  readonly decidedAt: Instant | null
}

export const rateSourceBounds = {
  spreadPpm: [-500_000, 500_000],
  maxStepPpm: [1, 200_000],
  maxDayPpm: [1, 200_000],
  everyMs: [10 * second, day],
  maxAgeMs: [30 * second, 20 * day],
  rank: [1, 100],
} as const

export const rateSourceDefaults = {
  ...{ rank: 1, spreadPpm: 0, maxStepPpm: 30_000, maxDayPpm: 100_000 },
  ...{ everyMs: minute, maxAgeMs: 10 * minute },
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** The number or text at a JSON pointer, with the digits of the document; `undefined` if there is none. */
export const readPointer = (document: string, pointer: string): string | undefined => {
  // Numbers become their digits before they could become doubles.
  const keepDigits: Reviver = (_key, value, context) =>
    typeof value === 'number' ? { digits: context?.source ?? '' } : value
  let value: unknown
  try {
    value = JSON.parse(document, keepDigits)
  } catch {
    return undefined
  }
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  if (typeof value === 'string') return value
  const digits = (value as { digits?: unknown } | null)?.digits
  return typeof digits === 'string' ? digits : undefined
}

/** Whether a text is a JSON pointer. */
export const isPointer = (text: string): boolean => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)

/** A price from its digits, exact to 8 decimals; further ones are cut off. `undefined` if it is not above zero. */
export const readPrice = (digits: string): bigint | undefined => {
  const price = parseDecimal(digits.replace(/^(-?\d+\.\d{8})\d+$/, '$1'), priceDecimals)
  return typeof price === 'bigint' && price > 0n ? price : undefined
}

/** A price with its spread, rounded down. */
export const addSpread = (price: bigint, spreadPpm: number): bigint =>
  (price * BigInt(1_000_000 + spreadPpm)) / 1_000_000n

/** The price state of a source just added or changed: a fixed price counts immediately, any other is fetched. */
export const startSource = ({ fixedPrice, spreadPpm }: RateSourceWish, now: Instant) => ({
  price: fixedPrice === null ? null : addSpread(fixedPrice, spreadPpm),
  pricedAt: fixedPrice === null ? null : now,
  heldPrice: null,
  heldSince: null,
  failingSince: null,
  lastError: null,
  nextFetchAt: now,
})

/** Whether a price is within a step of another one. */
export const isWithinStep = (last: bigint, next: bigint, maxStepPpm: number): boolean => {
  const distance = next > last ? next - last : last - next
  return distance * 1_000_000n <= last * BigInt(maxStepPpm)
}

/**
 * The rates that the moves of a price are measured from: the last one that is not an override, that of a day ago or of a
 * later decision, and all those of a day, or since two people's later agreement. Made-up rates of the demo are none.
 */
export type RateBases = {
  readonly last: Rate | undefined
  readonly dayAgo: Rate | undefined
  readonly agreed: PriceRange | undefined
  /** Whether the first price of the currency waits for operators. */
  readonly holdsFirst: boolean
}

/**
 * The range of a day that prices are compared with: the other rates, and the overrides that are not far from them. Those
 * that are were set by two people for a time: they do not count, else no source could set the rate after them.
 */
export const rangeOfDay = (others: PriceRange, overrides: readonly bigint[]): PriceRange => {
  // Other rates of the day were measured from the override, or it from them.
  const isNear = (one: bigint, other: bigint): boolean => isWithinBand(one, other) || isWithinBand(other, one)
  return overrides
    .filter((price) => isNear(price, others.lowest) && isNear(price, others.highest))
    .reduce(
      ({ lowest, highest }, price) => ({
        lowest: price < lowest ? price : lowest,
        highest: price > highest ? price : highest,
      }),
      others,
    )
}

/** The time whose rate a day's move is measured from: a day ago, or an operator's later decision. */
export const dayBegins = (sources: readonly RateSource[], now: Instant): Instant =>
  Math.max(now - day, ...sources.map(({ decidedAt }) => decidedAt ?? 0).filter((at) => !isAhead(at, now)))

/**
 * Whether a source's price may become the rate without an operator. A price within the allowed step is never too far
 * from yesterday's.
 */
const mayBeSet = (price: bigint, { maxStepPpm, maxDayPpm }: RateSource, bases: RateBases): boolean => {
  const { last, dayAgo, agreed, holdsFirst } = bases
  if (!last) return !holdsFirst
  return (
    isWithinStep(last.price, price, maxStepPpm) &&
    (!dayAgo || isWithinStep(dayAgo.price, price, Math.max(maxDayPpm, maxStepPpm))) &&
    (!agreed || isWithinBandOf(agreed, price))
  )
}

/** The price of a source that may be used at `now`, and until when; `undefined` if there is none. */
export const usablePrice = (
  source: RateSource,
  now: Instant,
): { readonly price: bigint; readonly validUntil: Instant | null } | undefined => {
  if (!source.enabled || source.price === null) return undefined
  if (source.kind === 'fixed') return { price: source.price, validUntil: null }
  const pricedAt = source.pricedAt ?? 0
  const validUntil = pricedAt + source.maxAgeMs
  return validUntil > now && !isAhead(pricedAt, now) ? { price: source.price, validUntil } : undefined
}

/** What to do about the rate of a currency. */
export type RateChoice = {
  /** The rate to set; `undefined` if the current one stays. */
  readonly set?: { readonly source: RateSource; readonly price: bigint; readonly validUntil: Instant | null }
  /** Sources whose price is too far from the rates of a day, or the first of its currency; it waits for an operator. */
  readonly held: readonly RateSource[]
}

export const overrideSource = 'override'

/** Marks the proposal to end an override before its time. */
export const overrideEnd = 'override-end'

/** Source names that nobody may give to a rate set by hand: they count differently. */
export const markedSources: readonly string[] = [overrideSource, overrideEnd, demoRateSource]

/** Names that sources may not have, because they mark rates of other origins. */
export const reservedNames: readonly string[] = [...markedSources, 'manual']

/**
 * Chooses the first source whose price may be used and is within its allowed step from the last rate and within its
 * moves of a day. `current` is the current rate: an equal price is not set again.
 */
export const chooseRate = (
  sources: readonly RateSource[],
  bases: RateBases,
  current: Rate | undefined,
  now: Instant,
): RateChoice => {
  const held: RateSource[] = []
  for (const source of sources.toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))) {
    const usable = usablePrice(source, now)
    if (!usable) continue
    const { price, validUntil } = usable
    if (current?.source === source.name && current.price === price && current.validUntil === validUntil) return { held }
    if (mayBeSet(price, source, bases)) return { set: { source, price, validUntil }, held }
    held.push(source)
  }
  return { held }
}
