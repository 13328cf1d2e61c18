import type { Context, Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { demoRateSource, isWithinBandOf, rateBandPercent } from '../../../rules/money/rate.ts'
import { type DayRates, overrideSource } from '../../../rules/money/rate-source.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { findProposal, listLatestRates, listProposals, listRateRanges, upsertProposal } from './store.ts'

/** An operator who sets a rate; whether a second person must agree on one that is outside the band. */
export type RateSetter = {
  readonly actor: string
  readonly needsSecond: boolean
  /** Refuses `second_person_required` unless the author is certainly another person. */
  readonly refuseOnePerson: (tx: Tx, author: string) => Promise<void>
}

/** The rates of currencies in the last day, or since two people's later agreement. */
export const listDayRates = async (
  sql: Queryable,
  currencies: readonly { readonly currency: string; readonly agreedAt: Instant | null }[],
  now: Instant,
): Promise<ReadonlyMap<string, DayRates>> => {
  const rows = currencies.map(({ currency, agreedAt }) => ({ currency, since: Math.max(now - day, agreedAt ?? 0) }))
  const ranges = await sql.query(listRateRanges, { overrideSource, demoSource: demoRateSource, rows })
  return new Map(
    ranges.map(({ currency, lowest, highest, baseLowest, baseHighest }) => {
      const base = baseLowest === null || baseHighest === null ? null : { lowest: baseLowest, highest: baseHighest }
      return [currency, { inForce: { lowest, highest }, base }]
    }),
  )
}

/**
 * Whether a price that an operator wants may be set. One outside the band needs `outsideBand` and, where `needsSecond`,
 * another operator who wants the same price within a day; so does the first price of a currency. Until then it is a
 * proposal, and the answer is false. Refuses `rate_outside_band`, and `second_person_required` for the same person.
 */
export const agreeOnPrice = async (
  tx: Tx,
  wanted: { readonly currency: string; readonly price: bigint; readonly outsideBand: boolean },
  { actor, needsSecond, refuseOnePerson }: RateSetter,
): Promise<boolean> => {
  const { currency, price } = wanted
  const last = (await tx.query(listLatestRates, {})).find((each) => each.currency === currency)
  const [known] = await tx.query(findProposal, { currency })
  const agreedAt = known?.agreedAt ?? null
  // Many small steps are a jump, too, and so are short ones that are repeated each day.
  const ofDay = (await listDayRates(tx, [{ currency, agreedAt }], tx.now)).get(currency)
  const isFar = ofDay !== undefined && !isWithinBandOf(ofDay.inForce, price)
  if (!isFar && (ofDay !== undefined || !needsSecond)) return true
  if (isFar && !wanted.outsideBand) {
    throw new Refusal(
      'rate_outside_band',
      `The price differs from one of the last 24 hours by more than ${rateBandPercent} %. Check it, and if it is right, repeat with outsideBand.`,
    )
  }
  const proposedBy = known?.price === price && (known.proposedAt ?? 0) > tx.now - day ? known.proposedBy : null
  const isSecond = proposedBy !== null && proposedBy !== actor
  if (needsSecond && isSecond) await refuseOnePerson(tx, proposedBy)
  const isAgreed = isSecond || !needsSecond
  const proposal = isAgreed
    ? { price: null, proposedBy: null, proposedAt: null, agreedAt: Math.max(tx.now, (last?.createdAt ?? 0) + 1) }
    : { price, proposedBy: actor, proposedAt: tx.now, agreedAt }
  await tx.query(upsertProposal, { currency, ...proposal })
  return isAgreed
}

/** The prices that wait for another operator. */
export const listRateProposals = (context: Context) => context.query(listProposals, { since: context.clock() - day })
