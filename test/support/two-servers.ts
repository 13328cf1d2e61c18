// A tenant on two PostgreSQL servers, under load.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { startPostgres } from './postgres.ts'
import { type PayinRun, runPayin } from './run-payin.ts'
import { openTenantUnderLoad, type TenantUnderLoad } from './tenant-under-load.ts'

/** Two servers, two nodes and the tenant `acme` on the first server. */
export type TwoServers = TenantUnderLoad & {
  readonly urls: Readonly<Record<'main' | 'b', string>>
  payin(...words: string[]): Promise<PayinRun>
  /** Starts the command in a separate process, and kills it this long after it has printed the word. */
  killPayin(words: readonly string[], word: string, afterMs: number): Promise<void>
}

/** Starts everything; returns what is missing if that is not possible. */
export const openTwoServers = async (walLevel: 'logical' | 'replica'): Promise<TwoServers | { missing: string }> => {
  const settings = { wal_level: walLevel, max_wal_senders: '20', max_replication_slots: '20', fsync: 'on' }
  // 93 tables are copied, by this many workers concurrently.
  Object.assign(settings, { max_sync_workers_per_subscription: '8', max_logical_replication_workers: '12' })
  const [first, second] = await Promise.all([startPostgres(settings), startPostgres(settings)])
  if ('missing' in first) return first
  if ('missing' in second) return second
  const environment = { DATABASE_URL: first.url, PAYIN_TENANT_SERVERS: `b=${second.url}` }
  const tenant = await openTenantUnderLoad([environment, environment], async () =>
    (await tenant.whereabouts()).startsWith('b') ? second.url : first.url,
  )
  return {
    ...tenant,
    urls: { main: first.url, b: second.url },
    payin: (...words) => runPayin(words, { environment: { ...environment, NODE_ENV: 'test' } }),
    killPayin: (words, word, afterMs) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli/payin.ts'), ...words], {
          env: { ...process.env, ...environment, NODE_ENV: 'test' },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        child.once('error', reject)
        child.once('exit', () => resolve())
        child.stderr.on('data', (piece: Buffer) => {
          if (piece.toString().includes(word)) setTimeout(() => child.kill('SIGKILL'), afterMs)
        })
      }),
    [Symbol.asyncDispose]: async () => {
      await tenant[Symbol.asyncDispose]()
      await Promise.all([first.stop(), second.stop()])
    },
  }
}
