import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres.ts'
import { parentOf } from './cpu.ts'
import { type Merchant, seed } from './seed.ts'

/** What a measure uses: lengths, a separate PostgreSQL, a folder for files, and the signal to stop. */
export type Bench = {
  readonly quick: boolean
  readonly rounds: number
  /** Seconds of a load that only warms up, and of a measured one. */
  readonly warmSeconds: number
  readonly loadSeconds: number
  /** Aborts when the user stops the run; everything that waits must end. */
  readonly signal: AbortSignal
  /** A folder that is removed at the end. */
  readonly folder: string
  /** The merchant of `createDatabase`. */
  readonly merchant: Merchant
  /** Process id of the PostgreSQL server's main process. */
  readonly postmaster: number | undefined
  readonly postgresVersion: string
  /** Creates a migrated database with the merchant and no payments; disposing of it drops it. */
  readonly createDatabase: () => Promise<Database>
  /** Shows the current step in one line. */
  readonly say: (text: string) => void
}

/** A database on the PostgreSQL of the run. */
export type Database = AsyncDisposable & {
  readonly url: string
  /** Runs a query; the driver decides the types of the columns. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
}

/** The lengths and hooks of a run. */
export type BenchOptions = Pick<Bench, 'quick' | 'rounds' | 'warmSeconds' | 'loadSeconds' | 'signal' | 'say'>

/** Settings of an operator on a small machine; everything that makes commits durable is on. */
const postgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  // Checkpoints happen by time, not in the middle of the load that fills the default of 1 GB.
  max_wal_size: '8GB',
  min_wal_size: '4GB',
  checkpoint_timeout: '30min',
}

const withDatabase = (url: string, name: string): string => url.replace(/^(postgresql:\/\/[^/]*\/)[^?]*/, `$1${name}`)

const query = async <Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const template = 'bench_seeded'

const logSegments = 48

/**
 * Gives a new server the log segments of one that has run for a while. Otherwise every 16 MB of log stop all commits
 * for 50 ms, while a new segment is filled with zeros: the p99 of creates was 55 ms instead of 18.
 */
const fillLog = async (url: string): Promise<void> => {
  const next = `select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`
  for (let count = 0; count < logSegments; count++) await query(url, next)
  // Segments from before the checkpoint before the last one may be written again.
  await query(url, 'checkpoint; checkpoint')
}

const findPostmaster = async (server: string): Promise<number | undefined> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid ?? 0)
  } finally {
    await client.end()
  }
}

/** Starts PostgreSQL and seeds it. Disposing of the result stops the server and removes all files. */
export const openBench = async (options: BenchOptions): Promise<Bench & AsyncDisposable> => {
  const opened = new AsyncDisposableStack()
  try {
    const folder = mkdtempSync(join(tmpdir(), 'payin-bench-'))
    opened.defer(() => rmSync(folder, { recursive: true, force: true }))
    options.say('starting PostgreSQL')
    const postgres = await startPostgres(postgresSettings)
    if ('missing' in postgres) throw new Error(`${postgres.missing}. Install it: apt-get install postgresql`)
    opened.defer(() => postgres.stop())
    options.signal.throwIfAborted()
    const server = postgres.url
    await query(server, `create database ${template}`)
    const merchant = await seed({ url: withDatabase(server, template) })
    await fillLog(server)
    const [version] = await query<{ server_version: string }>(server, 'show server_version')
    let made = 0
    return {
      ...options,
      folder,
      merchant,
      postmaster: await findPostmaster(server),
      postgresVersion: version?.server_version ?? '',
      createDatabase: async () => {
        const name = `bench_${++made}`
        await query(server, `create database ${name} template ${template}`)
        // Makes the log segments of earlier measures free again.
        await query(server, 'checkpoint')
        const url = withDatabase(server, name)
        return {
          url,
          query: (sql) => query(url, sql),
          [Symbol.asyncDispose]: async () => void (await query(server, `drop database ${name} with (force)`)),
        }
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
