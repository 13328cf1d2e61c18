// Three PostgreSQL servers under Patroni, with etcd and, if requested, HAProxy, set up as in deploy/patroni/, but on
// this machine instead of six.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findAccount, findBinaries } from './postgres.ts'
import { freePort } from './process.ts'

const examples = resolve(import.meta.dirname, '../../deploy/patroni')
const password = 'drill'

/** What Patroni reports about a machine. */
type Row = { readonly name: string; readonly role: string; readonly state: string }

/** One machine: PostgreSQL and the Patroni that controls it. */
export type Machine = {
  readonly name: string
  readonly database: number
  readonly api: number
  /** kill -9 of every process of PostgreSQL; Patroni keeps running. */
  killPostgres(): void
  /** kill -9 of PostgreSQL and Patroni. */
  kill(): void
  /** From now on it does not respond, as if its power were lost or its network cut. */
  freeze(): void
  /** Ends that. */
  thaw(): void
  /** From now on the standbys receive nothing that is written, as on a very slow network. */
  stallReplication(): void
  /** Starts Patroni again, which starts PostgreSQL. */
  start(): void
}

/** Three machines, one of which is the primary. */
export type Patroni = AsyncDisposable & {
  /** The address of the database `payin` on all of them. */
  readonly url: string
  /** The same through HAProxy; starts it. */
  startProxy(): Promise<string>
  /** The primary according to Patroni. */
  primary(): Promise<Machine>
  /** The standby for which commits wait. */
  standby(): Promise<Machine>
  /** Waits until all of them run with the expected number of standbys; returns the primary. */
  awaitWhole(): Promise<Machine>
  /** Changes settings of all machines while they run. */
  configure(settings: Readonly<Record<string, unknown>>): Promise<void>
  /** Makes another machine the primary, as before maintenance. */
  switchOver(): Promise<void>
}

const wholeWithinMs = 120_000

const missingProgram = (names: readonly string[]): string | undefined => {
  const missing = names.filter((name) => spawnSync('which', [name]).status !== 0)
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`
}

const signal = (id: number | undefined, name: NodeJS.Signals): void => {
  try {
    if (id !== undefined) process.kill(id, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type Running = ChildProcess | undefined
type Spawn = (program: string, parameters: readonly string[], name: string, env?: NodeJS.ProcessEnv) => ChildProcess

const openMachine = (options: {
  name: string
  folder: string
  ports: { database: number; api: number }
  etcd: string
  binaries: string
  program: string
  spawnAs: Spawn
}): Machine => {
  const { name, folder, ports, etcd, binaries, program, spawnAs } = options
  const data = join(folder, name)
  const env = {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: etcd,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${ports.api}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${ports.api}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${ports.database}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${ports.database}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: binaries,
    PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: password,
  }
  let patroni: Running
  const server = (): number | undefined => {
    const file = join(data, 'postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
  }
  /** The processes of the server, the first one last: it would start the others again. */
  const backends = (): number[] => {
    const first = server()
    if (first === undefined || !existsSync(`/proc/${first}`)) return []
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')
    return [first, ...children.filter((each) => each !== '').map(Number)]
  }
  const toAll = (what: NodeJS.Signals): void => {
    for (const id of backends()) signal(id, what)
  }
  return {
    ...ports,
    name,
    killPostgres: () => toAll('SIGKILL'),
    kill: () => {
      patroni?.kill('SIGKILL')
      toAll('SIGKILL')
    },
    freeze: () => {
      patroni?.kill('SIGSTOP')
      toAll('SIGSTOP')
    },
    thaw: () => {
      toAll('SIGCONT')
      patroni?.kill('SIGCONT')
    },
    stallReplication: () => {
      for (const id of backends()) {
        if (readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('walsender')) signal(id, 'SIGSTOP')
      }
    },
    start: () => {
      if (patroni && patroni.exitCode === null && patroni.signalCode === null) return
      patroni = spawnAs(program, [join(examples, 'patroni.yaml')], name, env)
    },
  }
}

const ask = async (machine: Machine, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${machine.api}${path}`, { signal: AbortSignal.timeout(5000), ...init })

const rowsOf = async (machines: readonly Machine[]): Promise<readonly Row[]> => {
  const answers = machines.map(async (machine) => {
    const { members } = (await (await ask(machine, '/cluster')).json()) as { members: Row[] }
    return members
  })
  return Promise.any(answers).catch(() => [])
}

const createDatabase = async ({ database }: Machine): Promise<void> => {
  const client = new pg.Client({ host: '127.0.0.1', port: database, user: 'postgres', password, database: 'postgres' })
  await client.connect()
  await client.query(`create role payin login password '${password}'`)
  await client.query('create database payin owner payin')
  await client.end()
}

const startProxy = async (machines: readonly Machine[], spawnAs: Spawn): Promise<string> => {
  const port = await freePort()
  const servers = machines.flatMap(({ database, api }, index): [string, string][] => [
    [`PAYIN_DB${index + 1}`, `127.0.0.1:${database}`],
    [`PAYIN_DB${index + 1}_CHECK`, String(api)],
  ])
  const env = { PAYIN_DATABASE_BIND: `127.0.0.1:${port}`, ...Object.fromEntries(servers) }
  spawnAs('haproxy', ['-db', '-f', join(examples, 'haproxy.cfg')], 'haproxy', env)
  return `postgresql://payin:${password}@127.0.0.1:${port}/payin`
}

const overMachines = (machines: readonly Machine[], spawnAs: Spawn, end: () => Promise<void>): Patroni => {
  let isSynchronous = true
  const named = (name: string | undefined): Machine | undefined => machines.find((each) => each.name === name)
  const awaitRows = async (isFine: (rows: readonly Row[]) => boolean): Promise<Machine> => {
    const startedAt = performance.now()
    for (let rows: readonly Row[] = []; ; await sleep(200)) {
      rows = await rowsOf(machines)
      const leader = named(rows.find(({ role }) => role === 'leader')?.name)
      if (leader && isFine(rows)) return leader
      if (performance.now() - startedAt > wholeWithinMs) throw new Error(`not whole: ${JSON.stringify(rows)}`)
    }
  }
  const patch = async (settings: Readonly<Record<string, unknown>>): Promise<void> => {
    await ask(await awaitRows(() => true), '/config', { method: 'PATCH', body: JSON.stringify(settings) })
    await sleep(3000)
  }
  const hosts = machines.map(({ database }) => `127.0.0.1:${database}`).join(',')
  const opened: Patroni = {
    url: `postgresql://payin:${password}@${hosts}/payin?target_session_attrs=read-write`,
    startProxy: () => startProxy(machines, spawnAs),
    primary: () => awaitRows(() => true),
    awaitWhole: () =>
      awaitRows((rows) => {
        const others = rows.filter(({ role }) => role !== 'leader')
        const standbys = others.filter(({ role }) => role === 'sync_standby').length
        return (
          others.length === machines.length - 1 &&
          rows.every(({ state }) => ['running', 'streaming'].includes(state)) &&
          standbys === (isSynchronous ? 1 : 0)
        )
      }),
    configure: async (settings) => {
      if (typeof settings['synchronous_mode'] === 'boolean') isSynchronous = settings['synchronous_mode']
      await patch(settings)
    },
    standby: async () => {
      const isOne = (rows: readonly Row[]) => rows.some(({ role }) => role === 'sync_standby')
      await awaitRows(isOne)
      return named((await rowsOf(machines)).find(({ role }) => role === 'sync_standby')?.name) as Machine
    },
    switchOver: async () => {
      const { name } = await awaitRows(() => true)
      const candidate = (await opened.standby()).name
      const body = JSON.stringify({ leader: name, candidate })
      await ask(named(name) as Machine, '/switchover', { method: 'POST', body, signal: AbortSignal.timeout(60_000) })
    },
    [Symbol.asyncDispose]: end,
  }
  return opened
}

/** Starts them with the installed programs; returns what is missing if that is not possible. */
export const startPatroni = async (patroni = 'patroni'): Promise<Patroni | { readonly missing: string }> => {
  const missing = missingProgram([patroni, 'etcd', 'haproxy'])
  const binaries = findBinaries()
  const account = findAccount()
  if (missing !== undefined) return { missing }
  if (binaries === undefined) return { missing: 'no PostgreSQL server is installed' }
  if ('missing' in account) return account
  const folder = mkdtempSync('/tmp/payin-patroni-')
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid)
  const children: ChildProcess[] = []
  const spawnAs: Spawn = (program, parameters, name, env = {}) => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(program, parameters, {
      ...account,
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
    })
    children.push(child)
    return child
  }
  const machines: Machine[] = []
  const endNow = (): void => {
    for (const child of children) child.kill('SIGKILL')
    for (const machine of machines) machine.kill()
  }
  process.once('exit', endNow)
  const end = async (): Promise<void> => {
    const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    const ended = running.map((child) => once(child, 'exit'))
    endNow()
    await Promise.all(ended)
    await sleep(200)
    process.off('exit', endNow)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    const [client, peer] = [await freePort(), await freePort()]
    const etcd = `127.0.0.1:${client}`
    const urls = ['--listen-client-urls', `http://${etcd}`, '--advertise-client-urls', `http://${etcd}`]
    const peers = ['--listen-peer-urls', `http://127.0.0.1:${peer}`]
    spawnAs('etcd', ['--data-dir', join(folder, 'etcd'), ...urls, ...peers], 'etcd')
    for (const name of ['db1', 'db2', 'db3']) {
      mkdirSync(join(folder, name), { mode: 0o700 })
      if (account.uid !== undefined) chownSync(join(folder, name), account.uid, account.gid ?? account.uid)
      const ports = { database: await freePort(), api: await freePort() }
      machines.push(openMachine({ name, folder, ports, etcd, binaries, program: patroni, spawnAs }))
    }
    for (const machine of machines) machine.start()
    const opened = overMachines(machines, spawnAs, end)
    await createDatabase(await opened.awaitWhole())
    return opened
  } catch (error) {
    const logs = readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .map((name) => `${name}:\n${readFileSync(join(folder, name), 'utf8').slice(-1500)}`)
    await end()
    throw new Error(`the servers did not start:\n${logs.join('\n')}`, { cause: error })
  }
}
