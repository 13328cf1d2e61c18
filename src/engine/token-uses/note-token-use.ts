import type { Context } from '../context.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { upsertUse } from './store.ts'

/** When this node last wrote the use of each token. */
const writtenAt = new WeakMap<Context, Map<string, Instant>>()

/**
 * Records that a token was used, without waiting: written at most once a minute per token and node, so that the
 * displayed time is at most a minute old. A use that cannot be written is lost, never refused.
 */
export const noteTokenUse = (context: Context, token: string): void => {
  const written = writtenAt.get(context) ?? new Map<string, Instant>()
  writtenAt.set(context, written)
  const now = context.clock()
  if (now - (written.get(token) ?? -minute) < minute || !context.isWritable()) return
  written.set(token, now)
  context
    .query(upsertUse, { token, usedAt: now })
    .catch((error: unknown) => context.log.debug({ err: error }, 'the use of a token could not be recorded'))
}
