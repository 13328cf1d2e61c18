// The limit of creating payments: the service as it is, but the query that creates payments never reaches the
// database. Everything else does, so that the only thing missing is the database's work for the create.
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import type { Query } from '../../src/database/query.ts'
import { insertPayments } from '../../src/payments/store.ts'
import { serve } from './serve.ts'

type Inserts = Parameters<typeof insertPayments.encode>[0]
type Inserted = ReturnType<typeof insertPayments.decode>

/**
 * Answers in the next turn of the event loop, as the quickest of all databases would: the requests that have arrived
 * meanwhile go together. Answered at once, each would go alone, and that takes nearly twice as long (235 instead of
 * 124 µs): it would be no limit.
 */
const answerFromMemory = async ({ rows }: Inserts): Promise<Inserted[]> => {
  await setImmediate()
  return rows.map(({ id }) => ({ id, inserted: true }))
}

const withoutInserts = (database: Database): Database => ({
  ...database,
  query: async <P, R>(query: Query<P, R>, parameters: P): Promise<R[]> =>
    (query as unknown) === insertPayments
      ? ((await answerFromMemory(parameters as Inserts)) as R[])
      : database.query(query, parameters),
})

await serve({ replaceDatabase: withoutInserts })
