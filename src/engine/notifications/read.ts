import type { Context } from '../context.ts'
import { refuseField } from '../../rules/refusal.ts'
import { findLastPosition, selectFeed } from './store.ts'

type FeedEvent = { readonly id: string; readonly position: bigint; readonly body: string }

/**
 * A merchant's events after a position, in one order without gaps that never changes. Refuses `validation_failed` for a
 * position after the last: it comes from another feed, and all events up to it would be missed.
 */
export const listFeed = async (
  context: Context,
  merchantId: string,
  after: bigint,
  limit: number,
): Promise<readonly FeedEvent[]> => {
  const events = await context.query(selectFeed, { merchantId, after, limit })
  if (events.length === 0 && after > 0n) {
    // Positions are never reused, so a position that was read before is never ahead.
    const [head] = await context.query(findLastPosition, { merchantId })
    if (after > (head?.position ?? 0n)) {
      throw refuseField('after', 'is not a cursor of this feed: it is ahead of the feed.')
    }
  }
  return events
}
