import { setTimeout as sleep } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import pg from 'pg'

/** How long a server may take to answer whether it takes writes. */
const answerWithinMs = 2000
/** How long to wait for the others once one takes writes: a former primary that has come back also claims to. */
const othersWithinMs = 200
/** Pause after an unsuccessful search. */
const searchAgainMs = 200
/** How often the current server is checked. */
const watchEveryMs = 1000

/** One PostgreSQL server that a URL names. */
type Server = { readonly host: string; readonly port: number; readonly url: string }

/** The servers that a URL names, one of which takes writes. */
export type Servers = {
  /** The server that takes writes; searched for if there are several and it is not known. */
  current(): Promise<Server>
  /** Makes the next `current` search again: the server is unreachable or takes no writes. */
  forget(): void
  /** Cuts this connection when its server has fallen silent or another one has taken its place. */
  guard(client: pg.Client, server: Server): void
}

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/s

/** The URLs of the single servers that a URL names, in libpq's forms: `//a:1,b:2/db` and `//?host=a,b&port=1,2`. */
export const splitUrl = (url: string): string[] => {
  const [, start = '', authority = '', path = '', query = ''] = shape.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const hosts = parameters.get('host')?.split(',')
  if (!hosts) {
    return authority.includes(',')
      ? authority.split(',').map((each) => `${start}${each}${path}${query === '' ? '' : `?${query}`}`)
      : [url]
  }
  const ports = parameters.get('port')?.split(',') ?? []
  if (hosts.length === 1) return [url]
  return hosts.map((host, index) => {
    const own = new URLSearchParams(parameters)
    own.set('host', host)
    const port = ports.length > 1 ? ports[index] : ports[0]
    if (port) own.set('port', port)
    return `${start}${authority}${path}?${own.toString()}`
  })
}

const nameOf = ({ host, port }: Server): string => `${host}:${port}`

/** Closes a connection without notifying the server, which may not respond; pending queries fail immediately. */
const cut = (client: pg.Client): void =>
  void (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy()

const openProbe = (server: Server): pg.Client => {
  const client = new pg.Client({
    connectionString: server.url,
    application_name: 'payin',
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
  client.on('error', () => undefined)
  return client
}

const answerOf = async (client: pg.Client, sql: string): Promise<string> =>
  String((await client.query<{ answer: string }>(sql)).rows[0]?.answer)

/** Runs one query on a server over a separate connection. */
const ask = async (server: Server, sql: string): Promise<string> => {
  const client = openProbe(server)
  try {
    await client.connect()
    return await answerOf(client, sql)
  } finally {
    cut(client)
  }
}

const readOnly = `select current_setting('transaction_read_only') as answer`
/** Increases with each promotion of a standby. */
const timeline = `select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as answer`

/** Of several servers that take writes, the one promoted last: the others are former primaries that have come back. */
const promotedLast = async (servers: readonly Server[]): Promise<Server> => {
  const timelines = await Promise.all(servers.map((server) => ask(server, timeline).catch(() => '')))
  const latest = timelines.toSorted().at(-1) ?? ''
  return servers[timelines.indexOf(latest)] as Server
}

/**
 * Asks all servers concurrently; throws an error of class 57P03 that gives each server's reason for not being the one.
 */
const search = async (servers: readonly Server[]): Promise<Server> => {
  const writable: Server[] = []
  const reasons: string[] = []
  const first = Promise.withResolvers<void>()
  const asked = servers.map(async (server) => {
    const answer = await ask(server, readOnly).catch((error: Error & { code?: string }) =>
      error instanceof pg.DatabaseError ? error.message : (error.code ?? error.message),
    )
    if (answer === 'off') {
      writable.push(server)
      first.resolve()
    } else {
      reasons.push(`${nameOf(server)}: ${answer === 'on' ? 'takes no writes' : answer}`)
    }
  })
  await Promise.race([Promise.all(asked), first.promise.then(() => sleep(othersWithinMs))])
  const found = servers.filter((server) => writable.includes(server))
  const [only] = found
  if (only) return found.length === 1 ? only : promotedLast(found)
  throw Object.assign(new Error(`none of its servers takes writes: ${reasons.join(', ')}`), { code: '57P03' })
}

/** Checks a server repeatedly on one connection, until `stop`; resolves when it does not answer or takes no writes. */
const watchServer = async (server: Server, stop: AbortSignal): Promise<void> => {
  const probe = openProbe(server)
  stop.addEventListener('abort', () => cut(probe))
  try {
    await probe.connect()
    while ((await answerOf(probe, readOnly)) === 'off')
      await sleep(watchEveryMs, undefined, { ref: false, signal: stop })
  } catch {
    // Silent, gone, or no longer watched.
  } finally {
    cut(probe)
  }
}

/**
 * Cuts connections whose server is silent. A server that loses power or network closes nothing: requests would wait for
 * the time limit of their queries, long after another server has taken over. `whenSilent` returns the server that takes
 * writes now, if any.
 */
const guardConnections = (whenSilent: (server: Server) => Promise<Server | undefined>): Servers['guard'] => {
  const guarded = new Map<Server, { readonly clients: Set<pg.Client>; readonly stop: AbortController }>()
  const watch = async (server: Server, clients: ReadonlySet<pg.Client>, stop: AbortSignal): Promise<void> => {
    while (!stop.aborted) {
      await watchServer(server, stop)
      if (stop.aborted) return
      if ((await whenSilent(server)) !== server) for (const client of [...clients]) cut(client)
      await sleep(searchAgainMs, undefined, { ref: false })
    }
  }
  return (client, server) => {
    const known = guarded.get(server)
    const { clients, stop } = known ?? { clients: new Set(), stop: new AbortController() }
    clients.add(client)
    client.once('end', () => {
      clients.delete(client)
      if (clients.size > 0) return
      stop.abort()
      guarded.delete(server)
    })
    if (known) return
    guarded.set(server, { clients, stop })
    void watch(server, clients, stop.signal)
  }
}

/** The servers of a URL; reports when another one becomes the current one. */
export const openServers = (url: string, onLog: (message: string) => void): Servers => {
  const servers = splitUrl(url).map((each): Server => {
    const { host, port } = new pg.Client({ connectionString: each })
    return { host, port, url: each }
  })
  const [first] = servers
  if (!first || servers.length === 1) {
    return { current: () => Promise.resolve(first as Server), forget: () => undefined, guard: () => undefined }
  }
  let current: Promise<Server> | undefined
  let last: Server | undefined
  const choose = (server: Server): Server => {
    if (last !== server) onLog(`The database is ${nameOf(server)} of ${servers.map(nameOf).join(', ')}.`)
    return (last = server)
  }
  const guard = guardConnections(async (silent) => {
    const server = await search(servers).catch(() => undefined)
    if (server !== silent) current = server && Promise.resolve(choose(server))
    return server
  })
  return {
    guard,
    current: () => {
      current ??= search(servers).then(choose, (error: unknown) => {
        setTimeout(() => (current = undefined), searchAgainMs).unref()
        throw error
      })
      return current
    },
    forget: () => {
      current = undefined
    },
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/**
 * The driver's client, connecting to the server that takes writes. Start-up options that a pooler has refused are not
 * sent again.
 */
export const clientFor = (servers: Servers): typeof pg.Client => {
  let sendsOptions = true
  return class extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      const { connectionString, ...others } = config
      // The driver reads no URL with several hosts and ports; which one to use is decided when it connects.
      const one =
        connectionString === undefined ? config : { ...others, connectionString: splitUrl(connectionString)[0] }
      super(sendsOptions ? one : { ...one, options: undefined })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const done = callback as ((error: Error | null) => void) | undefined
      if (!done) {
        return new Promise((resolve, reject) => {
          this.connect((error: Error | null) => (error ? reject(error) : resolve(this)))
        })
      }
      servers.current().then((server) => {
        Object.assign(this, { host: server.host, port: server.port })
        super.connect((error: Error | null) => {
          if (error) servers.forget()
          else servers.guard(this, server)
          if (/unsupported startup parameter/i.test(error?.message ?? '')) sendsOptions = false
          done(error)
        })
      }, done)
    }
  }
}
