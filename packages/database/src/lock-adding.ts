import type { Queryable } from './database.ts'
import { query, text } from './query.ts'

const takeLock = query('lock_adding_to_list', {
  parameters: { list: text },
  row: { locked: text },
  text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' add ' || :list, 0))::text as locked`,
})

/**
 * Lets one transaction at a time add to a list with a limited length: a lock on existing rows would not wait for a row
 * that is being added. Call it before counting the rows.
 */
export const lockAdding = async (tx: Queryable, list: string): Promise<void> => {
  await tx.query(takeLock, { list })
}
