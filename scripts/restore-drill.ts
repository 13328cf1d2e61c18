// `node scripts/restore-drill.ts`: shows that a backup can be restored. Copies the backup to a separate PostgreSQL
// server, replays the archived write-ahead log, starts Payin on it without jobs, runs `payin doctor`, and prints the
// age of the restored state. Sends nothing to anybody, and does not change the backup, the archive or the running
// database (docs/operate/backup.md).
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { answers, findAccount, findBinaries } from '../test/support/postgres.ts'
import { freePort, startProcess } from '../test/support/process.ts'

const usage = `npm run drill:restore -- (--backup <folder> | --server <connection>) [--archive <folder>] [--at <time>]
    [--database payin] [--role payin] [--folder /var/tmp] [--minutes 30]

  --backup    a base backup, as pg_basebackup writes it in its plain format; it is copied
  --server    takes one now, from this server, such as "host=/var/run/postgresql user=postgres"
  --archive   the folder of the archived write-ahead log (default: only what the backup has)
  --at        restores to this instant, such as 2026-11-23T12:30:00Z (default: to the end of the archive)
  --folder    where there is room for the copy
  --minutes   gives up when the log is not replayed by then

PAYIN_ENCRYPTION_KEYS (or PAYIN_ENCRYPTION_KEYS_FILE) must be those of the installation.`

type Options = {
  readonly backup: string | undefined
  readonly server: string | undefined
  readonly archive: string | undefined
  readonly at: string | undefined
  readonly database: string
  readonly role: string
  readonly minutes: number
}

/** A folder of the user that runs PostgreSQL, and a way to run PostgreSQL's programs there. */
type Scratch = {
  readonly folder: string
  readonly run: (program: string, ...parameters: readonly string[]) => void
}

const openScratch = (parent: string): Scratch => {
  const binaries = findBinaries()
  const account = findAccount()
  if (binaries === undefined) throw new Error('no PostgreSQL server is installed here')
  if ('missing' in account) throw new Error(account.missing)
  const folder = mkdtempSync(join(parent, 'payin-restore-'))
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid)
  const env = { PATH: `${binaries}:/usr/bin:/bin`, HOME: folder, LC_ALL: 'C' }
  const log = join(folder, 'programs.log')
  return {
    folder,
    run: (program, ...parameters) => {
      // Through a shell, because the server that pg_ctl starts keeps its output open.
      const command = ['-c', '"$@" >>"$0" 2>&1', log, program, ...parameters]
      const ran = spawnSync('/bin/sh', command, { ...account, cwd: folder, env, stdio: 'ignore' })
      if (ran.status !== 0) throw new Error(`${program} failed:\n${readFileSync(log, 'utf8').slice(-2000)}`)
    },
  }
}

/** Settings in which the scratch server differs from the backed-up one. */
const settingsFor = (folder: string, { archive, at }: Options): Readonly<Record<string, string>> => ({
  config_file: join(folder, 'postgresql.conf'),
  hba_file: join(folder, 'pg_hba.conf'),
  ident_file: join(folder, 'pg_ident.conf'),
  listen_addresses: '',
  unix_socket_directories: folder,
  port: '5432',
  external_pid_file: '',
  ssl: 'off',
  // Accepts no connections before the log is replayed.
  hot_standby: 'off',
  archive_mode: 'off',
  synchronous_standby_names: '',
  primary_conninfo: '',
  max_connections: '50',
  fsync: 'off',
  ...(archive === undefined ? {} : { restore_command: `cp "${resolve(archive)}/%f" "%p"` }),
  ...(at === undefined ? {} : { recovery_target_time: new Date(at).toISOString().replace('Z', '+00') }),
  recovery_target_action: 'promote',
})

/** Waits until the log is replayed and the server accepts connections. */
const awaitReplay = async (scratch: Scratch, url: string, minutes: number): Promise<void> => {
  const endsAt = performance.now() + minutes * 60_000
  while (!(await answers(url))) {
    if (performance.now() > endsAt) throw new Error(`the log was not replayed within ${minutes} minutes`)
    // Throws if the server has ended.
    scratch.run('pg_ctl', '-D', join(scratch.folder, 'data'), 'status')
    await sleep(500)
  }
}

/** Starts a server on a copy of the backup; returns the time of its last transaction, if the log reports it. */
const restore = async (scratch: Scratch, url: string, options: Options): Promise<string | undefined> => {
  const { folder, run } = scratch
  const data = join(folder, 'data')
  if (options.backup !== undefined) run('cp', '-a', resolve(options.backup), data)
  else run('pg_basebackup', '-d', options.server ?? '', '-D', data, '-X', 'stream', '-c', 'fast')
  run('rm', '-f', join(data, 'standby.signal'), join(data, 'postmaster.pid'))
  if (options.archive !== undefined) run('touch', join(data, 'recovery.signal'))
  for (const name of ['postgresql.conf', 'pg_ident.conf']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'pg_hba.conf'), 'local all all trust\n')
  const log = join(folder, 'server.log')
  const settings = Object.entries(settingsFor(folder, options))
  const flags = settings.map(([name, value]) => `-c ${name}='${value.replaceAll("'", `'\\''`)}'`).join(' ')
  try {
    run('pg_ctl', '-D', data, '-w', '-t', '60', '-l', log, '-o', flags, 'start')
    await awaitReplay(scratch, url, options.minutes)
  } catch (error) {
    const lines = spawnSync('tail', ['-n', '20', log], { encoding: 'utf8' }).stdout
    throw new Error(`the backup was not restored:\n${lines}`, { cause: error })
  }
  return /last completed transaction was at log time (.+)/.exec(readFileSync(log, 'utf8'))?.[1]
}

const ageOf = (time: Date): string => {
  const seconds = Math.round((Date.now() - time.getTime()) / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** Prints what was restored, and up to when. */
const describe = async (url: string, last: string | undefined): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ payments: string; at: Date | null; now: Date }>(
    'select (select count(*) from payments) as payments, (select max(at) from payment_events) as at, now() as now',
  )
  await client.end()
  const [row] = rows
  console.log(`payments: ${row?.payments}`)
  const describeTime = (time: Date | null | undefined): string =>
    time ? `${time.toISOString()}, ${ageOf(time)} ago` : 'not known'
  console.log(`last change of a payment: ${describeTime(row?.at)}`)
  console.log(`last transaction that was replayed: ${describeTime(last === undefined ? null : new Date(last))}`)
}

const operatorToken = 'payin_ops_restore_drill_0123456789abcdef01234567'

/** Runs a full `payin doctor` on the drill's service; returns whether the books are right. */
const runDoctor = (url: string): boolean => {
  const command = [resolve(import.meta.dirname, '../src/cli/payin.ts'), '--url', url, 'doctor', '--full']
  const env = { ...process.env, PAYIN_OPERATOR_TOKEN: operatorToken }
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' })
  console.log(`payin doctor:\n${stdout}${stderr}`.trimEnd())
  return status === 0
}

/** Starts Payin without jobs; returns whether the books are right. */
const examine = async (url: string, dataDir: string): Promise<boolean> => {
  const given = Object.entries(process.env).filter(([name]) => /^PAYIN_(?:ENCRYPTION_KEYS|DATABASE_SCHEMA)/.test(name))
  const port = String(await freePort())
  const service = await startProcess({
    ...(Object.fromEntries(given) as Record<string, string>),
    DATABASE_URL: url,
    PAYIN_DATA_DIR: dataDir,
    PAYIN_OPERATOR_TOKEN: operatorToken,
    PAYIN_ROLES: 'web',
    PAYIN_MIGRATE: 'off',
    PAYIN_DEMO: 'off',
    PORT: port,
  })
  try {
    return runDoctor(`http://127.0.0.1:${port}`)
  } finally {
    await service.end('SIGTERM')
  }
}

const drill = async (options: Options, parent: string): Promise<boolean> => {
  const scratch = openScratch(parent)
  const { folder, run } = scratch
  const stop = (): void => {
    try {
      run('pg_ctl', '-D', join(folder, 'data'), '-m', 'immediate', '-w', 'stop')
    } catch {
      // It did not start.
    }
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  const startedAt = performance.now()
  const url = `postgresql://${options.role}@/${options.database}?host=${encodeURIComponent(folder)}&port=5432`
  const last = await restore(scratch, url, options)
  console.log(`restored in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  await describe(url, last)
  const dataDir = join(folder, 'payin')
  mkdirSync(dataDir)
  return examine(url, dataDir)
}

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    ...{ backup: text, server: text, archive: text, at: text, database: text, role: text, folder: text, minutes: text },
    help: { type: 'boolean' },
  },
})
// Removes the folder when the process ends, even if a user ends it.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
if (values.help || (values.backup === undefined) === (values.server === undefined)) {
  console.log(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  const {
    backup,
    server,
    archive,
    at,
    database = 'payin',
    role = 'payin',
    folder = '/var/tmp',
    minutes = '30',
  } = values
  const options = { backup, server, archive, at, database, role, minutes: Number(minutes) }
  const isHealthy = await drill(options, folder).catch((error: Error) => console.error(error.message))
  console.log(isHealthy ? 'The backup can be restored.' : 'NOT as expected.')
  process.exitCode = isHealthy ? 0 : 1
}
