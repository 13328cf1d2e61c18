import type { Instant } from './instant.ts'
import type { Queryable } from './database.ts'
import { instant, query } from './query.ts'

const findTime = query('find_database_time', {
  row: { at: instant },
  text: 'select clock_timestamp() as at',
})

/** The time by the database's clock. */
export const readTime = async (sql: Queryable): Promise<Instant> => {
  const [row] = await sql.query(findTime, {})
  if (!row) throw new Error('the database did not say what time it is')
  return row.at
}
