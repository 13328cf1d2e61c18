import type { Context, Tx } from '../../../context.ts'
import type { Queryable } from '../../../database/database.ts'
import type { RateSource } from '../../../domain/rate-source.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { lockSources, selectFetches, selectOverrides, selectSources } from './store.ts'

/** All sources of rates, by currency and rank. */
export const listRateSources = (sql: Queryable): Promise<RateSource[]> => sql.query(selectSources, {})

/** What was fetched from a source, the newest first. */
export const listFetches = (
  context: Context,
  sourceId: string,
  span: { readonly before: string | null; readonly limit: number },
) => context.query(selectFetches, { sourceId, ...span })

/** The overrides in force. */
export const listOverrides = (context: Context) => context.query(selectOverrides, { now: context.clock() })

/** One source, with all others locked; refuses `resource_not_found`. */
export const lockRateSource = async (tx: Tx, id: string): Promise<RateSource> => {
  const found = (await tx.query(lockSources, {})).find((source) => source.id === id)
  if (!found) throw new Refusal('resource_not_found', 'There is no such source of rates.')
  return found
}
