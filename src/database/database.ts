import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  CommitUnknown,
  hasWaited,
  isConflict,
  isConnectionLost,
  isCut,
  isDiskFull,
  isEngineBroken,
  toRefusal,
  withoutRows,
} from './database-error.ts'
import { type EmbeddedEngine, openEmbedded } from './embedded.ts'
import { startRenewingStatistics } from './renew-statistics.ts'
import type { Query } from './query.ts'
import { diskTrial, watchDisk } from './watch-disk.ts'

/**
 * What can run a query: the database or an open transaction. On the database each query is a transaction of its own, and
 * runs again when its connection is lost before the answer came: only use it for what is safe to repeat.
 */
export type Queryable = {
  /** Runs one declared query and returns its rows; connection trouble becomes `database_unavailable`. */
  query<P, R>(query: Query<P, R>, parameters: P): Promise<R[]>
}

/** An open transaction. */
export type OpenTransaction = Queryable & {
  /** Runs a script of several queries without parameters. */
  script(text: string): Promise<void>
}

/** A connection of its own, for what depends on an order: migrations. Nothing is tried again; errors are PostgreSQL's. */
export type Session = {
  /** Runs one SQL command without parameters and without a time limit; returns the number of rows that it changed. */
  run(command: string): Promise<number>
  query<P, R>(query: Query<P, R>, parameters: P): Promise<R[]>
  close(): Promise<void>
}

/** The database behind the `pg` driver, which reaches it by a socket or reaches the embedded engine. */
export type Database = Queryable & {
  readonly engine: 'postgres' | 'embedded'
  /** Runs `work` in one transaction; retried as a whole on conflicts and lost connections, so it must be idempotent. */
  transaction<T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T>
  /** Opens a session; on the embedded engine it is the only one, and everything else waits until it is closed. */
  openSession(): Promise<Session>
  /** Calls `handler` with the payload of each NOTIFY on `channel`; a hint only, polling is the floor. */
  listen(channel: string, handler: (payload: string) => void): Promise<void>
  /** Whether it can take writes, as far as is known: not while its disk is full or the embedded engine opens again. */
  isWritable(): boolean
  close(): Promise<void>
}

/** How to reach the database: `url` of a PostgreSQL server, or else the embedded engine in `dataDir`. */
export type DatabaseOptions = {
  readonly url?: string | undefined
  readonly dataDir: string
  readonly poolSize: number
  readonly preparedStatements: boolean
  readonly queryTimeoutMs: number
  /** How many files the embedded engine may keep open. */
  readonly maxFiles?: number
  /** The number of the newest migration that this version knows, shown to processes of other versions. */
  readonly newestMigration?: string | undefined
  readonly onLog?: (message: string) => void
}

/** How often a transaction is tried before its error is given to the caller. */
const maxAttempts = 6
/** How often it is tried when connections are lost: a database that is gone must be reported soon. */
const maxLostAttempts = 3
/** The server ends a query that takes too long; a connection that stays silent this long after is given up. */
const unansweredAfterMs = 5000
/**
 * The server ends a transaction that sends nothing for this long, and with it the locks of a process that hangs or is cut
 * off; ours pause for milliseconds.
 */
const idleTransactionMs = 30_000
/**
 * The check of a ledger reads whole tables and must see one state of them, so it is one query. It may take this long,
 * whatever the limit of other queries is.
 */
const wholeTimeoutMs = 10 * 60_000
/** Scripts change or maintain the schema, however long that takes. */
const withoutTimeout = 2 ** 31 - 1

/** The write-ahead log of the embedded engine is written back this often, so that a restart is quick. */
const checkpointEveryMs = 60_000
/** Dead rows of the embedded engine are cleaned and its statistics renewed this often. */
const vacuumEveryMs = 10 * 60_000

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

type Client = Pick<pg.ClientBase, 'query'>

const run = async <P, R>(
  client: Client,
  query: Query<P, R>,
  parameters: P,
  prepared: boolean,
  options: { readonly query_timeout?: number } = {},
): Promise<R[]> => {
  const result = await client.query<(string | null)[]>({
    ...(prepared ? { name: query.name } : {}),
    text: query.text,
    values: query.encode(parameters),
    rowMode: 'array',
    ...options,
  })
  return result.rows.map((row) => query.decode(row))
}

/** Keeps one connection that listens, renewed whenever it is lost; returns how to end it. */
const startListening = async (
  connection: pg.ClientConfig,
  channel: string,
  handler: (payload: string) => void,
): Promise<() => Promise<void>> => {
  let ended = false
  let client: pg.Client | undefined
  const connect = async (): Promise<void> => {
    const next = new pg.Client(connection)
    next.on('error', () => undefined)
    next.on('notification', (message) => handler(message.payload ?? ''))
    await next.connect()
    await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
    next.once('end', () => void reconnect())
  }
  const reconnect = async (): Promise<void> => {
    while (!ended) {
      await sleep(1000, undefined, { ref: false })
      if (
        ended ||
        (await connect().then(
          () => true,
          () => false,
        ))
      )
        return
    }
  }
  await connect()
  return async () => {
    ended = true
    await client?.end()
  }
}

const beginToCommit = async <T>(
  pool: pg.Pool,
  prepared: boolean,
  work: (tx: OpenTransaction) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect()
  let broken: Error | undefined
  // A connection that dies while it is checked out emits 'error'; without a listener that would end the process.
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('begin')
    const result = await work({
      query: (query, parameters) => {
        if (query.planned === 'each-time') throw new Error(`query ${query.name} would keep its plan here`)
        if (query.planned === 'whole' && !prepared) {
          return run(client, query, parameters, prepared, { query_timeout: wholeTimeoutMs + unansweredAfterMs })
        }
        return run(client, query, parameters, prepared)
      },
      script: async (text) => {
        await client.query({ text, query_timeout: withoutTimeout } as pg.QueryConfig)
      },
    })
    // Known to be lost before COMMIT was sent: nothing was done, so it may be tried again.
    if (broken) throw broken
    const { command } = await client.query('commit').catch((error: unknown) => {
      // Lost between COMMIT and its answer: nobody knows, so it is the caller's to repeat, who alone knows if it may.
      throw isCut(error) ? new CommitUnknown(error as Error) : error
    })
    // PostgreSQL answers a commit with a rollback after an error that `work` has swallowed.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a query in it had failed')
    return result
  } catch (error) {
    if (isCut(error) || error instanceof CommitUnknown) broken ??= error as Error
    if (!broken) await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Runs a query as a transaction of its own, planned as it asks for. */
const runAlone = async <P, R>(
  pool: pg.Pool,
  query: Query<P, R>,
  parameters: P,
  prepared: boolean,
  embedded: EmbeddedEngine | undefined,
): Promise<R[]> => {
  if (query.planned === 'once') return run(pool as unknown as Client, query, parameters, prepared)
  const isWhole = query.planned === 'whole'
  const work = () =>
    beginToCommit(pool, false, async (tx) => {
      await tx.script(isWhole ? planWhole : replan)
      return tx.query(isWhole ? query : { ...query, planned: 'once' }, parameters)
    })
  return isWhole && embedded ? embedded.patiently(wholeTimeoutMs, work) : work()
}

const attemptsAfter = (error: unknown): number => {
  if (isConflict(error)) return maxAttempts
  return isConnectionLost(error) && !hasWaited(error) && !isDiskFull(error) ? maxLostAttempts : 1
}

/**
 * Retries what the database gave up because of a conflict and what was lost with its connection; `note` gets each error,
 * and may replace it.
 */
const withRetry = async <T>(work: () => Promise<T>, note: (error: unknown) => unknown): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (thrown) {
      const error = note(thrown)
      const most = attemptsAfter(error)
      if (attempt >= most) throw toRefusal(error)
      await sleep(attempt * 10)
    }
  }
}

/**
 * Named queries keep one plan, because planning the insert of a payment takes longer than running it (0.6 of 0.9 ms).
 * The plan is made while tables may still be empty, when reading them whole looks cheapest; so that is ruled out wherever
 * an index serves. What has no index is still read whole, and must not be compiled because of its inflated cost.
 */
const steadyPlans = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off`
const replan = `set local plan_cache_mode = force_custom_plan`
const planWhole = `${replan}; set local enable_seqscan = on; set local statement_timeout = ${wholeTimeoutMs}`

const tableNames = `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`

/** The embedded engine has no background processes: their work is done here, from time to time. */
const startMaintenance = (embedded: EmbeddedEngine, pool: pg.Pool, onLog: (message: string) => void): (() => void) => {
  const report = (error: Error): void => onLog(`maintenance of the embedded database failed: ${error.message}`)
  const vacuum = async (): Promise<void> => {
    const { rows } = await pool.query<{ relname: string }>(tableNames)
    // Table by table, so that requests pass in between.
    for (const { relname } of rows) await pool.query(`vacuum (analyze) ${pg.escapeIdentifier(relname)}`)
  }
  const timers = [
    setInterval(() => void embedded.checkpoint().catch(report), checkpointEveryMs),
    setInterval(() => void vacuum().catch(report), vacuumEveryMs),
  ]
  for (const timer of timers) timer.unref()
  return () => timers.forEach(clearInterval)
}

const poolOptions = (options: DatabaseOptions, embedded: EmbeddedEngine | undefined): pg.PoolConfig =>
  embedded
    ? {
        stream: () => embedded.createStream(),
        user: 'postgres',
        database: 'postgres',
        // The engine has one session, which is kept: its named queries would go with it.
        max: 1,
        idleTimeoutMillis: 0,
        connectionTimeoutMillis: options.queryTimeoutMs + 15_000,
      }
    : {
        connectionString: options.url,
        application_name: `payin ${options.newestMigration ?? ''}`.trim(),
        options: [
          '-c timezone=UTC -c datestyle=ISO',
          `-c statement_timeout=${options.queryTimeoutMs}`,
          `-c idle_in_transaction_session_timeout=${idleTransactionMs}`,
        ].join(' '),
        keepAlive: true,
        query_timeout: options.queryTimeoutMs + unansweredAfterMs,
        max: options.poolSize,
        idleTimeoutMillis: 30_000,
        connectionTimeoutMillis: 5000,
      }

const sessionOver = (client: pg.ClientBase, close: () => Promise<void>): Session => ({
  run: async (command) => {
    const text = { text: command, query_timeout: withoutTimeout } as pg.QueryConfig
    const { rowCount } = await client.query(text).catch((error: unknown) => {
      throw withoutRows(error)
    })
    return rowCount ?? 0
  },
  query: (query, parameters) => run(client, query, parameters, false),
  close,
})

/** A session without a time limit: on PostgreSQL a connection of its own, else that of the pool. */
const openSession = async (
  config: pg.PoolConfig,
  pool: pg.Pool,
  embedded: EmbeddedEngine | undefined,
): Promise<Session> => {
  if (embedded) {
    const client = await pool.connect()
    const closed = Promise.withResolvers<void>()
    void embedded.patiently(withoutTimeout, () => closed.promise)
    return sessionOver(client, async () => {
      closed.resolve()
      client.release()
    })
  }
  const client = new pg.Client({
    ...config,
    application_name: 'payin migrations',
    options: `-c timezone=UTC -c datestyle=ISO -c statement_timeout=0 -c idle_in_transaction_session_timeout=${idleTransactionMs}`,
  })
  // A connection that is lost emits 'error', which would end the process; whoever uses the session gets it as well.
  client.on('error', () => undefined)
  await client.connect()
  const session = sessionOver(client, () => client.end().catch(() => undefined))
  // The server ends what a process that was killed has left running. Not every system's PostgreSQL can notice it.
  await session.run(`set client_connection_check_interval = 5000`).catch(() => undefined)
  return session
}

/** Opens the database; throws with a message that says what to do when it cannot. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { onLog = () => undefined, queryTimeoutMs, preparedStatements } = options
  const { dataDir, maxFiles } = options
  const embedded = options.url ? undefined : await openEmbedded({ dataDir, queryTimeoutMs, maxFiles, onLog })
  const config: pg.PoolConfig = {
    ...poolOptions(options, embedded),
    types: asText,
    verify: (client, done) => client.query(steadyPlans, (error) => done(error ?? undefined)),
  }
  const pool = new pg.Pool(config)
  // The pool listens to no connection while `verify` prepares it: one that is cut then would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', (error) => onLog(`database connection lost: ${error.message}`))
  const stopMaintenance = embedded && startMaintenance(embedded, pool, onLog)
  const stopRenewing = startRenewingStatistics(pool)
  const disk = watchDisk(() => pool.query(diskTrial), onLog)
  const note = (error: unknown): unknown => {
    if (!embedded || !isEngineBroken(error)) {
      disk.note(error)
      return error
    }
    embedded.reopen((error as Error).message)
    return Object.assign(new Error('The embedded database is opened again.', { cause: error }), { code: '57P02' })
  }
  const listening: (() => Promise<void>)[] = []
  return {
    engine: embedded ? 'embedded' : 'postgres',
    query: (query, parameters) =>
      withRetry(() => runAlone(pool, query, parameters, preparedStatements, embedded), note),
    transaction: (work) => withRetry(() => beginToCommit(pool, preparedStatements, work), note),
    isWritable: () => !disk.isFull() && (embedded?.isOpen() ?? true),
    openSession: () => openSession(config, pool, embedded),
    listen: async (channel, handler) => {
      // The embedded engine belongs to one process, which needs no hints from others.
      if (!embedded) listening.push(await startListening(config, channel, handler))
    },
    close: async () => {
      stopMaintenance?.()
      stopRenewing()
      disk.stop()
      await Promise.all(listening.map((end) => end().catch(() => undefined)))
      await pool.end()
      await embedded?.close()
    },
  }
}
