// Processes that serve several tenants on two databases are killed under the load of all of them. Of none is anything lost or made
// twice, and none waits for a process that has ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, openClusterIn, openPlace } from '../support/cluster.ts'
import { addTenant, type LoadedTenant, startLoadedTenant } from '../support/loaded-tenant.ts'
import { notified } from '../support/notified.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { runSqlAt } from '../support/run-sql.ts'
import { createEmptyPostgres } from '../support/templates.ts'
import { countOf, openSightings, repeat, seedOf, type Sightings } from '../support/torture.ts'

const count = countOf(1)
const seed = seedOf()
const server = process.env['TEST_DATABASE_URL'] ?? ''
const skip = server === '' ? 'no PostgreSQL on this machine' : false
const names = ['main', 'anna', 'boris', 'clara', 'dora', 'emil']
/** A tenant is served like the others where it has what it asks for within this time, at one of a few tries. */
const servedWithinMs = 30_000

type World = {
  readonly cluster: Cluster
  readonly receiver: Receiver
  readonly tenants: readonly LoadedTenant[]
  readonly random: Random
  readonly seen: Sightings
}

const withTenants = async (work: (world: World) => Promise<void>): Promise<void> => {
  const [random, seen] = [randomFrom(seed), openSightings()]
  const second = await createEmptyPostgres(server)
  const place = await openPlace('postgres')
  const environment: Record<string, string> = {
    ...{ ...place.environment, ...notified, PAYIN_DEMO: 'off', PAYIN_TENANT_SERVERS: `b=${second.url}` },
  }
  const drop = async (): Promise<void> => {
    await place.drop()
    await second.drop()
  }
  // Kills find deliveries whose answer is on its way.
  await using receiver = await openReceiver((_call, response) => {
    setTimeout(() => response.writeHead(204).end(), random(30))
  })
  await using cluster = await openClusterIn({ environment, drop }, ['web,worker', 'web,worker'])
  const tenants: LoadedTenant[] = []
  try {
    const servers = [
      { server: 'main', url: environment['DATABASE_URL'] ?? '' },
      { server: 'b', url: second.url },
    ] as const
    const places = names.map((name, index) => ({ name, ...(servers[index % 2] ?? servers[0]) }))
    const added = []
    for (const each of places) added.push({ ...each, token: await addTenant(cluster, receiver, each) })
    for (const each of added) tenants.push(await startLoadedTenant(cluster, receiver, each, random, seen))
    await work({ cluster, receiver, tenants, random, seen })
  } finally {
    await Promise.all(tenants.map((tenant) => tenant.stop()))
  }
}

const ofAll = async <T>(world: World, ask: (tenant: LoadedTenant) => Promise<T>): Promise<T[]> =>
  Promise.all(world.tenants.map(ask))

/** Kills a process, or both, and starts again what was killed. */
const kill = async ({ cluster, random }: World): Promise<void> => {
  const doomed = random(4) === 0 ? cluster.nodes : [oneOf(random, cluster.nodes)]
  await Promise.all(doomed.map((node) => node.kill()))
  await Promise.all(doomed.map((node) => node.start()))
}

/** The least time of a few tries: a tenant that starves does so each time, and a busy machine is slow only at times. */
const serve = async (tenant: LoadedTenant): Promise<number> => {
  let least = await tenant.serveOne()
  for (let tries = 1; tries < 3 && least >= servedWithinMs; tries++) least = Math.min(least, await tenant.serveOne())
  return least
}

const findWrong = async (world: World): Promise<string[]> => (await ofAll(world, (tenant) => tenant.findWrong())).flat()

/** Damages a tenant as a loss, a double and a forgotten delivery would, and fails where that is not noticed. */
const damage = async (world: World, tenant: LoadedTenant): Promise<void> => {
  const { place, merchants } = tenant
  const schema = place.name === 'main' ? 'public' : `tenant_${place.name}`
  await runSqlAt(place.url, `update ${schema}.payments set order_id = 'gone' where order_id = 'load-1'`)
  await runSqlAt(
    place.url,
    `update ${schema}.transfers set bank_reference = 'bank-1' where bank_reference in ('bank-2', 'bank-3')`,
  )
  const { calls } = world.receiver
  const forgotten = calls.find(({ path }) => path === `/${place.name}`)?.id
  calls.splice(0, calls.length, ...calls.filter(({ id }) => id !== forgotten))
  assert.match((await merchants.findLost(true)).join('\n'), /^load-1: created, now 201/)
  const wrong = (await tenant.findWrong()).join('\n')
  assert.match(wrong, /transfer bank-1 was recorded 3 times/)
  assert.match(wrong, new RegExp(`${forgotten}: never arrived`))
}

test(`tenants: ${count} times a kill -9 under load of ${names.length} tenants loses nothing of any`, {
  skip,
}, async () => {
  await withTenants(async (world) => {
    const { seen } = world
    const lost: string[] = []
    const answered = (): string => {
      const writes = world.tenants.map(({ merchants, bank }) => `${merchants.answered()} + ${bank.answered()}`)
      return `answered writes + transfers: ${writes.join(', ')}; ${lost.length} lost; ${world.receiver.calls.length} calls`
    }
    const round = async (): Promise<void> => {
      await ofAll(world, ({ merchants, bank }) => Promise.all([merchants.proceed(10), bank.proceed(20)]))
      await sleep(world.random(500))
      await kill(world)
      lost.push(...(await ofAll(world, (tenant) => tenant.findLost())).flat())
      assert.deepEqual(lost.slice(0, 5), [], `seed ${seed}`)
    }
    const kills = await repeat('tenants', count, round, answered)
    // Nobody starves while all are busy.
    const servedMs = await ofAll(world, serve)
    assert.ok(Math.max(...servedMs) < servedWithinMs, `served within ${servedMs.map(Math.round).join(', ')} ms`)
    await ofAll(world, (tenant) => tenant.stop())
    await ofAll(world, (tenant) => tenant.settle())
    lost.push(...(await ofAll(world, (tenant) => tenant.findLost(true))).flat())
    assert.deepEqual([lost.slice(0, 5), (await findWrong(world)).slice(0, 5)], [[], []], `seed ${seed}`)
    for (const { place } of world.tenants) await world.cluster.assertHealthy(world.cluster.web[0], place.name)
    const served = servedMs.map(Math.round).join(', ')
    console.log(`tenants seed ${seed}: ${kills} kills, ${answered()}, served in ${served} ms; ${seen.text()}`)
    // Few are canceled: the bank is quicker.
    seen.assertSeen('created', 'acknowledged', 'no answer')
    for (const tenant of world.tenants.slice(0, 2)) await damage(world, tenant)
  })
})
