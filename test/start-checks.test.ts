// What stops a start stops it before anything is migrated: the code can then be rolled back.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import pino from 'pino'
import { parseSettings } from '../src/settings/config.ts'
import { query, text } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { startFailure } from '../src/process/start-failure.ts'
import { migrateOnly, startService } from '../src/process/start-service.ts'
import { openDatabaseProxy } from './support/database-proxy.ts'
import { type Engine, engines, openTestService, skipsEngine } from './support/service.ts'
import { cloneEmbedded, clonePostgres } from './support/templates.ts'

const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`
const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'

const settingsOf = (environment: Record<string, string>) => {
  const parsed = parseSettings({ NODE_ENV: 'test', PORT: '0', PAYIN_DEMO: 'off', PAYIN_ROLES: 'web', ...environment })
  return parsed.ok ? parsed.settings : assert.fail(parsed.errors.join())
}

/** Which migrations a database has, and one of them, which it is made to lack. */
const newest = query('test_newest_migration', {
  row: { name: text },
  text: `select name from schema_migrations order by name desc limit 1`,
})
const forgetNewest = query('test_forget_newest_migration', {
  row: { name: text },
  text: `delete from schema_migrations where name = (select max(name) from schema_migrations) returning name`,
})

const insertAnna = query('test_insert_anna', {
  row: { name: text },
  text: `insert into members (id, name, email, email_verified, role, vouched_by, vouched_at, created_at, updated_at)
    values (gen_random_uuid(), 'anna', 'a@example.com', true, 'owner', array['x'], now(), now(), now()) returning name`,
})

type Place = {
  readonly environment: Record<string, string>
  readonly lacks: string
  newest(): Promise<string>
  run(wanted: typeof newest): Promise<string>
}

/** A database that a service with the key `k1` has used, and that lacks the newest migration. */
const openOld = async (t: TestContext, engine: Engine, k1: string): Promise<Place> => {
  const server = process.env['TEST_DATABASE_URL']
  const postgres = engine === 'postgres' && server ? await clonePostgres(server) : undefined
  const dataDir = postgres ? mkdtempSync(join(tmpdir(), 'payin-test-')) : await cloneEmbedded()
  t.after(async () => {
    await postgres?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const environment = { PAYIN_DATA_DIR: dataDir, ...(postgres && { DATABASE_URL: postgres.url }) }
  const log = pino({ level: 'silent' })
  const settings = settingsOf({ ...environment, PAYIN_ENCRYPTION_KEYS: k1, PAYIN_OPERATOR_TOKEN: operatorToken })
  await (await startService({ settings, log, clock: Date.now })).stop()
  const change = async (wanted: typeof newest): Promise<string> => {
    const options = { poolSize: 1, preparedStatements: true, queryTimeoutMs: 60_000 }
    const database = await openDatabase({ ...options, url: postgres?.url, dataDir })
    try {
      return (await database.query(wanted, {}))[0]?.name ?? ''
    } finally {
      await database.close()
    }
  }
  return { environment, lacks: await change(forgetNewest), newest: () => change(newest), run: change }
}

const listenSomewhere = async (t: TestContext): Promise<string> => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  return String((other.address() as AddressInfo).port)
}

const failureOf = async (
  environment: Record<string, string>,
  start: typeof migrateOnly = startReal,
): Promise<string> => {
  const settings = settingsOf(environment)
  const error = await start({ settings, log: pino({ level: 'silent' }) }).then(
    () => assert.fail('it started'),
    (thrown: unknown) => thrown,
  )
  return startFailure(error, settings).text
}

const startReal: typeof migrateOnly = async (options) => {
  const service = await startService({ ...options, clock: Date.now })
  await service.stop()
  return []
}

for (const engine of engines) {
  const skip = skipsEngine(engine)
  describe(`a start that cannot succeed migrates nothing [${engine}]`, { skip }, () => {
    test('with another key, or none: the message names the key that is needed, and not how to make one', async (t) => {
      const place = await openOld(t, engine, newKey('k1'))
      const wrong = { ...place.environment, PAYIN_ENCRYPTION_KEYS: newKey('k1'), PAYIN_OPERATOR_TOKEN: operatorToken }
      for (const start of [startReal, migrateOnly])
        assert.match(await failureOf(wrong, start), /needs the encryption key k1, .*written with/)
      const lost = await failureOf(place.environment)
      assert.match(lost, /needs the encryption key k1, .*secrets\.json/)
      assert.doesNotMatch(lost, /make|openssl/)
      assert.ok(!existsSync(join(place.environment['PAYIN_DATA_DIR'] ?? '', 'secrets.json')), 'another key was made')
      assert.ok((await place.newest()) < place.lacks)
    })

    test('with a token named like an account, or a storage of files that is no folder', async (t) => {
      const k1 = newKey('k1')
      const place = await openOld(t, engine, k1)
      const right = { ...place.environment, PAYIN_ENCRYPTION_KEYS: k1, PAYIN_OPERATOR_TOKEN: operatorToken }
      const file = join(place.environment['PAYIN_DATA_DIR'] ?? '', 'file')
      writeFileSync(file, '')
      const stored = await failureOf({ ...right, PAYIN_FILE_STORAGE: `file://${file}/folder` })
      assert.match(stored, /PAYIN_FILE_STORAGE names .*folder, where this process cannot write \(ENOTDIR\)\. Name/)
      await place.run(insertAnna)
      const named = { ...right, PAYIN_OPERATOR_TOKENS: `anna/owner:${'tokenOfAnna0123456789'.repeat(2)}` }
      for (const start of [startReal, migrateOnly])
        assert.match(await failureOf(named, start), /gives a token to anna, .*such as anna-cli/)
      assert.ok((await place.newest()) < place.lacks)
    })

    test('with a port in use: the message names the setting', async (t) => {
      const k1 = newKey('k1')
      const place = await openOld(t, engine, k1)
      const right = { ...place.environment, PAYIN_ENCRYPTION_KEYS: k1, PAYIN_OPERATOR_TOKEN: operatorToken }
      const port = await listenSomewhere(t)
      assert.match(await failureOf({ ...right, PORT: port }), new RegExp(`port ${port} is in use`))
      const metrics = await failureOf({ ...right, PAYIN_METRICS_PORT: port })
      assert.match(metrics, new RegExp(`port ${port} of PAYIN_METRICS_PORT is in use`))
      const worker = await failureOf({ ...right, PAYIN_METRICS_PORT: port, PAYIN_ROLES: 'worker' })
      assert.equal(worker, metrics)
      assert.ok((await place.newest()) < place.lacks)
    })
  })
}

test('a DATABASE_LISTEN_URL of another database is refused before anything is migrated', {
  skip: skipsEngine('postgres'),
}, async (t) => {
  const k1 = newKey('k1')
  const [place, other] = [await openOld(t, 'postgres', k1), await openOld(t, 'postgres', k1)]
  const right = { ...place.environment, PAYIN_ENCRYPTION_KEYS: k1, PAYIN_OPERATOR_TOKEN: operatorToken }
  const wrong = { ...right, DATABASE_LISTEN_URL: other.environment['DATABASE_URL'] ?? '' }
  for (const start of [startReal, migrateOnly])
    assert.match(await failureOf(wrong, start), /DATABASE_LISTEN_URL leads to another database.*Name the same one/)
  assert.ok((await place.newest()) < place.lacks && (await other.newest()) < other.lacks)
  const same = { ...right, DATABASE_LISTEN_URL: place.environment['DATABASE_URL'] ?? '' }
  assert.match(await failureOf(same, migrateOnly), /already exists \(42P07\), and a migration makes it/)
})

test('a PostgreSQL that is too old is refused before anything is migrated', {
  skip: skipsEngine('postgres'),
}, async (t) => {
  const k1 = newKey('k1')
  const place = await openOld(t, 'postgres', k1)
  const proxy = await openDatabaseProxy(place.environment['DATABASE_URL'] ?? '')
  t.after(() => proxy.cut())
  // What it answers to `server_version_num`.
  proxy.rewrite(/(?<![0-9])1[5-9]00(?=[0-9]{2}(?![0-9]))/, '1400')
  const environment = { DATABASE_URL: proxy.url, PAYIN_ENCRYPTION_KEYS: k1, PAYIN_OPERATOR_TOKEN: operatorToken }
  for (const start of [startReal, migrateOnly])
    assert.match(await failureOf(environment, start), /PostgreSQL 14.*needs 15/)
  assert.ok((await place.newest()) < place.lacks)
})

test('a database that does not answer the first attempts is waited for', {
  skip: skipsEngine('postgres'),
}, async (t) => {
  const server = process.env['TEST_DATABASE_URL'] ?? ''
  const database = await clonePostgres(server)
  const proxy = await openDatabaseProxy(database.url)
  t.after(async () => {
    await proxy.cut()
    await database.drop()
  })
  proxy.ignore(1)
  const service = await openTestService('embedded', { DATABASE_URL: proxy.url })
  await service.stop()
  const waits = service.logs.filter((line) => line.includes('database does not answer'))
  assert.equal(waits.length, 1, service.logs.join('\n'))
  await proxy.cut()
  setTimeout(() => void proxy.restore(), 1500)
  await (await openTestService('embedded', { DATABASE_URL: proxy.url })).stop()
})

test('a database that does not exist is named by the answer of the server', {
  skip: skipsEngine('postgres'),
}, async () => {
  const url = (process.env['TEST_DATABASE_URL'] ?? '').replace(
    /^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/,
    '$1payin_is_not_here',
  )
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const start: typeof migrateOnly = (options) => startReal({ ...options, log })
  assert.match(await failureOf({ DATABASE_URL: url }, start), /"payin_is_not_here" does not exist.*correct its name/)
  // It is not there a second later, either.
  assert.deepEqual(
    lines.filter((line) => line.includes('tried again')),
    [],
  )
})
