import type { Queryable } from './database.ts'
import type { Query } from './query.ts'

/** A query as a function, for whoever may not see the query itself. */
export const reader =
  <P, Row>(query: Query<P, Row>) =>
  (sql: Queryable, parameters: P): Promise<Row[]> =>
    sql.query(query, parameters)
