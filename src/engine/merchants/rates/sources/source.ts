import type { Context, Tx } from '../../../context.ts'
import { lockAdding, type Queryable } from 'payin-database'
import { type EndpointPolicy, readOutboundUrl } from '../../../../rules/notices/endpoint.ts'
import {
  type RateSource,
  addSpread,
  isPointer,
  markedSources,
  type RateSourceKind,
  type RateSourceWish,
  reservedNames,
  startSource,
  usablePrice,
  overrideEnd,
  overrideSource,
} from '../../../../rules/money/rate-source.ts'
import { isRateUsable, isWithinBand, type Rate } from '../../../../rules/money/rate.ts'
import { invalidState, Refusal, refuseField } from '../../../../rules/refusal.ts'
import { maskAddress } from '../../../../rules/values/masking.ts'
import { agreeOnPrice, type RateSetter } from '../agree-on-price.ts'
import { setRate } from '../rate.ts'
import { dropProposal, listLatestRates } from '../store.ts'
import { applyRates, replaceOverrides } from './fetch-rates.ts'
import {
  lockSources,
  selectFetches,
  selectOverrides,
  selectSources,
  insertSource,
  updateSourceRow,
  markRemoved,
  insertFetches,
  updatePrices,
  markDecided,
  upsertOverride,
  deleteOverride,
} from './store.ts'

/** All sources of rates, by currency and rank. */
export const listRateSources = (sql: Queryable): Promise<RateSource[]> => sql.query(selectSources, {})

/** The fetches of a source, the newest first. */
export const listFetches = (
  context: Context,
  sourceId: string,
  span: { readonly before: string | null; readonly limit: number },
) => context.query(selectFetches, { sourceId, ...span })

/** The overrides in effect. */
export const listOverrides = (context: Context) => context.query(selectOverrides, { now: context.clock() })

/** One source, with all others locked; refuses `resource_not_found`. */
const lockRateSource = async (tx: Tx, id: string): Promise<RateSource> => {
  const found = (await tx.query(lockSources, {})).find((source) => source.id === id)
  if (!found) throw new Refusal('resource_not_found', 'There is no such source of rates.')
  return found
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
  const refuse = (field: string, message: string): Refusal => refuseField('validation_failed', field, message)
  const { name, url, pointer, fixedPrice, spreadPpm } = wish
  if (reservedNames.includes(name)) throw refuse('name', `must not be one of ${reservedNames.join(', ')}.`)
  const others = (await tx.query(lockSources, {})).filter((other) => other.currency === currency && other.id !== id)
  if (others.some((other) => other.name === name)) {
    throw nameTaken(currency, name)
  }
  if (kind === 'fixed') {
    if (url !== null || pointer !== null) throw refuse('url', 'and pointer are for JSON sources only.')
    if (fixedPrice === null) throw refuse('price', 'is required.')
    if (addSpread(fixedPrice, spreadPpm) === 0n) throw refuse('spreadPpm', 'would reduce the price to zero or below.')
    return wish
  }
  if (fixedPrice !== null) throw refuse('price', 'is for fixed sources only.')
  if (url === null) throw refuse('url', 'is required.')
  if (pointer === null || !isPointer(pointer)) throw refuse('pointer', 'is not a JSON pointer, such as /data/rub.')
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
  if ((await tx.query(lockSources, {})).length >= mostSources) {
    throw new Refusal('invalid_state', `There are already ${mostSources} sources; remove one first.`)
  }
  const source: RateSource = {
    id,
    currency,
    kind,
    ...checked,
    ...startSource(checked, tx.now),
    decidedAt: tx.now,
  }
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
  const after: RateSource = {
    ...before,
    ...wish,
    ...startSource(wish, tx.now),
  }
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

/** The override of a currency that is in force. */
const findOverride = async (tx: Tx, currency: string) =>
  (await tx.query(selectOverrides, { now: tx.now })).find((each) => each.currency === currency)

/** Refuses `invalid_state` while an override is in force: nothing else sets the rate of its currency. */
const refuseOverridden = async (tx: Tx, currency: string): Promise<void> => {
  if (await findOverride(tx, currency))
    throw invalidState(`An override of ${currency} is in force: end it first, or set another one.`)
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
  setter: RateSetter,
): Promise<RateSource> => {
  const source = await lockRateSource(tx, id)
  const { price, accepted } = decision
  if (source.heldPrice !== price) {
    throw new Refusal('invalid_state', 'This price is not waiting (any more): check the sources again.')
  }
  const { currency, name, kind, maxAgeMs } = source
  if (accepted) await refuseOverridden(tx, currency)
  const rate = { currency, price, source: name, maxAgeMs: kind === 'fixed' ? null : maxAgeMs, outsideBand: true }
  if (accepted && !(await agreeOnPrice(tx, { ...rate, endsAt: null }, setter))) return source
  const set = accepted ? await setRate(tx, rate) : undefined
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

/** The last rate of a currency that is no override. */
const findBase = async (tx: Tx, currency: string): Promise<Rate | undefined> =>
  (await tx.query(listLatestRates, { except: [overrideSource] })).find((each) => each.currency === currency)

/**
 * Sets a rate by an operator's decision; the moves of its sources are measured from it. `undefined` if it first needs
 * another operator, who sets the same: also if it ends sooner than the one in force. Refuses `validation_failed` for the name of another origin, `invalid_state` while
 * an override is in force, and as `agreeOnPrice` does.
 */
export const setRateByHand = async (
  tx: Tx,
  wanted: Parameters<typeof setRate>[1],
  setter: RateSetter,
): Promise<Rate | undefined> => {
  const sources = (await tx.query(lockSources, {})).filter(({ currency }) => currency === wanted.currency)
  if (markedSources.includes(wanted.source) || sources.some(({ name }) => name === wanted.source)) {
    throw refuseField('validation_failed', 'source', 'is the name of another origin of rates.')
  }
  await refuseOverridden(tx, wanted.currency)
  const endsAt = wanted.maxAgeMs === null ? null : tx.now + wanted.maxAgeMs
  const base = await findBase(tx, wanted.currency)
  const endsSooner = endsAt !== null && base && isRateUsable(base, endsAt)
  const agreed = await agreeOnPrice(tx, { ...wanted, endsAt }, setter, endsSooner)
  if (!agreed) return undefined
  const maxAgeMs = agreed.endsAt === null ? null : agreed.endsAt - tx.now
  const rate = await setRate(tx, { ...wanted, maxAgeMs, outsideBand: true })
  await tx.query(markDecided, { currency: rate.currency, at: rate.createdAt })
  return rate
}

/** An operator's own rate of a currency until a time. */
export type Override = Omit<ReturnType<typeof selectOverrides.decode>, 'setAt'>

/**
 * The rate that returns when an override in force ends, if that is outside the band around it: two people have agreed on
 * the override, and ending or replacing it takes two again.
 */
const findFarReturn = async (tx: Tx, { currency, price }: Pick<Override, 'currency' | 'price'>) => {
  const base = await findBase(tx, currency)
  return base && !isWithinBand(base.price, price) ? base : undefined
}

/** Whether a currency would have no usable rate without its override. A source's price that is far off may have to wait. */
const isOnlyRate = async (
  tx: Tx,
  sources: readonly RateSource[],
  { currency, price: current }: Pick<Override, 'currency' | 'price'>,
): Promise<boolean> => {
  const base = await findBase(tx, currency)
  const isPriced = sources.some((each) => {
    const price = each.currency === currency ? usablePrice(each, tx.now)?.price : undefined
    return price !== undefined && isWithinBand(current, price)
  })
  return !base || !(isRateUsable(base, tx.now) || isPriced)
}

/**
 * Sets the rate of a currency until a time, whatever its sources report. Returns it, or `undefined` if it first needs
 * another operator, who sets the same: then it ends when the earlier one of both says. Refuses `validation_failed` for a
 * time that is not in the future, and as `agreeOnPrice` does.
 */
export const setOverride = async (
  tx: Tx,
  override: Override,
  outsideBand: boolean,
  setter: RateSetter,
): Promise<Override | undefined> => {
  const { currency, price } = override
  if (override.endsAt <= tx.now) throw refuseField('validation_failed', 'until', 'is not in the future.')
  // Excludes a fetch that has not seen the override and would set the rate after it.
  const sources = await tx.query(lockSources, {})
  const before = await findOverride(tx, currency)
  const mustAgree =
    before !== undefined &&
    ((await findFarReturn(tx, before)) !== undefined ||
      (override.endsAt < before.endsAt && (await isOnlyRate(tx, sources, before))))
  const agreed = await agreeOnPrice(tx, { ...override, source: overrideSource, outsideBand }, setter, mustAgree)
  if (!agreed) return undefined
  const endsAt = agreed.endsAt ?? override.endsAt
  const maxAgeMs = endsAt - tx.now
  await setRate(tx, { currency, price, source: overrideSource, maxAgeMs, outsideBand: true })
  await tx.query(upsertOverride, { ...override, endsAt, setAt: tx.now })
  return { ...override, endsAt }
}

/**
 * Ends the override of a currency: its sources set the rate again, immediately if they have a price, else the rate
 * before it returns. The first price of a source waits for operators if a second person must agree. Returns false if the
 * end first needs another operator, because that rate is far from the override's, or there is none. Refuses
 * `resource_not_found` if no override is in effect, and `second_person_required`.
 */
export const endOverride = async (tx: Tx, currency: string, setter: RateSetter): Promise<boolean> => {
  const sources = await tx.query(lockSources, {})
  const before = await findOverride(tx, currency)
  const far = before && (await findFarReturn(tx, before))
  const returning = far ?? (before && (await isOnlyRate(tx, sources, before)) ? before : undefined)
  const end = { currency, source: overrideEnd, endsAt: null, outsideBand: true }
  if (returning && !(await agreeOnPrice(tx, { ...end, price: returning.price }, setter, true))) return false
  const [ended] = await tx.query(deleteOverride, { currency, now: tx.now })
  if (!ended) throw new Refusal('resource_not_found', `No override of ${currency} is in force.`)
  await applyRates(
    tx,
    sources.filter((source) => source.currency === currency),
    new Map(),
    setter.needsSecond,
  )
  await replaceOverrides(tx)
  return true
}
