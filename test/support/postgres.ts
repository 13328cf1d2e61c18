import { spawn, spawnSync } from 'node:child_process'
import { accessSync, chownSync, constants, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A started server: its address and how to stop it. */
export type StartedPostgres = { url: string; stop(): Promise<void> }

type Account = { uid?: number; gid?: number }

const readyWithinMs = 30_000
const stopWithinMs = 10_000
// Only part of the name of the socket file: the server listens on no address.
const port = 5432
// The path of a socket may have 107 bytes on Linux and 103 on macOS.
const longestSocketPath = 100

const settings = {
  listen_addresses: '',
  // Faster without other effects: data is only lost if the machine dies, which ends the tests, too.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '200',
  shared_buffers: '128MB',
  log_min_messages: 'fatal',
  timezone: 'UTC',
}

// Waits for the end of standard input, which comes even if the test process is killed, then stops the server and
// removes its folder. For PostgreSQL, SIGINT means "disconnect all, write, end".
const guard = `
  "$@" </dev/null & server=$!
  (wait_for_end() { cat >/dev/null; kill -INT "$server" 2>/dev/null; }; wait_for_end) <&3 &
  wait "$server"; code=$?
  rm -rf "$PGDATA_PARENT"
  exit "$code"
`

/**
 * A PostgreSQL server for tests: the one of TEST_DATABASE_URL, else a new one from the machine's programs, reached over
 * a Unix socket. With settings of the caller it is always a new one. Returns what is missing if there is none.
 */
export async function startPostgres(
  own?: Readonly<Record<string, string>>,
): Promise<StartedPostgres | { missing: string }> {
  const given = own ? undefined : process.env['TEST_DATABASE_URL']
  if (given !== undefined && given !== '') return { url: given, stop: async () => {} }
  const found = preparePostgres(own)
  return 'missing' in found ? found : withCleanFolder(found.folder, () => startServer(found))
}

/** A new server that is not started yet: its folder, and how to start it. */
export type PreparedPostgres = {
  readonly folder: string
  readonly url: string
  readonly command: readonly string[]
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv } & Account
}

/** The parent folder of a new server (default: a temporary folder), and further flags of `initdb`. */
export type PostgresPlace = { readonly parent?: string; readonly flags?: readonly string[] }

/** Prepares a new server in a separate folder, which the caller removes. */
export function preparePostgres(
  own?: Readonly<Record<string, string>>,
  place: PostgresPlace = {},
): PreparedPostgres | { missing: string } {
  const binaries = findBinaries()
  if (binaries === undefined) {
    return { missing: 'TEST_DATABASE_URL is not set and no PostgreSQL server is installed (`initdb`, `postgres`)' }
  }
  const account = findAccount()
  if ('missing' in account) return account
  const parent = place.parent ?? findFolder(account)
  if (parent === undefined) return { missing: 'no temporary folder is short enough and open to the account `postgres`' }
  const folder = mkdtempSync(join(parent, 'payin-test-'))
  return withCleanFolder(folder, () =>
    initialise(binaries, folder, account, { ...settings, ...own }, place.flags ?? []),
  )
}

/** Removes the folder if `work` fails. */
function withCleanFolder<T>(folder: string, work: () => T): T {
  const clean = (error: unknown): never => {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  try {
    const result = work()
    return result instanceof Promise ? (result.catch(clean) as T) : result
  } catch (error) {
    return clean(error)
  }
}

/** The folder with the newest server's programs. */
export function findBinaries(): string | undefined {
  const version = (folder: string) => Number(/\d+/.exec(folder)?.[0] ?? 0)
  const debian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => version(b) - version(a))
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...debian, ...path].find((folder) => ['initdb', 'postgres'].every((name) => isProgram(join(folder, name))))
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The user that runs PostgreSQL: the current one, or `postgres` instead of root, which it refuses. */
export function findAccount(): Account | { missing: string } {
  if (process.getuid?.() !== 0) return {}
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (line === null) return { missing: 'PostgreSQL does not run as root and there is no account `postgres`' }
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

/** A temporary folder that the user can reach: TMPDIR may be in a home directory without access. */
function findFolder(account: Account): string | undefined {
  return [tmpdir(), '/tmp', '/var/tmp'].find((folder) => {
    const socket = join(folder, 'payin-test-XXXXXX', `.s.PGSQL.${port}`)
    const open = spawnSync('test', ['-w', folder, '-a', '-x', folder], { ...account, cwd: '/' })
    return socket.length <= longestSocketPath && open.status === 0
  })
}

function initialise(
  binaries: string,
  folder: string,
  account: Account,
  configuration: Readonly<Record<string, string>>,
  more: readonly string[],
): PreparedPostgres {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  // The user may have no access to its home or to the current folder; messages must not be translated.
  const options = {
    ...account,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: folder, LC_ALL: 'C', PGDATA_PARENT: folder },
  }
  const flags = ['-D', data, '-U', 'payin', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', ...more]
  const initialised = spawnSync(join(binaries, 'initdb'), flags, { ...options, encoding: 'utf8' })
  if (initialised.status !== 0) {
    throw new Error(`initdb failed: ${initialised.error?.message ?? initialised.stderr}`)
  }
  const given = Object.entries(configuration).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(binaries, 'postgres'), '-D', data, '-k', folder, '-p', String(port), ...given]
  const url = `postgresql://payin@/postgres?host=${encodeURIComponent(folder)}&port=${port}`
  return { folder, url, command, options }
}

async function startServer({ url, command, options }: PreparedPostgres): Promise<StartedPostgres> {
  // Detached: Ctrl-C in the terminal must reach the tests first and the server last.
  const server = spawn('/bin/sh', ['-c', guard, 'postgres', ...command], {
    ...options,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let log = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-10_000)))
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  let running = true
  void ended.then(() => (running = false))

  const lifeline = server.stdio[3]
  lifeline?.on('error', () => {})
  const stop = async () => {
    lifeline?.destroy()
    await Promise.race([ended, sleep(stopWithinMs, undefined, { ref: false })])
  }
  const deadline = performance.now() + readyWithinMs
  while (running && performance.now() < deadline) {
    if (await answers(url)) return { url, stop }
    await sleep(30)
  }
  await stop()
  throw new Error(`PostgreSQL did not start within ${readyWithinMs} ms:\n${log}`)
}

/** Whether a server answers at an address. */
export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  // A server that is starting up accepts the connection and then closes it.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** A folder that belongs to the server's user. */
export type ServerFolder = {
  readonly folder: string
  /** Runs one of the server's programs as that user; throws if it fails. */
  readonly run: (program: string, ...parameters: readonly string[]) => void
}

/** Creates a folder for another server next to that of `server`, which must be running. */
export function addServerFolder(server: string, name: string): ServerFolder | { missing: string } {
  const binaries = findBinaries()
  const account = findAccount()
  if (binaries === undefined) return { missing: 'no PostgreSQL server is installed' }
  if ('missing' in account) return account
  const { host } = new pg.Client({ connectionString: server })
  const folder = mkdtempSync(join(dirname(host), name))
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const env = { PATH: '/usr/bin:/bin', HOME: folder, LC_ALL: 'C' }
  const run = (program: string, ...parameters: readonly string[]): void => {
    // The server that pg_ctl starts keeps its output open.
    const ran = spawnSync(join(binaries, program), parameters, { ...account, cwd: '/', env, stdio: 'ignore' })
    if (ran.status !== 0) throw new Error(`${program} ${parameters.join(' ')} failed`)
  }
  return { folder, run }
}
