// R2: all processes of PostgreSQL are killed under load. Meanwhile the service refuses with 503 and says when to come
// back; soon after the server is back it serves again, and what was answered is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askDatabase, awaitDatabase, type Cluster, openCluster } from '../support/cluster.ts'
import { type KillablePostgres, startKillablePostgres } from '../support/killable-postgres.ts'
import { startMerchantLoad } from '../support/merchant-load.ts'
import { randomFrom } from '../support/random.ts'
import { countOf, openSightings, repeat, seedOf, skipsControl } from '../support/torture.ts'

const count = countOf(3)
const seed = seedOf()

/** Kills and starts the server; gives the milliseconds from its start to the first answer that needs it. */
const killOnce = async (server: KillablePostgres, cluster: Cluster): Promise<number> => {
  await server.kill()
  assert.equal(await askDatabase(cluster), 503)
  await server.start()
  return awaitDatabase(cluster)
}

const withServer = async (
  own: Readonly<Record<string, string>>,
  run: (server: KillablePostgres, cluster: Cluster) => Promise<void>,
): Promise<string | undefined> => {
  const server = await startKillablePostgres(own)
  if ('missing' in server) return server.missing
  try {
    await using cluster = await openCluster('postgres', ['web,worker'], {}, server.url)
    await run(server, cluster)
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return undefined
}

test(`R2: ${count} times a kill -9 of PostgreSQL under load loses nothing that was answered`, async (t) => {
  const missing = await withServer({}, async (server, cluster) => {
    const seen = openSightings()
    const random = randomFrom(seed)
    const load = startMerchantLoad(cluster, random, seen)
    const lost: string[] = []
    let slowestMs = 0
    const round = async (): Promise<void> => {
      await load.proceed(10 + random(100))
      slowestMs = Math.max(slowestMs, await killOnce(server, cluster))
      lost.push(...(await load.findLost()))
      await cluster.assertHealthy()
    }
    const kills = await repeat('R2', count, round, () => `${load.answered()} writes answered, ${lost.length} lost`)
    await load.stop()
    lost.push(...(await load.findLost(true)))
    const answered = `${load.answered()} writes answered, ${lost.length} lost`
    console.log(
      `R2 seed ${seed}: ${kills} kills, ${answered}, back after at most ${Math.round(slowestMs)} ms; ${seen.text()}`,
    )
    assert.deepEqual([lost.slice(0, 5), load.wrong.slice(0, 5)], [[], []], `seed ${seed}`)
    seen.assertSeen('created', 'database_unavailable')
  })
  if (missing !== undefined) t.skip(missing)
})

test('R2, control: a server that answers a commit before it has written it loses writes', {
  skip: skipsControl(),
}, async (t) => {
  const careless = { synchronous_commit: 'off', wal_writer_delay: '10s', bgwriter_delay: '10s' }
  const missing = await withServer(careless, async (server, cluster) => {
    const load = startMerchantLoad(cluster, randomFrom(seed), openSightings())
    const lost: string[] = []
    for (let kills = 0; lost.length === 0 && kills < 10; kills++) {
      await load.proceed(60)
      await killOnce(server, cluster)
      lost.push(...(await load.findLost()))
    }
    await load.stop()
    assert.ok(lost.length > 0, 'nothing was lost')
  })
  if (missing !== undefined) t.skip(missing)
})
