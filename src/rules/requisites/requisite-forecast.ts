import { type PeriodLimit, periodLimits, type RequisiteLimits, type RequisiteUsage } from './requisite.ts'
import { hour, type Instant, periodEnds, periodStarts } from '../time.ts'

/** Which limit a requisite reaches first if payments continue at the pace of its day or month, and when. */
export type LimitForecast = { readonly limit: PeriodLimit; readonly at: Instant }

/** A pace is measured over at least this long: the first payment of a day says little about the rest of it. */
const leastSpanMs = hour

/**
 * The limit that is reached first, before its day or month ends; `undefined` if none is. A limit that is used up is
 * reached now.
 */
export const forecastLimit = (
  limits: RequisiteLimits,
  usage: RequisiteUsage,
  now: Instant,
): LimitForecast | undefined => {
  const starts = periodStarts(now, limits.utcOffsetMinutes)
  const ends = periodEnds(now, limits.utcOffsetMinutes)
  let first: LimitForecast | undefined
  for (const [limit, period] of periodLimits) {
    const highest = limits[limit]
    const used = Number(usage[limit])
    if (highest === null || (used === 0 && highest > 0)) continue
    const left = Math.max(0, Number(highest) - used)
    const span = Math.max(leastSpanMs, now - starts[period])
    const at = left === 0 ? now : now + Math.ceil((left / used) * span)
    if (at < ends[period] && (first === undefined || at < first.at)) first = { limit, at }
  }
  return first
}
