import pg from 'pg'

const lookEveryMs = 500
/** While nothing grows, checks become rarer, down to every tenth. */
const mostSkipped = 10

/**
 * Tables that have four times the size that PostgreSQL last counted. A plan made for a table of one page reads its
 * index whole; kept for a table of thousands it made a create take 1.2 ms instead of 0.05. Also tables that were
 * counted as having pages but no rows, because the transaction that filled them was not committed yet: notifications
 * stopped after such a count.
 */
const grownTables = `select relname from pg_class
  -- An index leads from a schema to its tables here; pg_class has none, and may have the tables of many schemas.
  where oid in (select objid from pg_depend where classid = 'pg_class'::regclass and refclassid = 'pg_namespace'::regclass
      and refobjid = (select oid from pg_namespace where nspname = current_schema()))
    and relkind = 'r'
    and (pg_relation_size(oid) > 4 * greatest(relpages, 2) * current_setting('block_size')::bigint
      or reltuples = 0 and relpages > 2 and pg_stat_get_mod_since_analyze(oid) > 0)`

/** Renews the statistics of tables that have outgrown them, which makes all sessions replan their queries. */
export const renewStatistics = async (session: Pick<pg.ClientBase, 'query'>): Promise<string[]> => {
  const { rows } = await session.query<{ relname: string }>(grownTables)
  for (const { relname } of rows) await session.query(`analyze (skip_locked) ${pg.escapeIdentifier(relname)}`)
  return rows.map((row) => row.relname)
}

type WithSession = (work: (session: Pick<pg.ClientBase, 'query'>) => Promise<string[]>) => Promise<string[]>

/**
 * Renews statistics from time to time until the returned function is called: autovacuum comes a minute later at the
 * earliest, and never to the embedded engine. The tables of a new service outgrow their statistics within a second.
 * Errors are ignored, because every other query reports them.
 */
export const startRenewingStatistics = (withSession: WithSession): (() => void) => {
  let isBusy = false
  let skipped = 0
  let toSkip = 0
  const look = async (): Promise<void> => {
    isBusy = true
    skipped = 0
    const grown = await withSession(renewStatistics).catch(() => [])
    toSkip = grown.length > 0 ? 0 : Math.min(2 * toSkip + 1, mostSkipped - 1)
    isBusy = false
  }
  const timer = setInterval(() => {
    if (!isBusy && skipped++ >= toSkip) void look()
  }, lookEveryMs).unref()
  return () => clearInterval(timer)
}
