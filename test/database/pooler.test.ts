import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Database, openChanges, query, text } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { startPooler, withoutPooler } from '../support/pooler.ts'
import { assertHealthy, openTestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'

const readOwner = query('test_read_owner_behind_pooler', { row: { owner: text }, text: `select owner from owners` })

const server = process.env['TEST_DATABASE_URL']
const skip = server ? (withoutPooler() ?? false) : 'no PostgreSQL on this machine'

/** What a database may give its sessions that Payin does not understand. */
const foreign = { timezone: 'Asia/Tokyo', datestyle: 'SQL, DMY', statement_timeout: '7000', enable_seqscan: 'on' }
const own = {
  timezone: 'UTC',
  datestyle: 'ISO',
  statement_timeout: '30000',
  idle_in_transaction_session_timeout: '30000',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
}

const runSql = async (url: string, sql: string): Promise<Record<string, string>[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A pooler in front of a database whose sessions begin with these settings. */
const openPooled = async (
  t: TestContext,
  sessionSettings: Readonly<Record<string, string>>,
  poolerSettings: Readonly<Record<string, string>>,
): Promise<{ direct: string; pooled: string }> => {
  const database = await clonePostgres(server ?? '')
  for (const [name, value] of Object.entries(sessionSettings)) {
    const named = new pg.Client({ connectionString: database.url }).database
    await runSql(database.url, `alter database ${named} set ${name} = '${value}'`)
  }
  const pooler = await startPooler(database.url, poolerSettings)
  t.after(async () => {
    await pooler.stop()
    await database.drop()
  })
  return { direct: database.url, pooled: pooler.url }
}

const warnings = (logs: readonly string[]): string =>
  logs.map((line) => (JSON.parse(line) as { database?: string }).database ?? '').join('\n')

for (const [title, poolerSettings] of [
  ['ignored', { pool_mode: 'transaction', ignore_startup_parameters: 'options' }],
  ['refused', { pool_mode: 'transaction' }],
] as const) {
  test(`behind a pooler in transaction mode settings hold when start-up options are ${title}`, { skip }, async (t) => {
    const { direct, pooled } = await openPooled(t, foreign, poolerSettings)
    const service = await openTestService('embedded', { DATABASE_URL: pooled })
    try {
      // The control: a plain session has the foreign settings.
      assert.deepEqual(await runSql(pooled, 'show timezone'), [{ TimeZone: 'Asia/Tokyo' }])
      const shop = await openShop(service)
      const created = await Promise.all(
        Array.from({ length: 40 }, (_, index) => shop.create(`order-${index}`, { amount: 1000 + index })),
      )
      assert.deepEqual([...new Set(created.map((answer) => answer.status))], [201])
      const [kept] = await runSql(
        direct,
        `select (extract(epoch from created_at) * 1000)::bigint::text as at from payments where order_id = 'order-0'`,
      )
      assert.equal(Number(kept?.['at']), service.clock.now)
      assert.equal((await shop.get('/payments/byOrderId/order-0')).status, 200)
      assert.equal(await shop.status('order-0'), 'new')
      await assertHealthy(service)
      // Nothing is left in the sessions that others use.
      for (let each = 0; each < 4; each++) {
        assert.deepEqual(await runSql(pooled, 'show enable_seqscan'), [{ enable_seqscan: 'on' }])
        assert.deepEqual(await runSql(pooled, 'show timezone'), [{ TimeZone: 'Asia/Tokyo' }])
      }
      const logged = warnings(service.logs)
      assert.match(logged, /alter role current_user set timezone = 'UTC'; /)
      assert.match(logged, /DATABASE_LISTEN_URL/)
      assert.match(logged, /does not support prepared statements/)
    } finally {
      await service.stop()
    }
  })
}

test('behind a pooler, queries need no transaction where the settings are those of the role', { skip }, async (t) => {
  const { direct, pooled } = await openPooled(t, own, { pool_mode: 'transaction' })
  const service = await openTestService('embedded', { DATABASE_URL: pooled })
  try {
    const shop = await openShop(service)
    assert.equal((await shop.create('order')).status, 201)
    assert.doesNotMatch(warnings(service.logs), /alter role/)
    const begun = await runSql(
      direct,
      // Tests of other databases run at the same time.
      `select count(*)::text as n from pg_stat_activity
        where datname = current_database() and query like 'begin; set%'`,
    )
    assert.deepEqual(begun, [{ n: '0' }])
  } finally {
    await service.stop()
  }
})

test('changes of another process are heard past the pooler by DATABASE_LISTEN_URL', { skip }, async (t) => {
  const { direct, pooled } = await openPooled(t, {}, { pool_mode: 'transaction' })
  const open = (listenUrl?: string): Promise<Database> =>
    openDatabase({ url: pooled, listenUrl, dataDir: '', poolSize: 2, preparedStatements: true, queryTimeoutMs: 30_000 })
  const [listening, other, wrong] = await Promise.all([open(direct), open(), open(pooled)])
  try {
    const heard: string[] = []
    const here = await openChanges(listening, 'here')
    here.subscribe('key', () => heard.push('key'))
    const there = await openChanges(other, 'there')
    there.publish(['key'])
    for (let tries = 0; tries < 1000 && heard.length === 0; tries++) await sleep(20)
    assert.deepEqual(heard, ['key'])
    await assert.rejects(openChanges(wrong, 'wrong'), /DATABASE_LISTEN_URL leads to a pooler/)
  } finally {
    for (const database of [listening, other, wrong]) await database.close()
  }
})

test('several schemas are kept apart behind a pooler', { skip }, async (t) => {
  const { direct, pooled } = await openPooled(t, {}, { pool_mode: 'transaction' })
  const options = {
    url: pooled,
    listenUrl: direct,
    dataDir: '',
    poolSize: 3,
    preparedStatements: true,
    queryTimeoutMs: 30_000,
  }
  const database = await openDatabase(options)
  try {
    const schemas = ['first', 'second', 'third']
    const session = await database.openSession()
    for (const schema of schemas) {
      await session.run(`create schema ${schema}`)
      await session.run(`create table ${schema}.owners as select '${schema}'::text as owner`)
    }
    await session.close()
    const opened = await Promise.all(schemas.map((schema) => openDatabase({ ...options, schema })))
    const askThrice = async (each: Database) => [
      ...(await Promise.all([each.query(readOwner, {}), each.query(readOwner, {})])).flat(),
      ...(await each.transaction((tx) => tx.query(readOwner, {}))),
    ]
    const owners = await Promise.all([...opened, ...opened].map(askThrice))
    assert.deepEqual(
      owners,
      [...schemas, ...schemas].map((owner) => [{ owner }, { owner }, { owner }]),
    )
    const second = await opened[1]?.openSession()
    assert.deepEqual(await second?.query(readOwner, {}), [{ owner: 'second' }])
    await second?.close()
    await Promise.all(opened.map((each) => each.close()))
  } finally {
    await database.close()
  }
})

test('a pooler in statement mode is refused in words', { skip }, async () => {
  const database = await clonePostgres(server ?? '')
  const pooler = await startPooler(database.url, { pool_mode: 'statement' })
  try {
    await assert.rejects(openTestService('embedded', { DATABASE_URL: pooler.url }), /pooler in statement mode/)
  } finally {
    await pooler.stop()
    await database.drop()
  }
})
