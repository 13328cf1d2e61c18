import type { Database, Queryable } from 'payin-database'
import type { Spans } from './spans.ts'

const system = { 'db.system.name': 'postgresql' }

const traceQueries = (sql: Queryable, spans: Spans): Queryable => ({
  query: (asked, parameters) =>
    spans.within(`query ${asked.name}`, { ...system, 'db.query.summary': asked.name }, () =>
      sql.query(asked, parameters),
    ),
})

/** A database whose queries and transactions are spans of the calling request or batch, named after the query. */
export const traceDatabase = (database: Database, spans: Spans): Database => ({
  ...database,
  ...traceQueries(database, spans),
  transaction: (work) =>
    spans.within('transaction', system, () =>
      database.transaction((tx) => work({ ...tx, ...traceQueries(tx, spans) })),
    ),
})
