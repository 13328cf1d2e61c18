// A tenant is moved between two PostgreSQL servers while two processes create payments in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runSqlAt } from '../support/run-sql.ts'
import { countOf, isTorture, repeat, seedOf } from '../support/torture.ts'
import { openTwoServers, type TwoServers } from '../support/two-servers.ts'

const onlyTorture = isTorture ? false : 'takes minutes: npm run test:torture -- move'

const assertNoSlots = async ({ urls }: TwoServers): Promise<void> => {
  for (const url of [urls.main, urls.b])
    assert.deepEqual(await runSqlAt(url, 'select slot_name from pg_replication_slots'), [])
}

test('a tenant is moved under load: nothing acknowledged is lost, and writes stop for a small part of the time', {
  skip: onlyTorture,
}, async (t) => {
  const world = await openTwoServers('logical')
  if ('missing' in world) return t.skip(world.missing)
  await using servers = world
  await repeat('moves', countOf(1), async (index) => {
    const [to, from] = index % 2 === 0 ? (['b', 'main'] as const) : (['main', 'b'] as const)
    const load = servers.startLoad(8)
    const startedAt = performance.now()
    const moved = await servers.payin('tenants', 'move', 'acme', '--server', to)
    const moveMs = performance.now() - startedAt
    assert.equal(moved.code, 0, moved.error)
    await sleep(500)
    const { acknowledged, refused, longestGapMs } = await load.end()
    t.diagnostic(`to ${to}: ${acknowledged} acknowledged, ${refused} refused, longest gap ${longestGapMs} ms`)
    assert.ok(longestGapMs < moveMs / 10, `nothing was acknowledged for ${longestGapMs} of ${moveMs} ms`)
    assert.equal(await servers.whereabouts(), `${to} active`)
    await servers.assertHealthy()
    assert.match((await servers.payin('tenants', 'recover', 'acme')).out, /was interrupted/)
    const dropped = await servers.payin('tenants', 'drop-copy', 'acme')
    assert.match(dropped.out, /^Removed moved_acme_/, dropped.error)
    const left = await runSqlAt(servers.urls[from], `select nspname from pg_namespace where nspname like '%acme%'`)
    assert.deepEqual(left, [])
    await assertNoSlots(servers)
  })
})

test('a mover that is killed leaves a tenant that works once it is recovered, or has been moved', {
  skip: onlyTorture,
}, async (t) => {
  const world = await openTwoServers('logical')
  if ('missing' in world) return t.skip(world.missing)
  await using servers = world
  let seed = seedOf()
  const ends = new Map<string, number>()
  await repeat('killed movers', countOf(2), async (index) => {
    const from = (await servers.whereabouts()).split(' ')[0]
    const to = from === 'main' ? 'b' : 'main'
    seed = (seed * 48_271) % 2_147_483_647
    const [word, afterMs] = index % 3 === 2 ? (['copying', seed % 1500] as const) : (['switching', seed % 60] as const)
    const load = servers.startLoad(4)
    await servers.killPayin(['tenants', 'move', 'acme', '--server', to], word, afterMs)
    const recovered = await servers.payin('tenants', 'recover', 'acme')
    assert.equal(recovered.code, 0, recovered.error)
    await sleep(300)
    const { acknowledged } = await load.end()
    assert.ok(acknowledged > 0)
    const where = await servers.whereabouts()
    assert.ok(where === `${from} active` || where === `${to} active`, where)
    const end = where.startsWith(to) ? 'moved' : 'as before'
    ends.set(end, (ends.get(end) ?? 0) + 1)
    if (end === 'moved') assert.equal((await servers.payin('tenants', 'drop-copy', 'acme')).code, 0)
    await servers.assertHealthy()
    await assertNoSlots(servers)
  })
  t.diagnostic(JSON.stringify([...ends]))
})

test('without logical replication a tenant is moved while it is refused, and only if that is asked for', async (t) => {
  const world = await openTwoServers('replica')
  if ('missing' in world) return t.skip(world.missing)
  await using servers = world
  const refused = await servers.payin('tenants', 'move', 'acme', '--server', 'b')
  assert.equal(refused.code, 1)
  assert.match(
    refused.error,
    /wal_level of its server is replica.*With --stop, its requests are refused .* for about \d+ seconds/s,
  )
  const load = servers.startLoad(4)
  const moved = await servers.payin('tenants', 'move', 'acme', '--server', 'b', '--stop')
  assert.equal(moved.code, 0, moved.error)
  const { longestGapMs } = await load.end()
  t.diagnostic(`longest gap ${longestGapMs} ms`)
  assert.equal(await servers.whereabouts(), 'b active')
  await servers.assertHealthy()
})
