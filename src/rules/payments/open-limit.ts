import { type Instant, second } from '../time.ts'

const marginOf = (limit: number): number => Math.max(50, limit / 10)

/** Whether a number of open payments is close enough to a limit that each create must be counted exactly. */
export const isNearLimit = (limit: number, open: number): boolean => open + marginOf(limit) >= limit

const oldestMs = 10 * second

/**
 * Whether a number of open payments that was read some time ago is good enough: other nodes hardly pass the limit in
 * the meantime. It may be a second old per margin of the limit that is left.
 */
export const mayTrustCount = (
  limit: number,
  known: { readonly open: number; readonly created: number; readonly at: Instant } | undefined,
  now: Instant,
): boolean => {
  if (!known) return false
  const room = limit - known.open - known.created
  return Math.abs(now - known.at) <= Math.min(oldestMs, second * Math.max(1, room / marginOf(limit)))
}
