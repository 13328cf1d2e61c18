import type { Agreeing, Context, Tx } from '../../context.ts'
import {
  markedSources,
  overrideEnd,
  overrideSource,
  type RateSource,
  usablePrice,
} from '../../../rules/money/rate-source.ts'
import { isRateUsable, isWithinBand, type Rate } from '../../../rules/money/rate.ts'
import { invalidState, Refusal, refuseField } from '../../../rules/refusal.ts'
import { agreeOnPrice } from './agree-on-price.ts'
import { latestRates, setRate } from './rate.ts'
import { applyRates, replaceOverrides } from './sources/fetch-rates.ts'
import { deleteOverride, lockSources, markDecided, selectOverrides, upsertOverride } from './sources/store.ts'

/** The overrides in effect. */
export const listOverrides = (context: Context) => context.query(selectOverrides, { now: context.clock() })

const findOverride = async (tx: Tx, currency: string) =>
  (await tx.query(selectOverrides, { now: tx.now })).find((each) => each.currency === currency)

/** Refuses `invalid_state` while an override is in force: nothing else sets the rate of its currency. */
export const refuseOverridden = async (tx: Tx, currency: string): Promise<void> => {
  if (await findOverride(tx, currency))
    throw invalidState(`An override of ${currency} is in force: end it first, or set another one.`)
}

/** The last rate of a currency that is no override. */
const findBase = async (tx: Tx, currency: string): Promise<Rate | undefined> =>
  (await latestRates(tx, [overrideSource])).get(currency)

/**
 * Sets a rate by an operator's decision; the moves of its sources are measured from it. `undefined` if it first needs
 * another operator, who sets the same: also if it ends sooner than the one in force. Refuses `validation_failed` for the
 * name of another origin, `invalid_state` while an override is in force, and as `agreeOnPrice` does.
 */
export const setRateByHand = async (
  tx: Tx,
  wanted: Pick<Rate, 'currency' | 'price' | 'source'> & {
    readonly maxAgeMs: number | null
    readonly outsideBand: boolean
  },
  setter: Agreeing,
): Promise<Rate | undefined> => {
  const sources = (await tx.query(lockSources, {})).filter(({ currency }) => currency === wanted.currency)
  if (markedSources.includes(wanted.source) || sources.some(({ name }) => name === wanted.source)) {
    throw refuseField('source', 'is the name of another origin of rates.')
  }
  await refuseOverridden(tx, wanted.currency)
  const endsAt = wanted.maxAgeMs === null ? null : tx.now + wanted.maxAgeMs
  const base = await findBase(tx, wanted.currency)
  const endsSooner = endsAt !== null && base && isRateUsable(base, endsAt)
  // What somebody insists on is agreed on even within the band: by that, the bounds of one person are measured again.
  const mustAgree = wanted.outsideBand || endsSooner
  const agreed = await agreeOnPrice(tx, { ...wanted, endsAt }, setter, mustAgree)
  if (!agreed) return undefined
  const { currency, price, source } = wanted
  const rate = await setRate(tx, { currency, price, source, validUntil: agreed.endsAt })
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
  setter: Agreeing,
): Promise<Override | undefined> => {
  const { currency, price } = override
  if (override.endsAt <= tx.now) throw refuseField('until', 'is not in the future.')
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
  await setRate(tx, { currency, price, source: overrideSource, validUntil: endsAt })
  await tx.query(upsertOverride, { ...override, endsAt, setAt: tx.now })
  return { ...override, endsAt }
}

/**
 * Ends the override of a currency: its sources set the rate again, immediately if they have a price, else the rate
 * before it returns. The first price of a source waits for operators if a second person must agree. Returns false if the
 * end first needs another operator, because that rate is far from the override's, or there is none. Refuses
 * `resource_not_found` if no override is in effect, and `second_person_required`.
 */
export const endOverride = async (tx: Tx, currency: string, setter: Agreeing): Promise<boolean> => {
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
    setter.hasTwo,
  )
  await replaceOverrides(tx)
  return true
}
