import pg from 'pg'

const lookEveryMs = 5000

/**
 * Tables that have four times the size that PostgreSQL last counted. A plan made for a table of one page reads its index
 * whole; kept for a table of thousands it made a create take 1.2 ms instead of 0.05.
 */
const grownTables = `select relname from pg_class
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and pg_relation_size(oid) > 4 * greatest(relpages, 2) * current_setting('block_size')::bigint`

/** Renews the statistics of tables that have outgrown them, which makes all sessions plan their queries again. */
export const renewStatistics = async (session: Pick<pg.ClientBase, 'query'>): Promise<string[]> => {
  const { rows } = await session.query<{ relname: string }>(grownTables)
  for (const { relname } of rows) await session.query(`analyze (skip_locked) ${pg.escapeIdentifier(relname)}`)
  return rows.map((row) => row.relname)
}

/**
 * Renews statistics from time to time until the returned function is called: autovacuum comes a minute later at the
 * earliest, and to the embedded engine not at all. Errors are ignored, because every other query reports them.
 */
export const startRenewingStatistics = (
  withSession: (work: (session: Pick<pg.ClientBase, 'query'>) => Promise<unknown>) => Promise<unknown>,
): (() => void) => {
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    withSession(renewStatistics)
      .catch(() => undefined)
      .finally(() => (isBusy = false))
  }, lookEveryMs).unref()
  return () => clearInterval(timer)
}
