import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { query, text } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { clientFor, openServers, splitUrl } from '../../packages/database/src/servers.ts'
import { startPostgres } from '../support/postgres.ts'
import { freePort } from '../support/process.ts'
import { assertHealthy, openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'
import { startServerPair } from '../support/standby.ts'
import { countOf, repeat, skipsControl } from '../support/torture.ts'

const urls: readonly (readonly [url: string, servers: readonly string[]])[] = [
  ['postgres://u:p@a/db', ['postgres://u:p@a/db']],
  ['postgres://u:p@a:1,b:2/db?x=y', ['postgres://u:p@a:1/db?x=y', 'postgres://u:p@b:2/db?x=y']],
  ['postgresql://a,[::1]:5433/db', ['postgresql://a/db', 'postgresql://[::1]:5433/db']],
  ['postgres://u@/db?host=a,b', ['postgres://u@/db?host=a', 'postgres://u@/db?host=b']],
  ['postgres://u@/db?host=a,b&port=7', ['postgres://u@/db?host=a&port=7', 'postgres://u@/db?host=b&port=7']],
  [
    'postgres://u@/db?host=%2Frun%2Fa,%2Frun%2Fb&port=1,2',
    ['postgres://u@/db?host=%2Frun%2Fa&port=1', 'postgres://u@/db?host=%2Frun%2Fb&port=2'],
  ],
]

for (const [url, servers] of urls) {
  test(`${url} names ${servers.length} servers, and the driver takes it`, () => {
    assert.deepEqual(splitUrl(url), servers)
    const Client = clientFor(openServers(url, () => undefined))
    assert.doesNotThrow(() => new Client({ connectionString: url }))
  })
}

test('where no server takes writes, the error says why of each', async (t) => {
  const postgres = await startPostgres()
  if ('missing' in postgres) return t.skip(postgres.missing)
  t.after(() => postgres.stop())
  const { host, port } = await openServers(postgres.url, () => undefined).current()
  const closed = await freePort()
  const servers = openServers(`postgres://nobody@/db?host=${host},127.0.0.1&port=${port},${closed}`, () => undefined)
  await assert.rejects(servers.current(), ({ code, message }: Error & { code?: string }) => {
    assert.equal(code, '57P03')
    const [, reasons = ''] = /^none of its servers takes writes: (.*)$/.exec(message) ?? []
    const [refused = '', login = ''] = reasons.split(', ').toSorted((one, other) => one.length - other.length)
    assert.equal(refused, `127.0.0.1:${closed}: ECONNREFUSED`)
    assert.match(login, /^.*: .*(?:"nobody"|password)/)
    return true
  })
})

type Ending = 'killed' | 'silent'

const poolSize = 10

/** Ends the primary under load; gives what was acknowledged and is not on the standby, or why none of this can be tried. */
const failOver = async (
  t: TestContext,
  isSynchronous: boolean,
  ending: Ending = 'killed',
): Promise<string[] | { missing: string }> => {
  const pair = await startServerPair()
  if ('missing' in pair) return pair
  const service = await openTestService('embedded', { DATABASE_URL: pair.url, PAYIN_DATABASE_POOL: String(poolSize) })
  try {
    const shop = await openShop(service)
    if (isSynchronous) await pair.awaitStandby()
    const acknowledged: string[] = []
    let refused = 0
    let orders = 0
    let isOver = false
    let promotedAt: number | undefined
    let firstWriteAt: number | undefined
    const create = async (): Promise<number> => {
      const orderId = `order-${++orders}`
      // A response of the former primary may still be on its way when it falls silent.
      const isAfterPromotion = promotedAt !== undefined
      const answer = await shop.create(orderId, { amount: 1000 + orders })
      if (answer.status === 201) {
        acknowledged.push(orderId)
        if (isAfterPromotion) firstWriteAt ??= performance.now()
      } else {
        assert.equal(answer.body.code, 'database_unavailable', JSON.stringify(answer.body))
        assert.ok(answer.headers.get('retry-after'))
        refused++
      }
      return answer.status
    }
    const reach = async (count: number): Promise<void> => {
      for (let tries = 0; acknowledged.length < count && tries < 3000; tries++) await sleep(10)
      assert.ok(acknowledged.length >= count, `only ${acknowledged.length} were acknowledged`)
    }
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await create()
          await sleep(5)
        }
      }),
    )
    await reach(40)
    if (!isSynchronous) {
      await pair.stallStandby()
      await reach(80)
    }
    if (ending === 'killed') await pair.killPrimary()
    else pair.silencePrimary()
    const readiness = await send(service, '/readyz')
    assert.deepEqual([readiness.status, readiness.headers.get('retry-after')], [503, '2'])
    // Longer than the second after which other floods have another line.
    if (ending === 'killed') await sleep(1100)
    pair.promote()
    promotedAt = performance.now()
    while (firstWriteAt === undefined && performance.now() - promotedAt < 10_000) await sleep(20)
    isOver = true
    await load
    assert.ok(firstWriteAt !== undefined, 'no writes within ten seconds of the promotion')
    t.diagnostic(`${refused} refused; writes ${Math.round(firstWriteAt - promotedAt)} ms after the promotion`)
    assert.ok(refused > 0, 'the primary was not missed')
    // An idle connection to a primary that fell silent shows itself by the next query.
    const idle = ending === 'silent' ? poolSize : 0
    for (let tries = 0; (await create()) !== 201; tries++) assert.ok(tries < idle, 'refused after the failover')
    assert.equal((await send(service, '/readyz')).status, 200)
    const lost: string[] = []
    for (const orderId of acknowledged) if ((await shop.status(orderId)) !== 'new') lost.push(orderId)
    await assertHealthy(service)
    const lines = service.logs.map((line) => JSON.parse(line) as { msg: string; code?: string })
    const codes = lines.filter(({ code }) => code === 'database_unavailable').map(({ msg }) => msg)
    assert.deepEqual(codes, ['request', 'the database answers requests again'])
    return lost
  } finally {
    await service.stop()
    await pair.stop()
  }
}

// Needs a commit, and no table.
const writeAnything = query('test_failover_write', {
  row: { at: text },
  text: `select pg_logical_emit_message(true, 'payin', 'test')::text as at`,
})

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

test('when the primary is gone, the promoted standby is found without a proxy, and nothing acknowledged is lost', {
  skip,
}, async (t) => {
  await repeat('R5', countOf(1), async () => {
    const lost = await failOver(t, true)
    if ('missing' in lost) return t.skip(`NOT RUN: ${lost.missing}`)
    assert.deepEqual(lost, [])
  })
})

test('R5: a primary that falls silent and closes nothing is left for the standby that was promoted', {
  skip,
}, async (t) => {
  const lost = await failOver(t, true, 'silent')
  if ('missing' in lost) return t.skip(`NOT RUN: ${lost.missing}`)
  assert.deepEqual(lost, [])
})

test('a commit that no standby has confirmed within the time limit is not answered as done', { skip }, async (t) => {
  const server = await startPostgres({
    wal_level: 'replica',
    max_wal_senders: '1',
    synchronous_standby_names: 'nobody',
  })
  if ('missing' in server) return t.skip(`NOT RUN: ${server.missing}`)
  const place = { url: server.url, dataDir: '', poolSize: 2, preparedStatements: true, queryTimeoutMs: 300 }
  const database = await openDatabase(place)
  try {
    const refused = { code: 'database_unavailable' }
    await assert.rejects(database.query(writeAnything, {}), refused)
    await assert.rejects(
      database.transaction((tx) => tx.query(writeAnything, {})),
      refused,
    )
  } finally {
    await database.close()
    await server.stop()
  }
})

test('R5, control: a standby that nobody waits for does not have what was acknowledged last', {
  skip: skip || skipsControl(),
}, async (t) => {
  const lost = await failOver(t, false)
  if ('missing' in lost) return t.skip(`NOT RUN: ${lost.missing}`)
  assert.ok(lost.length > 0, 'nothing was lost')
})
