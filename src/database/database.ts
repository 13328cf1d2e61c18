import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  asConflict,
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
import { JointQueries } from './joint-queries.ts'
import { Lender, type Lent, type SchemaOf, type PoolUsage } from './lend-connections.ts'
import { type Connections, openPool, type PoolOptions, unansweredAfterMs } from './open-pool.ts'
import { startRenewingStatistics } from './renew-statistics.ts'
import type { Query } from './query.ts'
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
  /** The database of the directory of tenants, if that is another server: writes there are committed immediately. */
  readonly directory?: Queryable
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
  /** The same in another schema, over the same connections; closing it leaves them open. */
  inSchema(schema: string): Database
  /**
   * Whether it can take writes, as far as known: not while its disk is full or the embedded engine is being reopened.
   */
  isWritable(): boolean
  /**
   * The number of the current outage, as far as known: nothing has reached the database for a while. 0 if there is
   * none.
   */
  outage(): number
  /** Connections of the pool, which all schemas share, and the queries that wait for one. */
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
/** Queries and transactions between two checks for tables that have grown. */
const usesPerLook = 100

/** How often dead rows of the embedded engine are vacuumed and its statistics renewed. */
const vacuumEveryMs = 10 * 60_000

type Client = Pick<pg.ClientBase, 'query'>

const run = async <P, R>(
  client: Client,
  query: Query<P, R>,
  parameters: P,
  prefix: string | undefined,
  options: { readonly query_timeout?: number } = {},
): Promise<R[]> => {
  const sent = client.query<(string | null)[]>({
    ...(prefix === undefined ? {} : { name: prefix + query.name }),
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
  /** Called for each query. */
  readonly onQuery?: () => void
}

/** Runs `work` in a transaction. */
const beginToCommit = async <T>(
  connection: Lent,
  { prepared, settings, onQuery }: Manner,
  work: (tx: OpenTransaction) => Promise<T>,
): Promise<T> => {
  const { client, session } = connection
  try {
    await client.query(settings === undefined ? session.begin : `${session.begin}; ${settings}`)
    const result = await work({
      query: (query, parameters) => {
        onQuery?.()
        if (query.planned === 'each-time')
          throw new Error(`query ${query.name} is planned each time and cannot run in a transaction`)
        if (query.planned === 'whole' && !prepared) {
          return run(client, query, parameters, undefined, { query_timeout: wholeTimeoutMs + unansweredAfterMs })
        }
        return run(client, query, parameters, prepared ? session.prefix : undefined)
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

/** Runs work on a connection whose session is in a given schema. */
type Lend = <T>(work: (connection: Lent) => Promise<T>) => Promise<T>

/** Runs a query as a separate transaction, planned as the query requests. */
const runAlone = async <P, R>(
  lend: Lend,
  query: Query<P, R>,
  parameters: P,
  embedded: EmbeddedEngine | undefined,
): Promise<R[]> => {
  if (query.planned === 'once') {
    return lend((connection) => {
      const { client, session } = connection
      if (session.isLocal) return beginToCommit(connection, { prepared: true }, (tx) => tx.query(query, parameters))
      return run(client, query, parameters, session.prefix)
    })
  }
  const isWhole = query.planned === 'whole'
  const settings = query.hashesJoins ? planWholeWithHashes : isWhole ? planWhole : replan
  const work = () =>
    lend((connection) =>
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
type Watched = { readonly note: (error: unknown) => unknown; readonly outage: ReturnType<typeof watchOutage> }

/** Retries work that the database aborted because of a conflict or that was lost with its connection. */
const withRetry = async <T>(work: () => Promise<T>, { note, outage }: Watched): Promise<T> => {
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
      throw toRefusal(error)
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
  runAtHome: (sql: string) => Promise<pg.QueryResult>,
  onLog: (message: string) => void,
): (() => void) => {
  const report = (error: Error): void => onLog(`maintenance of the embedded database failed: ${error.message}`)
  const vacuum = async (): Promise<void> => {
    const { rows } = await runAtHome(tableNames)
    // One table at a time, so that requests can run in between.
    for (const { name } of rows as { name: string }[]) await runAtHome(`vacuum (analyze) ${name}`)
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
  query: (query, parameters) => run(client, query, parameters, undefined),
  close,
})

/** A session without a time limit: on PostgreSQL a separate connection, else the pool's. */
const openSession = async (
  connections: Connections,
  embedded: EmbeddedEngine | undefined,
  schema: SchemaOf,
  lend: Lend,
): Promise<Session> => {
  if (!embedded) {
    const client = await connections.connectAlone(schema)
    return sessionOver(client, () => client.end().catch(() => undefined))
  }
  const opened = Promise.withResolvers<pg.ClientBase>()
  const closed = Promise.withResolvers<void>()
  const lent = lend(async ({ client }) => {
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
  const { onLog = () => undefined, dataDir, maxFiles, queryTimeoutMs, poolSize, schema: home } = options
  const openEngine = () => options.engine ?? openEmbedded({ dataDir, queryTimeoutMs, maxFiles, onLog })
  const embedded = options.url ? undefined : await openEngine()
  const connections = openPool(options, embedded, onLog)
  const lender = new Lender(connections, { home, size: embedded ? 1 : poolSize, waitMs: connections.waitMs })
  const joint = new JointQueries(lender)
  const runAtHome = (sql: string) => lender.lend(home, ({ client }) => client.query(sql))
  const stopMaintenance = embedded && startMaintenance(embedded, runAtHome, onLog)
  const disk = watchDisk(() => runAtHome(diskTrial), onLog)
  const watched: Watched = { note: noteFailures(embedded, disk), outage: watchOutage(onLog) }
  const open = new Set<Database>()
  const openIn = (schema: SchemaOf): Database => {
    let uses = 0
    const use = (): void => void uses++
    const lend: Lend = (work) => {
      use()
      return lender.lend(schema, work)
    }
    const stopRenewing = startRenewingStatistics(
      // With little activity, no table outgrows its statistics, and there may be many idle schemas.
      () => uses >= usesPerLook,
      (work) => {
        uses = 0
        return lender.lend(schema, ({ client }) => work(client))
      },
    )
    const listening: (() => Promise<void>)[] = []
    const database: Database = {
      engine: embedded ? 'embedded' : 'postgres',
      schema,
      query: (query, parameters) => {
        const alone = () => runAlone(lend, query, parameters, embedded)
        const isJoint = query.isJoint && schema !== undefined && schema !== home
        // Queries without parameters run every second in every tenant, and make no table grow.
        if (isJoint && query.parameterTypes.length > 0) use()
        const work = isJoint ? () => joint.run(schema, query, parameters, alone) : alone
        return withRetry(() => work().catch(repeatable), watched)
      },
      transaction: (work) =>
        withRetry(
          () => lend((connection) => beginToCommit(connection, { prepared: true, onQuery: use }, work)),
          watched,
        ),
      outage: () => watched.outage.current(),
      isWritable: () => !disk.isFull() && (embedded?.isOpen() ?? true),
      usage: () => lender.usage(),
      openSession: () => openSession(connections, embedded, schema, lend),
      listen: async (channel, handler) => {
        listening.push(await connections.listen(channel, handler))
      },
      inSchema: (other) => {
        lender.share()
        return openIn(other)
      },
      close: async () => {
        open.delete(database)
        stopRenewing()
        await Promise.all(listening.splice(0).map((end) => end().catch(() => undefined)))
      },
    }
    open.add(database)
    return database
  }
  return {
    ...openIn(home),
    close: async () => {
      stopMaintenance?.()
      disk.stop()
      await Promise.all([...open].map((each) => each.close()))
      lender.close()
      await connections.pool.end()
      await embedded?.close()
    },
  }
}
