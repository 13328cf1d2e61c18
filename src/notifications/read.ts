import type { Context } from '../context.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import { findArchivedThrough, findLastPosition, selectFeed } from './store.ts'

/** An event of the feed: its id, its position and the frozen body. */
type FeedEvent = { readonly id: string; readonly position: bigint; readonly body: string }

/** Events of the feed, and the position of the last one; without events, the position that was read from. */
type FeedPage = { readonly events: readonly FeedEvent[]; readonly position: bigint }

/**
 * A merchant's events after a position, by default from the oldest unarchived one, in one order without gaps that never
 * changes. Refuses `events_archived` if some after the position were archived, and `validation_failed` for a position
 * after the last: it comes from another feed, and all events up to it would be missed.
 */
export const listFeed = async (
  context: Context,
  merchantId: string,
  after: bigint | null,
  limit: number,
): Promise<FeedPage> => {
  const rows = await context.query(selectFeed, { merchantId, after, limit })
  const [first] = rows
  const archivedThrough = first
    ? first.archivedThrough
    : ((await context.query(findArchivedThrough, { merchantId }))[0]?.through ?? null)
  const from = after ?? archivedThrough ?? 0n
  if (archivedThrough !== null && from < archivedThrough) {
    const message = `Events after this cursor are in the archive: read on with after=${archivedThrough}, and ask the operator for those before it.`
    throw new Refusal('events_archived', message, { extra: { cursor: String(archivedThrough) } })
  }
  if (!first && from > 0n) {
    // Positions are never reused, so a position that was read before is never ahead.
    const [head] = await context.query(findLastPosition, { merchantId })
    if (from > (head?.position ?? 0n)) {
      throw refuseField('validation_failed', 'after', 'is not a cursor of this feed: it is ahead of the feed.')
    }
  }
  return { events: rows, position: rows.at(-1)?.position ?? from }
}
