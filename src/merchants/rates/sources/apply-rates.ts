import type { Tx } from '../../../context.ts'
import { chooseRate, type RateSource } from '../../../domain/rate-source.ts'
import { setRate } from '../set-rate.ts'
import { listLatestRates } from '../store.ts'
import { listBases } from './list-bases.ts'
import { insertFetches, selectOverrides, updatePrices } from './store.ts'

/** What a fetch of a source found. */
export type Fetched = { readonly price: bigint } | { readonly error: string }

/**
 * Sets the rates of currencies by what is known of their sources, in the order of their rank, except where an override is
 * in force, and writes what was fetched. A price too far from the last rate or that of a day ago is held, and the next source is looked at.
 * Returns how many sources and rates changed.
 */
export const applyRates = async (
  tx: Tx,
  sources: readonly RateSource[],
  fetched: ReadonlyMap<string, Fetched>,
): Promise<number> => {
  const basesOf = await listBases(tx, sources, tx.now)
  const current = new Map((await tx.query(listLatestRates, {})).map((rate) => [rate.currency, rate]))
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
    const maxAgeMs = validUntil === null ? null : validUntil - tx.now
    // Its own step is narrower than the band of rates that people set.
    await setRate(tx, { currency, price, source: source.name, maxAgeMs, outsideBand: true })
    rates++
  }
  const changed = noted.filter(({ id }) => fetched.has(id) || held.has(id))
  await writeSources(tx, changed, fetched, held)
  return changed.length + rates
}

/** A source with what was fetched. A new price takes the position of one that waits. */
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
