import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres.ts'
import { parentOf } from './cpu.ts'
import { type Merchant, seed } from './seed.ts'

/** What a measure works with: lengths, a PostgreSQL of its own, a folder for files, and the signal to stop. */
export type Bench = {
  readonly quick: boolean
  readonly rounds: number
  /** Length of one load that only warms up, and of one that is measured. */
  readonly warmSeconds: number
  readonly loadSeconds: number
  /** Aborts when the user stops the run: whatever waits must end. */
  readonly signal: AbortSignal
  /** A folder that is removed at the end. */
  readonly folder: string
  /** The merchant of `createDatabase`. */
  readonly merchant: Merchant
  /** Main process of the PostgreSQL server. */
  readonly postmaster: number | undefined
  readonly postgresVersion: string
  /** A migrated database of its own with the merchant in it and no payments; disposing of it drops it. */
  readonly createDatabase: () => Promise<Database>
  /** Tells in one line what happens now. */
  readonly say: (text: string) => void
}

/** A database on the PostgreSQL of the run. */
export type Database = AsyncDisposable & {
  readonly url: string
  /** Runs a statement; columns come as the driver makes them. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
}

/** Lengths and hooks of a run. */
export type BenchOptions = Pick<Bench, 'quick' | 'rounds' | 'warmSeconds' | 'loadSeconds' | 'signal' | 'say'>

/** As an operator would set it on a small machine; what makes commits durable is on. */
const postgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  // Checkpoints come by time, not in the middle of whichever load has filled the default of 1 GB.
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
 * Gives a new server what one has that has run for a while: log segments to write over. Without them every 16 MB of log
 * stop all commits for 50 ms, while a new segment is filled with zeros: the p99 of creates was 55 instead of 18 ms.
 */
const fillLog = async (url: string): Promise<void> => {
  const next = `select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`
  for (let count = 0; count < logSegments; count++) await query(url, next)
  // What lies before the last checkpoint but one may be written over.
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

/** Starts the PostgreSQL and seeds it; what it is disposed of in the end stops the server and removes every file. */
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
        // The segments of earlier measures are free again.
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
