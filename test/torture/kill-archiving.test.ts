// Processes are killed while they archive: nothing of any payment is lost, and nothing is there twice.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import pino from 'pino'
import type { ArchivedHistory } from '../../src/archive/pack-file.ts'
import { parseSettings } from '../../src/config.ts'
import { day } from '../../src/domain/time.ts'
import { startService } from '../../src/start-service.ts'
import { freePort, type StartedProcess, startProcess } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { runPayin } from '../support/run-payin.ts'
import { openShop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'
import { seedOf } from '../support/torture.ts'
import { countUnqueued } from '../support/unqueued.ts'

const server = process.env['TEST_DATABASE_URL']
const kills = Number(process.env['PAYIN_TEST_COUNT'] ?? 0)
const withoutServer = server ? false : 'no PostgreSQL on this machine'
const skip = kills === 0 ? 'npm run test:torture -- archive' : withoutServer
const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'
/** Of a file each 500. */
const payments = 500 * Math.max(4, kills)

/** Creates payments a hundred days ago, and cancels them. */
const addOld = async (environment: Record<string, string>): Promise<void> => {
  const parsed = parseSettings({ ...environment, PORT: '0', PAYIN_ROLES: 'web', PAYIN_RATE_LIMIT: '0' })
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const clock = () => Date.now() - 100 * day
  const service = await startService({ settings: parsed.settings, clock, log: pino({ level: 'silent' }) })
  try {
    const shop = await openShop({ ...service, url: service.address ?? '' } as never)
    let next = 0
    const add = async (): Promise<void> => {
      for (let index = next++; index < payments; index = next++) {
        const orderId = `old-${index}`
        const created = await shop.create(orderId, { amount: 1000 + index / 100 })
        assert.equal(created.status, 201, JSON.stringify(created.body))
        assert.equal((await shop.post('/payments/byOrderId/cancel', { orderId })).status, 200)
      }
    }
    await Promise.all(Array.from({ length: 32 }, add))
  } finally {
    await service.stop()
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

type Row = Readonly<Record<string, unknown>>

/** Every event and notification, wherever it is, in one order. */
const everything = async (client: pg.Client, folder: string): Promise<string[]> => {
  const { rows: events } = await client.query<{ row: Row }>('select to_jsonb(each) as row from payment_events as each')
  const { rows: news } = await client.query<{ row: Row }>('select to_jsonb(each) as row from outbox as each')
  const { rows: files } = await client.query<{ id: string }>('select id from archive_files')
  const recorded = namesIn(folder).filter((name) => files.some(({ id }) => name.includes(id)))
  const archived = recorded.flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const { merchantId, paymentId, events: old, notifications } = JSON.parse(line) as ArchivedHistory
        return [...old, ...notifications].map((row) => ({ ...row, merchant_id: merchantId, payment_id: paymentId }))
      }),
  )
  const sorted = (row: Row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return [...[...events, ...news].map(({ row }) => row), ...archived].map(sorted).toSorted()
}

const killWhileArchiving = async (t: TestContext): Promise<void> => {
  const database = await clonePostgres(server ?? '')
  const client = new pg.Client({ connectionString: database.url, options: '-c timezone=UTC' })
  await client.connect()
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-archive-'))
  const stored = join(dataDir, 'files', 'main', 'archive')
  const nodes: StartedProcess[] = []
  t.after(async () => {
    for (const node of nodes) await node.end('SIGKILL')
    await client.end()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const own = {
    ...{ DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir, PAYIN_DEMO: 'off', PAYIN_LOG_LEVEL: 'warn' },
    ...{ PAYIN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`, PAYIN_OPERATOR_TOKEN: operatorToken },
  }
  await addOld(own)
  const port = await freePort()
  const start = async (more: Record<string, string> = {}): Promise<StartedProcess> => {
    const started = await startProcess({ ...own, PORT: String(port), ...more })
    nodes.push(started)
    return started
  }
  const payin = (...words: string[]) =>
    runPayin(words, { environment: { PAYIN_URL: `http://127.0.0.1:${port}`, PAYIN_OPERATOR_TOKEN: operatorToken } })
  const count = async (what: string): Promise<number> => Number((await client.query(`select ${what} as n`)).rows[0].n)

  const verifying = await start()
  while ((await count(`(${countUnqueued()})`)) > 0) await sleep(50)
  const verified = await payin('doctor')
  assert.equal(verified.code, 0, verified.out)
  await verifying.end('SIGTERM')
  const before = await everything(client, dataDir)
  const archive = {
    PAYIN_FILE_STORAGE: pathToFileURL(join(dataDir, 'files')).href,
    PAYIN_ARCHIVE_AFTER_DAYS: '90',
  }
  // Without statistics, a file takes ten times as long.
  await client.query('analyze')
  const random = randomFrom(seedOf())
  const archivedAtKills: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    // As if the process that was killed had been missed for long enough.
    await client.query('update archive_progress set leased_until = null')
    const names = namesIn(stored).length
    const node = await start(archive)
    const startedAt = performance.now()
    // A file is there, in whole or in part, and what follows takes about 100 ms, and more in a process that has just started.
    while (namesIn(stored).length === names && performance.now() - startedAt < 5000) await sleep(1)
    await sleep(random(1000))
    await node.end('SIGKILL')
    archivedAtKills.push(await count('(select count(*) from archived_payments)'))
    assert.deepEqual(await everything(client, stored), before)
  }
  await client.query('update archive_progress set leased_until = null')
  await start(archive)
  const startedAt = performance.now()
  while (
    (await count('(select count(*) from archived_payments)')) < payments &&
    performance.now() - startedAt < 120_000
  )
    await sleep(100)
  assert.equal(await count('(select count(*) from archived_payments)'), payments)
  assert.deepEqual(await everything(client, stored), before)
  const archived = await payin('archive', 'verify')
  assert.equal(archived.code, 0, archived.out)
  const doctor = await payin('doctor', '--full')
  assert.equal(doctor.code, 0, doctor.out)
  const strays = readdirSync(stored).length - (await count('(select count(*) from archive_files)'))
  t.diagnostic(`archived at kills: ${archivedAtKills.join(', ')} of ${payments}; ${strays} files that nothing names`)
}

test('what is archived while processes are killed is all there, once', { skip, timeout: 900_000 }, killWhileArchiving)
