import pg from 'pg'
import type { TestService } from './service.ts'

/** Runs SQL on the PostgreSQL database of a service over a separate connection, and returns the rows. */
export const runSql = <T extends pg.QueryResultRow>(service: Pick<TestService, 'context'>, sql: string): Promise<T[]> =>
  runSqlAt(service.context.settings.databaseUrl ?? '', sql)

/** The same for a database at an address. */
export const runSqlAt = async <T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}
