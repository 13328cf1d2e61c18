import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addServerFolder, startPostgres, type StartedPostgres } from './postgres.ts'

/** A primary PostgreSQL server with a hot standby. */
export type ServerPair = {
  /** The address of the database `payin` on both servers. */
  readonly url: string
  /** From now on a commit is acknowledged when the standby has it, too. */
  awaitStandby(): Promise<void>
  /** From now on the standby receives nothing, as over a link that hangs. */
  stallStandby(): Promise<void>
  /** Ends the primary like a crash. */
  killPrimary(): Promise<void>
  /** From now on the primary neither answers nor closes connections, as if its power were lost. */
  silencePrimary(): void
  /** Makes the standby the primary. */
  promote(): void
  stop(): Promise<void>
}

const socketPort = 5432

/** Starts both with the installed programs; returns what is missing if that is not possible. */
export const startServerPair = async (): Promise<ServerPair | { missing: string }> => {
  const primary = await startPostgres({ wal_level: 'replica', max_wal_senders: '4' })
  if ('missing' in primary) return primary
  try {
    return await addStandby(primary)
  } catch (error) {
    await primary.stop()
    throw error
  }
}

const addStandby = async (primary: StartedPostgres): Promise<ServerPair | { missing: string }> => {
  const own = addServerFolder(primary.url, 'payin-standby-')
  if ('missing' in own) return own
  const { folder, run: runProgram } = own
  const data = join(folder, 'data')
  const admin = new pg.Client({ connectionString: primary.url })
  admin.on('error', () => undefined)
  await admin.connect()
  await admin.query('create database payin')
  const { host } = admin
  const socket = ['-h', host, '-p', String(socketPort), '-U', 'payin']
  runProgram('pg_basebackup', ...socket, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
  const options = `-k ${folder} -p ${socketPort} -c listen_addresses= -c fsync=off -c max_connections=200 -c max_wal_senders=4`
  runProgram('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  const hosts = [host, folder].map((each) => encodeURIComponent(each)).join(',')
  const ports = `${socketPort},${socketPort}`
  const firstProcess = (): number => Number(readFileSync(join(host, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const stopped: number[] = []
  return {
    url: `postgresql://payin@/payin?host=${hosts}&port=${ports}&target_session_attrs=read-write`,
    awaitStandby: async () => {
      await admin.query(`alter system set synchronous_standby_names = '*'`)
      await admin.query('select pg_reload_conf()')
      // Each process reads the new configuration a little later.
      await sleep(200)
      await admin.end()
    },
    stallStandby: async () => {
      const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_replication')
      for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
      await admin.end()
    },
    silencePrimary: () => {
      const id = firstProcess()
      const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ').map(Number)
      for (const each of [id, ...children]) process.kill(each, 'SIGSTOP')
      stopped.push(id, ...children)
    },
    killPrimary: async () => {
      process.kill(firstProcess(), 'SIGQUIT')
      // Its folder is removed then.
      for (let tries = 0; existsSync(host) && tries < 1500; tries++) await sleep(10)
    },
    promote: () => runProgram('pg_ctl', '-D', data, '-w', 'promote'),
    stop: async () => {
      for (const id of stopped) process.kill(id, 'SIGCONT')
      runProgram('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
