import type { Context, Tx } from '../../../context.ts'
import type { Queryable } from 'payin-database'
import {
  addSpread,
  chooseRate,
  type RateSource,
  readPointer,
  readPrice,
  dayBegins,
  markedSources,
  overrideSource,
  type RateBases,
} from '../../../../rules/money/rate-source.ts'
import { isRateUsable, type Rate } from '../../../../rules/money/rate.ts'
import { day, type Instant, isAhead, planBounds } from '../../../../rules/time.ts'
import { currentRates, latestRates, ratesAt, redateAhead, setRate } from '../rate.ts'
import { listDayRanges } from '../agree-on-price.ts'
import { listAgreements } from '../store.ts'
import {
  deleteOldFetches,
  lockSources,
  selectOverrides,
  selectSources,
  takeDueSources,
  insertFetches,
  updatePrices,
} from './store.ts'

/** Most sources per round. */
const batchSize = 50
/** Longest document of a source: the worst one of this length takes 50 ms to parse, which blocks everything else. */
const maxBytes = 128 * 1024

/**
 * Fetches the sources that are due, each once per interval on any number of nodes, and sets the rates that follow from
 * their prices, and from prices that have ended or become too old. The first price of a currency waits for operators if
 * `holdsFirst`. Returns how many sources and rates changed.
 */
export const fetchRates = async (context: Context, holdsFirst: () => Promise<boolean>): Promise<number> => {
  const due = await context.query(takeDueSources, { ...planBounds(context.clock()), limit: batchSize })
  const fetched = new Map(
    await Promise.all(due.map(async (source) => [source.id, await fetchPrice(context, source)] as const)),
  )
  if (fetched.size === 0 && !(await isChangeDue(context))) return 0
  // Before the transaction, because it may read another database.
  const isFirstHeld = await holdsFirst()
  // The lock excludes other nodes and operators until the rates are set.
  return context.transaction(async (tx) => {
    const sources = await tx.query(lockSources, {})
    const redated = await redateAhead(tx)
    const changed = await applyRates(tx, sources, fetched, isFirstHeld)
    return redated + changed + (await replaceOverrides(tx))
  })
}

const noBases: RateBases = { last: undefined, dayAgo: undefined, agreed: undefined, holdsFirst: false }

const isChangeDue = async (context: Context): Promise<boolean> => {
  const known = await context.catalog.get(currentRates)
  const now = context.clock()
  const overrides = await context.query(selectOverrides, { now })
  if (overrides.some(({ currency }) => known.get(currency)?.source !== overrideSource)) return true
  // An override has ended; until there is another rate, each round looks for one.
  const isOver = (rate: Rate): boolean => rate.source === overrideSource && !isRateUsable(rate, now)
  if ([...known.values()].some((rate) => isOver(rate) || isAhead(rate.createdAt, now))) return true
  const sources = await context.query(selectSources, {})
  if (sources.length === 0) return false
  const current = await latestRates(context)
  const overridden = new Set(overrides.map(({ currency }) => currency))
  return [...Map.groupBy(sources, (source) => source.currency)].some(([currency, own]) => {
    // Measured from nothing, a price is set that would otherwise be set or held.
    return !overridden.has(currency) && chooseRate(own, noBases, current.get(currency), now).set !== undefined
  })
}

/**
 * Replaces the rates of overrides that have ended by the last ones that are not overrides. Without one that may still be
 * used, the override's price ends, too: it was for a time, and may be far from others. An override in force that was
 * replaced while the clock was ahead sets the rate again.
 */
export const replaceOverrides = async (tx: Tx): Promise<number> => {
  const overrides = await tx.query(selectOverrides, { now: tx.now })
  const overridden = new Set(overrides.map(({ currency }) => currency))
  const latest = await latestRates(tx)
  const lost = overrides.filter(({ currency }) => {
    const rate = latest.get(currency)
    return rate?.source !== overrideSource || !isRateUsable(rate, tx.now)
  })
  for (const { currency, price, endsAt } of lost)
    await setRate(tx, { currency, price, source: overrideSource, validUntil: endsAt })
  const ended = [...latest.values()].filter(
    ({ source, currency }) => source === overrideSource && !overridden.has(currency),
  )
  if (ended.length === 0) return lost.length
  const bases = await latestRates(tx, [overrideSource])
  let replaced = lost.length
  for (const rate of ended) {
    const base = bases.get(rate.currency)
    const isBaseUsable = base !== undefined && isRateUsable(base, tx.now)
    if (!isBaseUsable && !isRateUsable(rate, tx.now)) continue
    await setRate(tx, isBaseUsable ? base : { ...rate, validUntil: tx.now })
    replaced++
  }
  return replaced
}

const fetchPrice = async (context: Context, source: RateSource): Promise<Fetched> => {
  const { url, pointer, spreadPpm } = source
  const answer = await context.web.request({
    method: 'GET',
    url: url ?? '',
    reach: context.settings.outboundLoopback ? 'loopback' : 'public',
    headers: {},
    maxBytes,
  })
  if ('error' in answer) return { error: answer.error }
  if (answer.status !== 200) return { error: `HTTP ${answer.status}` }
  const digits = readPointer(answer.body, pointer ?? '')
  if (digits === undefined) return { error: `there is no number at ${pointer}` }
  const price = readPrice(digits)
  if (price === undefined) return { error: 'the number is not a price above zero' }
  const spread = addSpread(price, spreadPpm)
  return spread > 0n ? { price: spread } : { error: 'the number is not a price above zero' }
}

/** Deletes old fetches; returns how many. */
export const cleanFetches = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.notificationRetentionDays * day
  return (await context.query(deleteOldFetches, { before, limit: 5000 })).length
}

/** The rates that the prices of sources are compared with, by currency. */
const listBases = async (
  sql: Queryable,
  sources: readonly RateSource[],
  now: Instant,
  holdsFirst: boolean,
): Promise<(currency: string) => RateBases> => {
  const rows = [...Map.groupBy(sources, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    at: dayBegins(own, now),
  }))
  const agreements = new Map((await sql.query(listAgreements, {})).map((each) => [each.currency, each.agreedAt]))
  const agreedRows = rows.map(({ currency }) => ({ currency, agreedAt: agreements.get(currency) ?? null }))
  const last = await latestRates(sql, markedSources)
  const dayAgo = await ratesAt(sql, rows)
  const ofDay = await listDayRanges(sql, agreedRows, now)
  return (currency) => ({
    last: last.get(currency),
    dayAgo: dayAgo.get(currency),
    agreed: ofDay.get(currency),
    holdsFirst,
  })
}

/** The result of fetching a source. */
export type Fetched = { readonly price: bigint } | { readonly error: string }

/**
 * Sets the rates of currencies from their sources, in the order of their rank, except while an override is in effect,
 * and writes the fetch results. A price too far from the last rate or from those of a day is held, and so is the first
 * one of a currency if `holdsFirst`; the next source is tried. Returns how many sources and rates changed.
 */
export const applyRates = async (
  tx: Tx,
  sources: readonly RateSource[],
  fetched: ReadonlyMap<string, Fetched>,
  holdsFirst: boolean,
): Promise<number> => {
  const basesOf = await listBases(tx, sources, tx.now, holdsFirst)
  const current = await latestRates(tx)
  const overridden = new Set((await tx.query(selectOverrides, { now: tx.now })).map(({ currency }) => currency))
  const noted = sources.map((source) => noteFetched(source, fetched.get(source.id), tx.now))
  const held = new Set<string>()
  let rates = 0
  for (const [currency, own] of Map.groupBy(noted, (source) => source.currency)) {
    if (overridden.has(currency)) continue
    const choice = chooseRate(own, basesOf(currency), current.get(currency), tx.now)
    for (const { id } of choice.held) held.add(id)
    if (!choice.set) continue
    const { source, price, validUntil } = choice.set
    await setRate(tx, { currency, price, source: source.name, validUntil })
    rates++
  }
  const changed = noted.filter(({ id }) => fetched.has(id) || held.has(id))
  await writeSources(tx, changed, fetched, held)
  return changed.length + rates
}

/** A source after a fetch. A new price replaces one that waits. */
const noteFetched = (source: RateSource, found: Fetched | undefined, now: number): RateSource => {
  if (!found) return source
  if ('error' in found) return { ...source, failingSince: source.failingSince ?? now, lastError: found.error }
  return { ...source, price: found.price, pricedAt: now, failingSince: null, lastError: null }
}

const writeSources = async (
  tx: Tx,
  changed: readonly RateSource[],
  fetched: ReadonlyMap<string, Fetched>,
  held: ReadonlySet<string>,
): Promise<void> => {
  if (changed.length === 0) return
  const rows = changed.map((source) => {
    const found = fetched.get(source.id)
    if (held.has(source.id)) {
      const heldSince = source.heldSince ?? tx.now
      return { ...source, price: null, pricedAt: null, heldPrice: source.price, heldSince }
    }
    return found && 'price' in found ? { ...source, heldPrice: null, heldSince: null } : source
  })
  await tx.query(updatePrices, { rows })
  await tx.query(insertFetches, {
    rows: changed.map(({ id, price }) => {
      const found = fetched.get(id)
      const error = found && 'error' in found ? found.error : null
      const outcome = error !== null ? ('failed' as const) : held.has(id) ? ('held' as const) : ('accepted' as const)
      const shown = error === null ? price : null
      return { id: tx.newId(), sourceId: id, at: tx.now, outcome, price: shown, error, decidedBy: null }
    }),
  })
}
