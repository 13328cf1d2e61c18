import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  asConflict,
  asRefused,
  CommitUnknown,
  hasWaited,
  isConflict,
  isConnectionLost,
  isCut,
  isDiskFull,
  isEngineBroken,
  withoutRows,
} from './database-error.ts'
import { type EmbeddedEngine, openEmbedded } from './embedded.ts'
import { type Connections, openPool, type PoolOptions, unansweredAfterMs } from './open-pool.ts'
import type { Refuse } from './faults.ts'
import type { PreparedSession } from './prepare-session.ts'
import type { Query } from './query.ts'
import { startRenewingStatistics } from './renew-statistics.ts'
import { diskTrial, watchDisk, watchOutage } from './watch-outage.ts'

/**
 * What can run a query: the database or an open transaction. On the database each query is a separate transaction, and
 * runs again if its connection is lost before the answer: only use it for what is safe to repeat.
 */
export type Queryable = {
  /** Runs one declared query and returns its rows; connection trouble becomes `database_unavailable`. */
  query<P, R>(query: Query<P, R>, parameters: P): Promise<R[]>
}

export type OpenTransaction = Queryable & {
  /** Runs a script of several queries without parameters. */
  script(text: string): Promise<void>
}

/** A separate connection for work that depends on order: migrations. Nothing is retried; errors are PostgreSQL's. */
export type Session = {
  /** Runs one SQL command without parameters and without a time limit; returns the number of changed rows. */
  run(command: string): Promise<number>
  query<P, R>(query: Query<P, R>, parameters: P): Promise<R[]>
  close(): Promise<void>
}

/** How many of the pool's connections are in use. */
export type PoolUsage = {
  readonly inUse: number
  readonly idle: number
  /** Callers that wait for a connection. */
  readonly waiting: number
  readonly most: number
}

/** The database behind the `pg` driver, reached by a socket or as the embedded engine. */
export type Database = Queryable & {
  readonly engine: 'postgres' | 'embedded'
  /** The schema that it works in, if not the role's default. */
  readonly schema: string | undefined
  /** Runs `work` in one transaction; retried as a whole on conflicts and lost connections, so it must be idempotent. */
  transaction<T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T>
  /** Opens a session; on the embedded engine it is the only one, and everything else waits until it is closed. */
  openSession(): Promise<Session>
  /** Calls `handler` with the payload of each NOTIFY on `channel`; only a hint, so pollers must still poll. */
  listen(channel: string, handler: (payload: string) => void): Promise<void>
  /**
   * Whether it can take writes, as far as known: not while its disk is full or the embedded engine is being reopened.
   */
  isWritable(): boolean
  /**
   * The number of the current outage, as far as known: nothing has reached the database for a while. 0 if there is
   * none.
   */
  outage(): number
  /** Connections of the pool, and the queries that wait for one. */
  usage(): PoolUsage
  close(): Promise<void>
}

/** How to reach the database: `url` of PostgreSQL servers, or else the embedded engine in `dataDir`. */
export type DatabaseOptions = PoolOptions & {
  readonly dataDir: string
  /** How many files the embedded engine may keep open. */
  readonly maxFiles?: number
  /** The embedded engine of `dataDir`, if it is already being opened. */
  readonly engine?: Promise<EmbeddedEngine> | undefined
  readonly onLog?: (message: string) => void
  /** The error that callers get while the database is out of reach. */
  readonly refuse?: Refuse
}

/** How often a transaction is tried before the caller gets its error. */
const maxAttempts = 6
/** How often it is tried when connections are lost: an unreachable database must be reported soon. */
const maxLostAttempts = 3
/**
 * A check of the ledger reads whole tables and must see one state of them, so it is one query. It may take this long,
 * whatever the limit of other queries.
 */
const wholeTimeoutMs = 10 * 60_000
/** Scripts change or maintain the schema, however long that takes. */
const withoutTimeout = 2 ** 31 - 1

/** How often the write-ahead log of the embedded engine is checkpointed, so that a restart is quick. */
const checkpointEveryMs = 60_000
/** How often dead rows of the embedded engine are vacuumed and its statistics renewed. */
const vacuumEveryMs = 10 * 60_000

type Client = Pick<pg.ClientBase, 'query'>

/** A connection of the pool while it is in use. */
type Connection = { readonly client: pg.PoolClient; readonly session: PreparedSession; broken?: Error | undefined }

const run = async <P, R>(
  client: Client,
  query: Query<P, R>,
  parameters: P,
  isNamed: boolean,
  options: { readonly query_timeout?: number } = {},
): Promise<R[]> => {
  const sent = client.query<(string | null)[]>({
    ...(isNamed && { name: query.name }),
    text: query.text,
    values: query.encode(parameters),
    rowMode: 'array',
    ...options,
  })
  const result = await sent.catch((error: unknown) => {
    throw asConflict(error, query.races)
  })
  return result.rows.map((row) => query.decode(row))
}

/** How a transaction runs its queries. */
type Manner = {
  /** Whether they have names and keep their plans; others may be planned for their parameters. */
  readonly prepared: boolean
  /** Settings of this transaction, set in the same round trip as it begins. */
  readonly settings?: string
}

const unconfirmed = (): Error =>
  Object.assign(new Error('no standby has confirmed a commit within the time limit'), { code: '57014' })

/** Runs `work` on a connection of the pool, which is dropped afterwards if it broke. */
const withConnection = async <T>(
  connections: Connections,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const client = await connections.pool.connect()
  const connection: Connection = { client, session: connections.sessionOf(client) }
  // A connection that dies in use emits 'error'; without a listener that would end the process.
  const onError = (error: Error): void => {
    connection.broken = error
  }
  // After a time limit, PostgreSQL answers a commit that no standby has confirmed as if one had; the message text is
  // translated.
  const onNotice = ({ routine }: { readonly routine?: string | undefined }): void => {
    if (routine === 'SyncRepWaitForLSN') connection.broken = new CommitUnknown(unconfirmed())
  }
  client.on('error', onError)
  client.on('notice', onNotice)
  try {
    const result = await work(connection)
    if (connection.broken instanceof CommitUnknown) throw connection.broken
    return result
  } catch (error) {
    if (isCut(error) || error instanceof CommitUnknown) connection.broken ??= error as Error
    throw error
  } finally {
    client.off('error', onError)
    client.off('notice', onNotice)
    client.release(connection.broken)
  }
}

/** Runs `work` in a transaction. */
const beginToCommit = async <T>(
  connection: Connection,
  { prepared, settings }: Manner,
  work: (tx: OpenTransaction) => Promise<T>,
): Promise<T> => {
  const { client, session } = connection
  try {
    await client.query(settings === undefined ? session.begin : `${session.begin}; ${settings}`)
    const result = await work({
      query: (query, parameters) => {
        if (query.planned === 'each-time')
          throw new Error(`query ${query.name} is planned each time and cannot run in a transaction`)
        if (query.planned === 'whole' && !prepared) {
          return run(client, query, parameters, false, { query_timeout: wholeTimeoutMs + unansweredAfterMs })
        }
        return run(client, query, parameters, prepared && session.keepsNames)
      },
      script: async (text) => {
        await client.query({ text, query_timeout: withoutTimeout } as pg.QueryConfig)
      },
    })
    // The connection was lost before COMMIT was sent: nothing was done, so it may be tried again.
    if (connection.broken) throw connection.broken
    const { command } = await client.query('commit').catch((error: unknown) => {
      // The connection was lost between COMMIT and its answer: the outcome is unknown. Only the caller knows if it may
      // repeat.
      throw isCut(error) ? new CommitUnknown(error as Error) : error
    })
    // After an error that `work` has swallowed, PostgreSQL answers COMMIT with a rollback.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a query in it had failed')
    return result
  } catch (error) {
    const isLost = connection.broken !== undefined || isCut(error) || error instanceof CommitUnknown
    if (!isLost) await client.query('rollback').catch((failure: Error) => (connection.broken = failure))
    throw error
  }
}

/** Runs a query as a separate transaction, planned as the query requests. */
const runAlone = async <P, R>(
  connections: Connections,
  query: Query<P, R>,
  parameters: P,
  embedded: EmbeddedEngine | undefined,
): Promise<R[]> => {
  if (query.planned === 'once') {
    return withConnection(connections, (connection) => {
      const { client, session } = connection
      if (session.isLocal) return beginToCommit(connection, { prepared: true }, (tx) => tx.query(query, parameters))
      return run(client, query, parameters, session.keepsNames)
    })
  }
  const isWhole = query.planned === 'whole'
  const settings = query.hashesJoins ? planWholeWithHashes : isWhole ? planWhole : replan
  const work = () =>
    withConnection(connections, (connection) =>
      beginToCommit(connection, { prepared: false, settings }, (tx) =>
        tx.query(isWhole ? query : { ...query, planned: 'once' }, parameters),
      ),
    )
  return isWhole && embedded ? embedded.patiently(wholeTimeoutMs, work) : work()
}

/** Repeats what is safe to repeat even if it may have been committed. */
const repeatable = (error: unknown): never => {
  throw error instanceof CommitUnknown ? error.cause : error
}

const attemptsAfter = (error: unknown): number => {
  if (isConflict(error)) return maxAttempts
  return isConnectionLost(error) && !hasWaited(error) && !isDiskFull(error) ? maxLostAttempts : 1
}

/** Observes the work on a database: `note` gets each error, and may replace it. */
type Watched = {
  readonly note: (error: unknown) => unknown
  readonly outage: ReturnType<typeof watchOutage>
  readonly refuse: Refuse | undefined
}

/** Retries work that the database aborted because of a conflict or that was lost with its connection. */
const withRetry = async <T>(work: () => Promise<T>, { note, outage, refuse }: Watched): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    const begun = outage.begin()
    try {
      const result = await work()
      outage.succeeded(begun)
      return result
    } catch (thrown) {
      const error = note(thrown)
      const most = attemptsAfter(error)
      if (attempt < most) {
        await sleep(attempt * 10)
        continue
      }
      outage.failed(begun, error)
      throw asRefused(error, refuse)
    }
  }
}

const replan = `set local plan_cache_mode = force_custom_plan`
const planWhole = `${replan}; set local enable_seqscan = on; set local statement_timeout = ${wholeTimeoutMs}`
const planWholeWithHashes = `${planWhole}; set local enable_nestloop = off`

// The tables of all schemas, qualified if the session would not find them.
const tableNames = `select pg_class.oid::regclass::text as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname not like 'pg\\_%' and nspname <> 'information_schema'`

/** The embedded engine has no background processes: their work is done here, from time to time. */
const startMaintenance = (
  embedded: EmbeddedEngine,
  runInPool: (sql: string) => Promise<pg.QueryResult>,
  onLog: (message: string) => void,
): (() => void) => {
  const report = (error: Error): void => onLog(`maintenance of the embedded database failed: ${error.message}`)
  const vacuum = async (): Promise<void> => {
    const { rows } = await runInPool(tableNames)
    // One table at a time, so that requests can run in between.
    for (const { name } of rows as { name: string }[]) await runInPool(`vacuum (analyze) ${name}`)
  }
  const timers = [
    setInterval(() => void embedded.checkpoint().catch(report), checkpointEveryMs),
    setInterval(() => void vacuum().catch(report), vacuumEveryMs),
  ]
  for (const timer of timers) timer.unref()
  return () => timers.forEach(clearInterval)
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

/** A session without a time limit: on PostgreSQL a separate connection, else the pool's. */
const openSession = async (connections: Connections, embedded: EmbeddedEngine | undefined): Promise<Session> => {
  if (!embedded) {
    const client = await connections.connectAlone()
    return sessionOver(client, () => client.end().catch(() => undefined))
  }
  const opened = Promise.withResolvers<pg.ClientBase>()
  const closed = Promise.withResolvers<void>()
  const lent = withConnection(connections, async ({ client }) => {
    opened.resolve(client)
    await embedded.patiently(withoutTimeout, () => closed.promise)
  })
  lent.catch(opened.reject)
  return sessionOver(await opened.promise, async () => {
    closed.resolve()
    await lent.catch(() => undefined)
  })
}

/** Opens a broken embedded engine again, which callers see as a server that restarts; reports others to the disk's watch. */
const noteFailures =
  (embedded: EmbeddedEngine | undefined, disk: ReturnType<typeof watchDisk>) =>
  (error: unknown): unknown => {
    if (!embedded || !isEngineBroken(error)) {
      disk.note(error)
      return error
    }
    embedded.reopen((error as Error).message)
    return Object.assign(new Error('The embedded database is opened again.', { cause: error }), { code: '57P02' })
  }

/** Opens the database; if that fails, throws an error that says what to do. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { onLog = () => undefined, dataDir, maxFiles, queryTimeoutMs, poolSize, schema } = options
  const openEngine = () => options.engine ?? openEmbedded({ dataDir, queryTimeoutMs, maxFiles, onLog })
  const embedded = options.url ? undefined : await openEngine()
  const connections = openPool(options, embedded, onLog)
  const { pool } = connections
  const runInPool = (sql: string) => withConnection(connections, ({ client }) => client.query(sql))
  const stopMaintenance = embedded && startMaintenance(embedded, runInPool, onLog)
  const stopRenewing = startRenewingStatistics((work) => withConnection(connections, ({ client }) => work(client)))
  const disk = watchDisk(() => runInPool(diskTrial), onLog)
  const watched: Watched = { note: noteFailures(embedded, disk), outage: watchOutage(onLog), refuse: options.refuse }
  const listening: (() => Promise<void>)[] = []
  return {
    engine: embedded ? 'embedded' : 'postgres',
    schema,
    query: (query, parameters) =>
      withRetry(() => runAlone(connections, query, parameters, embedded).catch(repeatable), watched),
    transaction: (work) =>
      withRetry(
        () => withConnection(connections, (connection) => beginToCommit(connection, { prepared: true }, work)),
        watched,
      ),
    outage: () => watched.outage.current(),
    isWritable: () => !disk.isFull() && (embedded?.isOpen() ?? true),
    usage: () => {
      const { totalCount, idleCount, waitingCount } = pool
      const most = embedded ? 1 : poolSize
      return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most }
    },
    openSession: () => openSession(connections, embedded),
    listen: async (channel, handler) => {
      listening.push(await connections.listen(channel, handler))
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
