import { randomInt } from 'node:crypto'
import type { Database, Session } from './database.ts'
import { Unsuitable } from './faults.ts'
import { integer, query } from './query.ts'

const takeLock = query('take_trial_lock', {
  parameters: { key: integer },
  text: `select from pg_advisory_xact_lock(:key)`,
})

const findLock = query('find_trial_lock', {
  parameters: { key: integer },
  row: { key: integer },
  text: `select :key as key from pg_locks where locktype = 'advisory' and classid = 0 and objid = :key::oid
    and database = (select oid from pg_database where datname = current_database())`,
})

/** Throws `Unsuitable` if a session is on another database than the pool: it does not see what a transaction has locked. */
export const requireSameDatabase = (database: Pick<Database, 'transaction'>, session: Session): Promise<void> =>
  database.transaction(async (tx) => {
    const key = randomInt(2 ** 31)
    await tx.query(takeLock, { key })
    if ((await session.query(findLock, { key })).length > 0) return
    throw new Unsuitable(
      'DATABASE_LISTEN_URL leads to another database than DATABASE_URL. Name the same one, or remove the setting.',
    )
  })
