import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findAccount } from './postgres.ts'
import { freePort } from './process.ts'

/** A pgbouncer in front of a database. */
export type StartedPooler = { readonly url: string; stop(): Promise<void> }

const program = '/usr/sbin/pgbouncer'

/** Why pgbouncer cannot be started here; undefined if it can. */
export const withoutPooler = (): string | undefined => {
  try {
    accessSync(program, constants.X_OK)
    return undefined
  } catch {
    return 'pgbouncer is not installed (Debian: apt-get install pgbouncer)'
  }
}

/** Starts pgbouncer with these settings; all its clients share two sessions of the server. */
export const startPooler = async (
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<StartedPooler> => {
  const { host, port, user, database } = new pg.Client({ connectionString: databaseUrl })
  const account = findAccount()
  if ('missing' in account) throw new Error(account.missing)
  // Not in the folder of the tests, to which the account may have no access.
  const folder = mkdtempSync('/tmp/payin-pooler-')
  const own = await freePort()
  const configuration = {
    listen_addr: '127.0.0.1',
    listen_port: String(own),
    unix_socket_dir: '',
    auth_type: 'any',
    default_pool_size: '2',
    max_client_conn: '200',
    logfile: join(folder, 'log'),
    ...settings,
  }
  const lines = Object.entries(configuration).map(([name, value]) => `${name} = ${value}`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\n${database} = host=${host} port=${port} user=${user}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const pooler = spawn(program, ['-q', file], { ...account, cwd: '/', stdio: 'ignore' })
  const url = `postgresql://payin@127.0.0.1:${own}/${database}`
  const stop = async (): Promise<void> => {
    const ended = pooler.exitCode === null ? once(pooler, 'exit') : undefined
    pooler.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 600; tries++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => undefined)
    if (isUp) return { url, stop }
    await sleep(50)
  }
  await stop()
  throw new Error('pgbouncer does not answer')
}
