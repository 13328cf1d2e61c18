import type { Context } from '../context.ts'
import { refuseField } from '../domain/refusal.ts'
import { findLastPosition, selectFeed } from './store.ts'

/** An event of the feed: its id, its position and the frozen body. */
export type FeedEvent = { readonly id: string; readonly position: bigint; readonly body: string }

/**
 * A merchant's events after a position, in one order without gaps that never changes. Refuses `validation_failed` for a
 * position ahead of the last one: it comes from another feed, and all events up to it would be missed.
 */
export const listFeed = async (
  context: Context,
  merchantId: string,
  after: bigint,
  limit: number,
): Promise<FeedEvent[]> => {
  const rows = await context.query(selectFeed, { merchantId, after, limit })
  if (rows.length === 0 && after > 0n) {
    // Events are never deleted and keep their positions, so a position that was read before is not ahead.
    const [head] = await context.query(findLastPosition, { merchantId })
    if (after > (head?.position ?? 0n)) {
      throw refuseField('validation_failed', 'after', 'is no cursor of this feed: the feed has not come so far yet.')
    }
  }
  return rows.map(({ position, ...event }) => ({ ...event, position: position ?? 0n }))
}
