import type { Context } from '../context.ts'
import type { Instant } from '../../rules/time.ts'
import { selectUses } from './store.ts'

/** When tokens were last used, to the minute: by the id of a merchant's token, or the hash of an operator's. */
export const readTokenUses = async (
  context: Context,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, Instant>> => {
  const rows = await context.query(selectUses, { tokens })
  return new Map(rows.map(({ token, lastUsedAt }) => [token, lastUsedAt]))
}
