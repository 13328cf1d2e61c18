import pg from 'pg'
import { Unsuitable } from './faults.ts'
import type { EmbeddedEngine } from './embedded.ts'
import { Listener } from './listen.ts'
import { prepareSession, sharesSession, type PreparedSession, type SessionSettings } from './prepare-session.ts'
import { programName } from './program-name.ts'
import { clientFor, openServers, type Servers } from './servers.ts'

/** How to open the connections of a pool; `listenUrl` leads to the servers themselves if `url` leads to a pooler. */
export type PoolOptions = {
  readonly url?: string | undefined
  readonly listenUrl?: string | undefined
  /** The schema of the tables; default: that of the role, which is `public` unless changed. */
  readonly schema?: string | undefined
  /** The number of the newest migration that this version knows, shown to processes of other versions. */
  readonly newestMigration?: string | undefined
  /** The ids of the encryption keys of this process, shown to the others. */
  readonly keyIds?: readonly string[] | undefined
  /** Identifies this process to the others. */
  readonly instance?: string | undefined
  readonly poolSize: number
  readonly preparedStatements: boolean
  readonly queryTimeoutMs: number
}

/** The pool's connections, prepared for queries before they are handed out. */
export type Connections = {
  readonly pool: pg.Pool
  /** How queries run on a connection of the pool. */
  sessionOf(client: pg.ClientBase): PreparedSession
  /**
   * A connection to PostgreSQL outside the pool, without a time limit, and past the pooler if a direct address is
   * known.
   */
  connectAlone(): Promise<pg.Client>
  /** Listens on a separate connection, one for all channels; returns a function that ends that. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>
}

/** The server ends a query that takes too long; if a connection stays silent this much longer, it is given up. */
export const unansweredAfterMs = 5000
/**
 * The server ends a transaction that sends nothing for this long, and so releases the locks of a process that hangs or
 * is cut off; ours pause for milliseconds.
 */
const idleTransactionMs = 30_000
const connectWithinMs = 5000

/**
 * Named queries keep one plan, because planning the insert of a payment takes longer than running it (0.6 of 0.9 ms).
 * The plan is made while tables may still be empty and reading them whole looks cheapest, so sequential scans are
 * disabled. Tables without a fitting index are still read whole; JIT is off, because their inflated cost would trigger
 * it.
 */
const steadyPlans: SessionSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' }

// PostgreSQL keeps only 63 bytes of it: what others read comes first.
const applicationName = ({ schema, newestMigration, keyIds, instance }: PoolOptions): string =>
  [
    programName(schema),
    newestMigration,
    newestMigration && keyIds && `[${keyIds.join(' ')}]`,
    newestMigration && instance,
  ]
    .filter(Boolean)
    .join(' ')

const sessionSettings = ({ queryTimeoutMs, schema }: PoolOptions): SessionSettings => ({
  timezone: 'UTC',
  datestyle: 'ISO',
  statement_timeout: String(queryTimeoutMs),
  idle_in_transaction_session_timeout: String(idleTransactionMs),
  ...steadyPlans,
  ...(schema !== undefined && { search_path: schema }),
})

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

const once = (onLog: (message: string) => void): ((message: string) => void) => {
  const seen = new Set<string>()
  return (message) => {
    if (!seen.has(message)) onLog(message)
    seen.add(message)
  }
}

const newPool = (config: pg.PoolConfig, onLog: (message: string) => void): pg.Pool => {
  const pool = new pg.Pool(config)
  // The pool does not listen for errors while `verify` prepares a connection: losing it then would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', (error) => onLog(`database connection lost: ${error.message}`))
  return pool
}

const openEmbeddedPool = (
  embedded: EmbeddedEngine,
  options: PoolOptions,
  onLog: (message: string) => void,
): Connections => {
  const { schema } = options
  const wanted = { ...steadyPlans, ...(schema !== undefined && { search_path: schema }) }
  const settings = Object.entries(wanted).map(([name, value]) => `set ${name} = ${value}`)
  // Everyone waits while the one connection is in use: as long as a query may take and the engine may need to reopen.
  const waitMs = options.queryTimeoutMs + 15_000
  const config: pg.PoolConfig = {
    stream: () => embedded.createStream(),
    user: 'postgres',
    database: 'postgres',
    types: asText,
    // The engine has one session, which is kept; otherwise its named queries would be lost.
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: waitMs,
    verify: (client, done) => client.query(settings.join('; '), (error) => done(error ?? undefined)),
  }
  const session: PreparedSession = { begin: 'begin', isLocal: false, keepsNames: options.preparedStatements }
  return {
    pool: newPool(config, onLog),
    sessionOf: () => session,
    connectAlone: () => Promise.reject(new Error('the embedded engine has one connection')),
    // The engine belongs to one process, which needs no hints from others.
    listen: async () => async () => undefined,
  }
}

const aloneSettings = ({ schema }: PoolOptions): string[] => [
  'set timezone = UTC',
  'set datestyle = ISO',
  'set statement_timeout = 0',
  `set idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ...(schema === undefined ? [] : [`set search_path = ${schema}`]),
]

/** How to reach the servers themselves, past a pooler if a direct address is known. */
const pastPooler = (
  { url, listenUrl }: PoolOptions,
  servers: Servers,
  onLog: (message: string) => void,
  name: string,
) => ({
  Client: clientFor(listenUrl === undefined ? servers : openServers(listenUrl, onLog)),
  config: {
    connectionString: listenUrl ?? url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: connectWithinMs,
  },
})

const connectAlone = async (
  options: PoolOptions,
  servers: Servers,
  onLog: (message: string) => void,
): Promise<pg.Client> => {
  const { schema } = options
  const { Client, config } = pastPooler(options, servers, onLog, `${programName(schema)} migrations`)
  const client = new Client({ ...config, types: asText })
  // A lost connection emits 'error', which would end the process; its user gets the error as well.
  client.on('error', () => undefined)
  await client.connect()
  if (await sharesSession(client)) {
    if (schema === undefined) return client
    await client.end()
    throw new Unsuitable(
      'A pooler shares the sessions of the database, so migrations cannot be kept to a schema. Set DATABASE_LISTEN_URL to the PostgreSQL server itself.',
    )
  }
  await client.query(aloneSettings(options).join('; '))
  // Makes the server end what a killed process has left running. Some systems do not support this check.
  await client.query('set client_connection_check_interval = 5000').catch(() => undefined)
  return client
}

/** How to listen: at `listenUrl` or, if there is no pooler, at the database's own address. */
const openListener = (
  servers: Servers,
  options: PoolOptions,
  onLog: (message: string) => void,
): Connections['listen'] => {
  const listener = new Listener(pastPooler(options, servers, onLog, programName(options.schema)))
  return async (channel, handler) => {
    const end = await listener.listen(channel, handler)
    if (end) return end
    if (options.listenUrl !== undefined) {
      throw new Unsuitable(
        'DATABASE_LISTEN_URL leads to a pooler. Name the PostgreSQL server itself, or remove the setting.',
      )
    }
    onLog(
      'A pooler shares the sessions of the database, so processes do not learn of the changes of others immediately, but check every few seconds. Set DATABASE_LISTEN_URL to the PostgreSQL server itself.',
    )
    return async () => undefined
  }
}

/** Opens the connections to the embedded engine or, without one, to the servers of `url`. */
export const openPool = (
  options: PoolOptions,
  embedded: EmbeddedEngine | undefined,
  onLog: (message: string) => void,
): Connections => {
  if (embedded) return openEmbeddedPool(embedded, options, onLog)
  const { url = '', poolSize, preparedStatements, queryTimeoutMs } = options
  const servers = openServers(url, onLog)
  const settings = sessionSettings(options)
  const reports = { settings, preparedStatements, onLog: once(onLog) }
  const sessions = new WeakMap<pg.ClientBase, PreparedSession>()
  const config: pg.PoolConfig = {
    connectionString: url,
    application_name: applicationName(options),
    // Poolers ignore or refuse them; `prepareSession` checks the result.
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: asText,
    keepAlive: true,
    query_timeout: queryTimeoutMs + unansweredAfterMs,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectWithinMs,
    Client: clientFor(servers),
    verify: (client, done) => {
      prepareSession(client as unknown as pg.Client, reports).then(
        (session) => {
          sessions.set(client, session)
          done()
        },
        (error: Error) => {
          servers.forget()
          done(error)
        },
      )
    },
  }
  return {
    pool: newPool(config, onLog),
    sessionOf: (client) => {
      const session = sessions.get(client)
      if (!session) throw new Error('the connection has not been prepared')
      return session
    },
    connectAlone: () => connectAlone(options, servers, onLog),
    listen: openListener(servers, options, reports.onLog),
  }
}
