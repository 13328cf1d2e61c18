import type { Queryable } from './database.ts'
import { array, query, text } from './query.ts'

const takeLocks = query('lock_adding_to_lists', {
  parameters: { lists: array(text) },
  row: { locked: text },
  text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' add ' || list, 0))::text as locked
    from unnest(:lists) as list`,
})

/**
 * Lets one transaction at a time add to lists with a limited length: a lock on existing rows would not wait for a row
 * that is being added. Call it before counting the rows. The lists are locked in the order in which they are given.
 */
export const lockAdding = async (tx: Queryable, ...lists: string[]): Promise<void> => {
  if (lists.length > 0) await tx.query(takeLocks, { lists })
}
