import type { Agreeing, Tx } from '../../../context.ts'
import { lockAdding, type Queryable, reader } from 'payin-database'
import { type EndpointPolicy, readOutboundUrl } from '../../../../rules/notices/endpoint.ts'
import {
  type RateSource,
  addSpread,
  isPointer,
  type RateSourceKind,
  type RateSourceWish,
  reservedNames,
  startSource,
} from '../../../../rules/money/rate-source.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../../rules/refusal.ts'
import { maskAddress } from '../../../../rules/values/masking.ts'
import { agreeOnPrice } from '../agree-on-price.ts'
import { setRate } from '../rate.ts'
import { refuseOverridden } from '../set-by-hand.ts'
import { dropProposal } from '../store.ts'
import {
  lockSources,
  selectFetches,
  selectSources,
  insertSource,
  updateSourceRow,
  markRemoved,
  insertFetches,
  updatePrices,
} from './store.ts'

/** All sources of rates, by currency and rank. */
export const listRateSources = (sql: Queryable): Promise<RateSource[]> => sql.query(selectSources, {})

/** The fetches of a source, the newest first. */
export const listFetches = reader(selectFetches)

/** One source, with all others locked; refuses `resource_not_found`. */
const lockRateSource = async (tx: Tx, id: string): Promise<RateSource> => {
  const sources = await tx.query(lockSources, {})
  return requireRow(
    sources.filter((source) => source.id === id),
    'source of rates',
  )
}

const nameTaken = (currency: string, name: string): Refusal =>
  new Refusal('already_exists', `There is already a source of ${currency} named ${name}.`)

/**
 * The settings of a source, with its address in normal form. Refuses `validation_failed` for settings that do not fit
 * its kind, and `already_exists` for a name that another source of the currency has.
 */
const checkSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  { id, currency, kind }: { readonly id: string; readonly currency: string; readonly kind: RateSourceKind },
  wish: RateSourceWish,
): Promise<RateSourceWish> => {
  const { name, url, pointer, fixedPrice, spreadPpm } = wish
  if (reservedNames.includes(name)) throw refuseField('name', `must not be one of ${reservedNames.join(', ')}.`)
  const others = (await tx.query(lockSources, {})).filter((other) => other.currency === currency && other.id !== id)
  if (others.some((other) => other.name === name)) throw nameTaken(currency, name)
  if (kind === 'fixed') {
    if (url !== null || pointer !== null) throw refuseField('url', 'and pointer are for JSON sources only.')
    if (fixedPrice === null) throw refuseField('price', 'is required.')
    if (addSpread(fixedPrice, spreadPpm) === 0n)
      throw refuseField('spreadPpm', 'would reduce the price to zero or below.')
    return wish
  }
  if (fixedPrice !== null) throw refuseField('price', 'is for fixed sources only.')
  if (url === null) throw refuseField('url', 'is required.')
  if (pointer === null || !isPointer(pointer)) throw refuseField('pointer', 'is not a JSON pointer, such as /data/rub.')
  const normal = readOutboundUrl(url, policy)
  if (normal instanceof Refusal) throw normal
  return { ...wish, url: normal }
}

const mostSources = 200

/**
 * Adds a source of rates; it is used from the next round on. Refusals: `validation_failed`, `already_exists`,
 * `invalid_state` if there are too many sources.
 */
export const addRateSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  { currency, kind }: { readonly currency: string; readonly kind: RateSourceKind },
  wish: RateSourceWish,
): Promise<RateSource> => {
  await lockAdding(tx, 'rate sources')
  const id = tx.newId()
  const checked = await checkSource(tx, policy, { id, currency, kind }, wish)
  if ((await tx.query(lockSources, {})).length >= mostSources)
    throw invalidState(`There are already ${mostSources} sources; remove one first.`)
  const source: RateSource = { id, currency, kind, ...checked, ...startSource(checked, tx.now), decidedAt: tx.now }
  // Another source may just have taken the name.
  const [added] = await tx.query(insertSource, { ...source, createdAt: tx.now })
  if (!added) throw nameTaken(currency, source.name)
  await tx.query(dropProposal, { currency, sources: [source.name] })
  return source
}

/**
 * Changes a source; omitted fields stay as they are. A JSON source is fetched again immediately, and has no price until
 * then. Its price that waits for a second operator is dropped: the first one meant the source as it was. Refusals:
 * `resource_not_found`, `validation_failed`, `already_exists`.
 */
export const updateRateSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  id: string,
  change: Partial<RateSourceWish>,
): Promise<RateSource> => {
  const before = await lockRateSource(tx, id)
  // Lists show the address masked.
  const isShown = before.url !== null && change.url === maskAddress(before.url)
  const wish = await checkSource(tx, policy, before, { ...before, ...change, ...(isShown && { url: before.url }) })
  const after: RateSource = { ...before, ...wish, ...startSource(wish, tx.now) }
  await tx.query(updateSourceRow, after)
  await tx.query(dropProposal, { currency: before.currency, sources: [before.name, after.name] })
  return after
}

/** Removes a source for good; the rate that it has set stays until its end. Refuses `resource_not_found`. */
export const removeRateSource = async (tx: Tx, id: string): Promise<void> => {
  const { currency, name } = await lockRateSource(tx, id)
  await tx.query(markRemoved, { id, now: tx.now })
  await tx.query(dropProposal, { currency, sources: [name] })
}

/**
 * Decides about a price that waits because it is too far from the rates of a day, or the first one: if accepted, it
 * becomes the rate, unless it first needs another operator (`agreeOnPrice`); if refused, it is dropped until the source
 * reports it again. Refusals: `resource_not_found`, `invalid_state` if another price waits, or none, and for accepting
 * one while an override is in force, and `second_person_required`.
 */
export const decideHeldPrice = async (
  tx: Tx,
  id: string,
  decision: { readonly price: bigint; readonly accepted: boolean },
  setter: Agreeing,
): Promise<RateSource> => {
  const source = await lockRateSource(tx, id)
  const { price, accepted } = decision
  if (source.heldPrice !== price) throw invalidState('This price is not waiting (any more): check the sources again.')
  const { currency, name, kind, maxAgeMs } = source
  if (accepted) await refuseOverridden(tx, currency)
  const rate = { currency, price, source: name }
  if (accepted && !(await agreeOnPrice(tx, { ...rate, endsAt: null, outsideBand: true }, setter))) return source
  const validUntil = kind === 'fixed' ? null : tx.now + maxAgeMs
  const set = accepted ? await setRate(tx, { ...rate, validUntil }) : undefined
  const after: RateSource = {
    ...source,
    price: accepted ? price : null,
    pricedAt: accepted ? tx.now : null,
    heldPrice: null,
    heldSince: null,
    decidedAt: set?.createdAt ?? source.decidedAt,
  }
  await tx.query(updatePrices, { rows: [after] })
  const outcome = accepted ? 'accepted' : 'refused'
  await tx.query(insertFetches, {
    rows: [{ id: tx.newId(), sourceId: id, at: tx.now, outcome, price, error: null, decidedBy: setter.actor }],
  })
  return after
}
