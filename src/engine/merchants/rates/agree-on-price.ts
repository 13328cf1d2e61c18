import type { Agreeing, Context, Tx } from '../../context.ts'
import { raiseCatalogVersion } from '../../catalog.ts'
import type { Queryable } from 'payin-database'
import { demoRateSource, isWithinBandOf, type PriceRange, rateBandPercent } from '../../../rules/money/rate.ts'
import { overrideEnd, overrideSource, rangeOfDay } from '../../../rules/money/rate-source.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { day, type Instant, isAhead } from '../../../rules/time.ts'
import { latestRates } from './rate.ts'
import { findProposal, listProposals, listRateRanges, upsertProposal } from './store.ts'

/**
 * The ranges of the currencies' rates in the last day, or since two people's later agreement; none for a currency that
 * only overrides have given a rate.
 */
export const listDayRanges = async (
  sql: Queryable,
  currencies: readonly { readonly currency: string; readonly agreedAt: Instant | null }[],
  now: Instant,
): Promise<ReadonlyMap<string, PriceRange>> => {
  const rows = currencies.map(({ currency, agreedAt }) => {
    const agreed = agreedAt === null || isAhead(agreedAt, now) ? 0 : agreedAt
    return { currency, since: Math.max(now - day, agreed) }
  })
  const ranges = await sql.query(listRateRanges, { overrideSource, demoSource: demoRateSource, rows })
  const overrides = ranges.filter(({ isOverride }) => isOverride)
  return new Map(
    ranges
      .filter(({ isOverride }) => !isOverride)
      .map(({ currency, lowest, highest }) => {
        const own = overrides.filter((each) => each.currency === currency).map((each) => each.lowest)
        return [currency, rangeOfDay({ lowest, highest }, own)]
      }),
  )
}

/** What an operator wants: `source` is what would set the price, `endsAt` when it would end, if it does. */
export type WantedPrice = {
  readonly currency: string
  readonly price: bigint
  readonly source: string
  readonly endsAt: Instant | null
  readonly outsideBand: boolean
}

/** Whether an operator's price is outside the band; `undefined` for the first one of its currency. */
const isOutside = async (tx: Tx, currency: string, price: bigint, agreedAt: Instant | null) => {
  // Many small steps are a jump, too, and so are short ones that are repeated each day.
  const range = (await listDayRanges(tx, [{ currency, agreedAt }], tx.now)).get(currency)
  return range && !isWithinBandOf(range, price)
}

/** A price that is set, and whether it is the first one of its currency, and of two people. */
type SetPrice = Pick<WantedPrice, 'price' | 'source'> & { readonly isFirst: boolean; readonly isOfTwo: boolean }

const isOfOverride = ({ source }: Pick<WantedPrice, 'source'>): boolean =>
  source === overrideSource || source === overrideEnd

/**
 * The price by which the bounds of one person are measured from now on, after `known`. Where two people move money, one
 * alone never raises it, and sets no first one, even if nobody else may set rates.
 */
const measureAfter = (known: bigint | null, set: SetPrice, hasTwo: boolean): bigint | null => {
  const isAlone = hasTwo && !set.isOfTwo
  if (isAlone && set.isFirst) return 0n
  return isAlone || isOfOverride(set) ? known : set.price
}

const earlier = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/**
 * Until when a price that an operator wants may be set, null for no end; `undefined` if it may not be set yet. One outside
 * the band needs `outsideBand` and, where `needsSecond`, another operator who wants the same price by the same source
 * within a day, until the earlier end of both; so do the first price of a currency and what `mustAgree`. Until then it is a
 * proposal. An override is not what later prices are measured from, so neither its beginning nor its end moves `agreedAt`
 * or `agreedPrice`.
 * Refuses `rate_outside_band`, and `second_person_required` for the same person.
 */
export const agreeOnPrice = async (
  tx: Tx,
  wanted: WantedPrice,
  { actor, needsSecond, hasTwo, refuseOnePerson }: Agreeing,
  mustAgree = false,
): Promise<{ readonly endsAt: Instant | null } | undefined> => {
  const { currency, price, source, endsAt } = wanted
  // Of two requests at once, the second one is measured from what the first one has set.
  await raiseCatalogVersion(tx, 'rates')
  const last = (await latestRates(tx)).get(currency)
  const [known] = await tx.query(findProposal, { currency })
  const isFar = await isOutside(tx, currency, price, known?.agreedAt ?? null)
  const isQuestion = mustAgree || (isFar ?? hasTwo)
  if (!isQuestion) return { endsAt }
  if (isFar && !wanted.outsideBand) {
    throw new Refusal(
      'rate_outside_band',
      `The price differs from one of the last 24 hours by more than ${rateBandPercent} %. Check it, and if it is right, repeat with outsideBand.`,
    )
  }
  const isSame =
    known?.price === price &&
    known.source === source &&
    (known.proposedAt ?? 0) > tx.now - day &&
    (known.endsAt ?? Infinity) > tx.now
  const author = isSame ? known.proposedBy : null
  const isSecond = author !== null && author !== actor
  if (needsSecond && isSecond) await refuseOnePerson(tx, author)
  const isAgreed = isSecond || !needsSecond
  const { agreedAt = null, agreedPrice = null } = known ?? {}
  const agreedNow = isOfOverride(wanted) ? agreedAt : Math.max(tx.now, (last?.createdAt ?? 0) + 1)
  const set = { price, source, isFirst: isFar === undefined, isOfTwo: needsSecond && isSecond }
  const agreed = { agreedAt: agreedNow, agreedPrice: measureAfter(agreedPrice, set, hasTwo) }
  const proposal = isAgreed
    ? { price: null, proposedBy: null, proposedAt: null, source: null, endsAt: null, ...agreed }
    : { price, proposedBy: actor, proposedAt: tx.now, source, endsAt, agreedAt, agreedPrice }
  await tx.query(upsertProposal, { currency, ...proposal })
  if (!isAgreed) return undefined
  return { endsAt: isSecond ? earlier(endsAt, known?.endsAt ?? null) : endsAt }
}

/** The prices that wait for another operator. */
export const listRateProposals = (context: Context) => context.query(listProposals, { since: context.clock() - day })
