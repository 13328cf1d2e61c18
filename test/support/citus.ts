import { test } from 'node:test'
import pg from 'pg'

/** Whether the tests run on Citus, where some are left out. */
const isOnCitus = process.env['PAYIN_TEST_CITUS'] === 'yes'

/** Declares a test with `declare`, except on Citus, where it is skipped for this reason. */
export const exceptOnCitus =
  <Run>(reason: string, declare: (title: string, run: Run) => void) =>
  (title: string, run: Run): void =>
    isOnCitus ? void test(title, { skip: reason }) : declare(title, run)

/** The same address with another server. */
const withHost = (url: string, host: string, port: number): string => {
  const found = new URL(url)
  found.searchParams.delete('host')
  found.searchParams.delete('port')
  found.hostname = host
  found.port = String(port)
  return String(found)
}

export type CitusNode = { readonly url: string; readonly host: string; readonly port: number }

const query = async <R extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<R[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(sql, values)).rows
  } finally {
    await client.end()
  }
}

/**
 * The nodes of the Citus cluster to which a database belongs, the coordinator first; empty for a plain PostgreSQL, or
 * without one.
 */
export const listCitusNodes = async (url: string | undefined): Promise<CitusNode[]> => {
  if (!url) return []
  const [extension] = await query(url, `select from pg_extension where extname = 'citus'`)
  if (!extension) return []
  const rows = await query<{ host: string; port: number }>(
    url,
    'select nodename as host, nodeport as port from pg_dist_node where isactive order by groupid',
  )
  return rows.map(({ host, port }) => ({ url: withHost(url, host, port), host, port }))
}

/** Makes one Citus cluster of the databases with one name on all nodes: the extension belongs to a database. */
export const joinNodes = async (nodes: readonly CitusNode[], inDatabase: (url: string) => string): Promise<void> => {
  for (const { url } of nodes) await query(inDatabase(url), 'create extension citus')
  const [coordinator, ...workers] = nodes
  if (!coordinator) return
  const url = inDatabase(coordinator.url)
  await query(url, 'select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
  for (const { host, port } of workers) await query(url, 'select citus_add_node($1, $2)', [host, port])
}
