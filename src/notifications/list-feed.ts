import type { Context } from '../context.ts'
import { listFeed as list } from './store.ts'

/** An event of the feed: its id, its place and the frozen body. */
export type FeedEvent = { readonly id: string; readonly position: bigint; readonly body: string }

/** A merchant's events behind a place, in one order without gaps that never changes. */
export const listFeed = async (
  context: Context,
  merchantId: string,
  after: bigint,
  limit: number,
): Promise<FeedEvent[]> =>
  (await context.query(list, { merchantId, after, limit })).map(({ position, ...event }) => ({
    ...event,
    position: position ?? 0n,
  }))
