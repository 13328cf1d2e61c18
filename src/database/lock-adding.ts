import type { Queryable } from './database.ts'
import { query, text } from './query.ts'

const takeLock = query('lock_adding_to_list', {
  parameters: { list: text },
  row: { locked: text },
  text: `select pg_advisory_xact_lock(hashtextextended('add ' || :list, 0))::text as locked`,
})

/**
 * Lets one transaction at a time add to a list that has a most: a lock of the rows that are there does not wait for one that
 * is just being added. It comes before the rows are counted.
 */
export const lockAdding = async (tx: Queryable, list: string): Promise<void> => {
  await tx.query(takeLock, { list })
}
