import type { Context } from '../../../context.ts'
import { addSpread, chooseRate, type RateSource, readPointer, readPrice } from '../../../domain/rate-source.ts'
import { day } from '../../../domain/time.ts'
import { listLatestRates } from '../store.ts'
import { applyRates, type Fetched } from './apply-rates.ts'
import { listBases } from './list-bases.ts'
import { deleteOldFetches, lockSources, selectOverrides, selectSources, takeDueSources } from './store.ts'

/** Most sources of one round. */
const batchSize = 50
/** Longest document of a source: the worst of this length takes 50 ms to read, during which nobody else is served. */
const maxBytes = 128 * 1024

/**
 * Fetches the sources that are due, each once per interval on any number of nodes, and sets the rates that follow from
 * their prices and from what has ended or become too old meanwhile. Returns how many sources and rates changed.
 */
export const fetchRates = async (context: Context): Promise<number> => {
  const due = await context.query(takeDueSources, { now: context.clock(), limit: batchSize })
  const fetched = new Map(
    await Promise.all(due.map(async (source) => [source.id, await fetchPrice(context, source)] as const)),
  )
  if (fetched.size === 0 && !(await isChangeDue(context))) return 0
  // The lock excludes other nodes and operators until the rates are set.
  return context.transaction(async (tx) => applyRates(tx, await tx.query(lockSources, {}), fetched))
}

const isChangeDue = async (context: Context): Promise<boolean> => {
  const sources = await context.query(selectSources, {})
  if (sources.length === 0) return false
  const now = context.clock()
  const basesOf = await listBases(context, sources, now)
  const current = new Map((await context.query(listLatestRates, {})).map((rate) => [rate.currency, rate]))
  const overridden = new Set((await context.query(selectOverrides, { now })).map(({ currency }) => currency))
  return [...Map.groupBy(sources, (source) => source.currency)].some(([currency, own]) => {
    const { set, held } = chooseRate(own, basesOf(currency), current.get(currency), now)
    return !overridden.has(currency) && (set !== undefined || held.length > 0)
  })
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

/** Forgets what was fetched long ago; returns how many. */
export const cleanFetches = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.notificationRetentionDays * day
  return (await context.query(deleteOldFetches, { before, limit: 5000 })).length
}
