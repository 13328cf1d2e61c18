import type { Context, Tx } from '../../context.ts'
import { type CatalogPart, raiseCatalogVersion } from '../../catalog.ts'
import type { Queryable } from 'payin-database'
import {
  crossPrice,
  type CurrencyPair,
  isWithinBand,
  priceOfSame,
  quoteAmount,
  type Rate,
} from '../../../rules/money/rate.ts'
import { usdt } from '../../../rules/values/currency.ts'
import { markedSources } from '../../../rules/money/rate-source.ts'
import { day, type Instant, isAhead, planBounds } from '../../../rules/time.ts'
import { listRatesAt } from './sources/store.ts'
import { findLowestPrice, findPrice, insertRate, listLatestRates, redateRates, selectRateHistory } from './store.ts'

/** The last rates by currency, without those of some origins. */
export const latestRates = async (sql: Queryable, except: readonly string[] = []): Promise<ReadonlyMap<string, Rate>> =>
  new Map((await sql.query(listLatestRates, { except })).map((rate) => [rate.currency, rate]))

export const currentRates: CatalogPart<ReadonlyMap<string, Rate>> = { name: 'rates', load: (sql) => latestRates(sql) }

/** The rates of currencies at a time, or the first ones after it, without overrides and made-up ones. */
export const ratesAt = async (
  sql: Queryable,
  rows: readonly { readonly currency: string; readonly at: Instant }[],
): Promise<ReadonlyMap<string, Rate>> =>
  new Map((await sql.query(listRatesAt, { except: markedSources, rows })).map((rate) => [rate.currency, rate]))

/** The price of a quote currency by what `read` knows of 1 USDT in both currencies; 0 if it lacks one, or too large. */
const priceBy = async (
  { currency, quoteCurrency }: CurrencyPair,
  read: (currency: string) => Promise<bigint>,
): Promise<bigint> => {
  if (currency === quoteCurrency) return priceOfSame
  const price = await read(currency)
  if (quoteCurrency === usdt) return price
  const quotePrice = await read(quoteCurrency)
  return quotePrice === 0n ? 0n : (crossPrice(price, quotePrice) ?? 0n)
}

/** The last price of a quote currency, whether or not it may still be used for new payments; 0 if there is none. */
export const readPrice = (tx: Tx, pair: CurrencyPair): Promise<bigint> =>
  priceBy(pair, async (currency) => (await tx.query(findPrice, { currency }))[0]?.price ?? 0n)

/** How far back prices count in the bounds of what one person may do. */
export const lowestPriceMs = 90 * day

/**
 * The lowest price of a currency in the 90 days before a time, which makes most of its money, or the one on which two
 * people last agreed, if that is lower; 0 if it has none, or if one person alone has set the first one. Bounds of what one
 * person may do are measured by it: a price that the same one has raised, 20 % a day, must not make more money of them,
 * even if it waits 90 days.
 */
export const readLowestPrice = async (tx: Tx, currency: string, at: Instant = tx.now): Promise<bigint> =>
  (await tx.query(findLowestPrice, { currency, since: at - lowestPriceMs, until: at }))[0]?.price ?? 0n

/** What money is worth in millionths of USDT by `readLowestPrice`; `undefined` if its currency has no price. */
export const openWorth = (tx: Tx) => {
  const prices = new Map([[usdt as string, priceOfSame]])
  return async ({ currency, amount }: { currency: string; amount: bigint }): Promise<bigint | undefined> => {
    const price = prices.get(currency) ?? (await readLowestPrice(tx, currency))
    prices.set(currency, price)
    return price === 0n ? undefined : quoteAmount(amount, { currency, quoteCurrency: usdt }, price)
  }
}

/**
 * Whether a payment that is credited in a third currency gets more for its money than the bounds of one person count that
 * for, by more than the band: they are of the payment's currency, while a higher price of the third one credits more.
 */
export const isQuotedHigh = async (
  tx: Tx,
  payment: CurrencyPair & { readonly ratePrice: bigint },
  at: Instant,
): Promise<boolean> => {
  const { currency, quoteCurrency, ratePrice } = payment
  if (quoteCurrency === usdt || quoteCurrency === currency) return false
  const lowest = await priceBy(payment, (each) => readLowestPrice(tx, each, at))
  return lowest === 0n || (ratePrice < lowest && !isWithinBand(lowest, ratePrice))
}

/** How many spans a history has, each with up to three points. */
const mostSpans = 120

/**
 * The rates of a currency since a time, the oldest first: if there are many, the last, the lowest and the highest of each
 * of 120 equal spans, so that none can hide; and the one in effect at the beginning.
 */
export const listRateHistory = (context: Context, currency: string, since: Instant) => {
  const now = context.clock()
  const stepMs = Math.max(1, Math.ceil((now - since) / mostSpans))
  return context.query(selectRateHistory, { currency, since, stepMs })
}

/** Dates rates again that a clock dated ahead, and that would return when their time comes; returns how many. */
export const redateAhead = async (tx: Tx): Promise<number> => {
  const { now } = tx
  if (!(await latestRates(tx)).values().some(({ createdAt }) => isAhead(createdAt, now))) return 0
  // First, because it excludes other changes of rates until ours is done.
  await raiseCatalogVersion(tx, 'rates')
  return (await tx.query(redateRates, { ...planBounds(now), limit: 5000 })).length
}

/** Sets the price of a currency from now on. */
export const setRate = async (tx: Tx, wanted: Omit<Rate, 'createdAt'>): Promise<Rate> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'rates')
  await redateAhead(tx)
  const last = (await latestRates(tx)).get(wanted.currency)
  const rate = { ...wanted, createdAt: Math.max(tx.now, (last?.createdAt ?? 0) + 1) }
  await tx.query(insertRate, rate)
  return rate
}
