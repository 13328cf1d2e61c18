import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../database/database.ts'
import { countWriters, findSchema } from './store.ts'

/** How long transactions that have written may take to end. */
const writersEndWithinMs = 3000
const lookEveryMs = 5

/** Whether a schema exists. */
export const hasSchema = async (session: Session, schema: string): Promise<boolean> =>
  (await session.query(findSchema, { schema }))[0]?.exists === true

/**
 * Renames a schema and waits until nobody writes to its tables. Queries that begin now do not find the tables, even in
 * a process that does not know of it: PostgreSQL looks names up again whenever one has changed. The name is restored if
 * a transaction continues for longer than three seconds.
 */
export const fence = async (session: Session, schema: string, kept: string): Promise<void> => {
  await session.run(`alter schema ${schema} rename to ${kept}`)
  for (let waited = 0; waited < writersEndWithinMs; waited += lookEveryMs) {
    const [found] = await session.query(countWriters, { schema: kept })
    if (found?.writers === 0) return
    await sleep(lookEveryMs)
  }
  await session.run(`alter schema ${kept} rename to ${schema}`)
  throw new Error('A transaction of the tenant did not end within 3 seconds, so nothing was changed. Try again.')
}

/** A name for a schema that is kept. */
export const keptName = (why: 'moved' | 'replaced', tenant: string, now: number): string =>
  `${why}_${tenant}_${new Date(now).toISOString().replaceAll(/\D/g, '').slice(0, 14)}`
