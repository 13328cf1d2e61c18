import type { Context, Tx } from '../../context.ts'
import { type CatalogPart, raiseCatalogVersion } from '../../catalog.ts'
import type { Queryable } from 'payin-database'
import type { Rate } from '../../../rules/money/rate.ts'
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

/** The last price of a currency, whether or not it may still be used for new payments. */
export const readPrice = async (tx: Tx, currency: string): Promise<bigint> =>
  (await tx.query(findPrice, { currency }))[0]?.price ?? 0n

/** How far back prices count in the bounds of what one person may do. */
export const lowestPriceMs = 90 * day

/**
 * The lowest price of a currency in the 90 days before a time, which makes most of its money; 0 if it has none. Bounds of
 * what one person may do are measured by it: a price that the same one has raised, 20 % a day, must not make more money of
 * them.
 */
export const readLowestPrice = async (tx: Tx, currency: string, at: Instant = tx.now): Promise<bigint> =>
  (await tx.query(findLowestPrice, { currency, since: at - lowestPriceMs, until: at }))[0]?.price ?? 0n

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
