import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addServerFolder, type ServerFolder, startPostgres, type StartedPostgres } from './postgres.ts'

/** A PostgreSQL server that archives its write-ahead log, so that its backups can be restored to any later instant. */
export type ArchivingPostgres = AsyncDisposable & {
  /** The address of its database `payin`. */
  readonly url: string
  /** The folder of the archived log. */
  readonly archive: string
  /** Copies the server while it runs. */
  backUp(): Backup
  /** Waits until everything that was written before is in the archive. */
  awaitArchive(): Promise<void>
}

/** A backup, which is removed with the server that was started from it. */
export type Backup = {
  /** The folder of its files. */
  readonly data: string
  /**
   * Starts a server in the state of an instant (milliseconds since 1970). Without one, it ignores the archive and has
   * the state at the end of the backup.
   */
  restore(instant?: number): RestoredPostgres
  remove(): void
}

/** A server that was started from a backup, and how to stop it. */
export type RestoredPostgres = { readonly url: string; stop(): void }

const socketPort = 5432
const archivedWithinMs = 60_000

const urlIn = (folder: string): string =>
  `postgresql://payin@/payin?host=${encodeURIComponent(folder)}&port=${socketPort}`

const openBackup = ({ folder, run }: ServerFolder, archive: string): Backup => {
  const data = join(folder, 'data')
  return {
    data,
    restore: (instant) => {
      if (instant !== undefined) {
        writeFileSync(join(data, 'recovery.signal'), '')
        appendFileSync(
          join(data, 'postgresql.auto.conf'),
          `restore_command = 'cp ${archive}/%f %p'
           recovery_target_time = '${new Date(instant).toISOString().replace('Z', '+00')}'
           recovery_target_action = 'promote'\n`,
        )
      }
      // Not a hot standby, so that pg_ctl waits until the server accepts writes.
      const settings = ['listen_addresses=', 'fsync=off', 'max_connections=200', 'hot_standby=off', 'archive_mode=off']
      const options = [`-k ${folder} -p ${socketPort}`, ...settings.map((each) => `-c ${each}`)].join(' ')
      const log = join(folder, 'log')
      try {
        run('pg_ctl', '-D', data, '-w', '-t', '120', '-l', log, '-o', options, 'start')
      } catch (error) {
        throw new Error(`the backup was not restored:\n${readFileSync(log, 'utf8')}`, { cause: error })
      }
      return { url: urlIn(folder), stop: () => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop') }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const awaitArchived = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
  const isThere = `select coalesce(last_archived_wal >= $1, false) as "isThere" from pg_stat_archiver`
  for (const startedAt = performance.now(); performance.now() - startedAt < archivedWithinMs; await sleep(20)) {
    const archived = await client.query<{ isThere: boolean }>(isThere, [rows[0]?.name])
    if (archived.rows[0]?.isThere) return
  }
  throw new Error('the write-ahead log was not archived')
}

const withClient = async (url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Starts one with the installed programs; returns what is missing if that is not possible. */
export const startArchivingPostgres = async (): Promise<ArchivingPostgres | { readonly missing: string }> => {
  const archiving = { archive_mode: 'on', archive_command: 'mkdir -p ../archive && cp %p ../archive/%f' }
  const server: StartedPostgres | { missing: string } = await startPostgres({
    wal_level: 'replica',
    max_wal_senders: '4',
    ...archiving,
  })
  if ('missing' in server) return server
  await withClient(server.url, (client) => client.query('create database payin'))
  const { host } = new pg.Client({ connectionString: server.url })
  const archive = join(host, 'archive')
  return {
    url: urlIn(host),
    archive,
    backUp: () => {
      const own = addServerFolder(server.url, 'payin-backup-')
      if ('missing' in own) throw new Error(own.missing)
      const source = ['-h', host, '-p', String(socketPort), '-U', 'payin']
      own.run('pg_basebackup', ...source, '-D', join(own.folder, 'data'), '-X', 'stream', '-c', 'fast', '--no-sync')
      return openBackup(own, archive)
    },
    awaitArchive: () => withClient(server.url, awaitArchived),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
