// R1 and R3: processes of the service are killed under load, at any moment. What was answered stays.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startBankLoad } from '../support/bank-load.ts'
import { type Cluster, openCluster } from '../support/cluster.ts'
import { type MerchantLoad, startMerchantLoad } from '../support/merchant-load.ts'
import { startPhoneLoad } from '../support/phone-load.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { type Engine, engines } from '../support/service.ts'
import { countOf, openSightings, repeat, seedOf, skipsControl } from '../support/torture.ts'

/** Starting the embedded engine takes several times as long; test/database/embedded.test.ts kills it alone ten times. */
const counts: Readonly<Record<Engine, number>> = { postgres: countOf(4), embedded: countOf(1) }
const transfersPerKill = 10_000
const messagesPerKill = 500
const seed = seedOf()
const rolesOn: Readonly<Record<Engine, readonly string[]>> = {
  postgres: ['web', 'web,worker', 'worker'],
  embedded: ['web,worker'],
}
const names: Readonly<Record<Engine, string>> = { postgres: 'R1', embedded: 'R3' }

const killAndStart = async (cluster: Cluster, random: Random, nodes = cluster.nodes): Promise<number> => {
  const doomed = random(5) === 0 ? cluster.nodes : [oneOf(random, nodes)]
  await Promise.all(doomed.map((node) => node.kill()))
  await Promise.all(doomed.map((node) => node.start()))
  return doomed.length
}

const play = async (cluster: Cluster, load: MerchantLoad, random: Random, engine: Engine) => {
  const lost: string[] = []
  let isFirst = true
  const round = async (): Promise<void> => {
    await load.proceed(10 + random(100))
    await sleep(random(30))
    // One kill alone must be noticed by the load.
    await killAndStart(cluster, random, isFirst ? cluster.web : cluster.nodes)
    isFirst = false
    lost.push(...(await load.findLost()))
    await cluster.assertHealthy()
  }
  const state = () => `${load.answered()} writes answered, ${lost.length} lost`
  let kills = 0
  try {
    kills = await repeat(names[engine], counts[engine], round, state, 0.5)
  } finally {
    // A load that goes on would keep the process, and with it the run, from ending.
    await load.stop()
  }
  return { kills, lost: [...lost, ...(await load.findLost(true))] }
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`${names[engine]}: ${counts[engine]} times a kill -9 under load loses nothing that was answered [${engine}]`, {
    skip,
  }, async () => {
    const seen = openSightings()
    const random = randomFrom(seed)
    await using cluster = await openCluster(engine, rolesOn[engine])
    const load = startMerchantLoad(cluster, random, seen)
    const { kills, lost } = await play(cluster, load, random, engine)
    await cluster.assertHealthy()
    console.log(
      `${names[engine]} seed ${seed}: ${kills} kills, ${load.answered()} writes answered, ${lost.length} lost; ${seen.text()}`,
    )
    assert.deepEqual([lost.slice(0, 5), load.wrong.slice(0, 5)], [[], []], `seed ${seed}`)
    seen.assertSeen('created', 'canceled', 'no answer')
  })

  test(`${names[engine]}: ${counts[engine]} times a kill -9 in the middle of large reports of a bank loses none [${engine}]`, {
    skip: skip || skipsControl(),
  }, async () => {
    const random = randomFrom(seed)
    await using cluster = await openCluster(engine, rolesOn[engine])
    const load = await startBankLoad(cluster, random)
    const lost: string[] = []
    const round = async (): Promise<void> => {
      await load.proceed(transfersPerKill)
      await sleep(random(200))
      await killAndStart(cluster, random)
      lost.push(...(await load.findLost()))
    }
    const name = `${names[engine]} transfers`
    const kills = await repeat(
      name,
      counts[engine],
      round,
      () => `${load.answered()} transfers answered, ${lost.length} lost`,
    )
    await load.stop()
    lost.push(...(await load.findLost()))
    console.log(`${name} seed ${seed}: ${kills} kills, ${load.answered()} transfers answered, ${lost.length} lost`)
    assert.deepEqual(lost.slice(0, 5), [], `seed ${seed}`)
    await cluster.assertHealthy()
  })

  test(`${names[engine]}: ${counts[engine]} times a kill -9 while phones forward messages loses none [${engine}]`, {
    skip: skip || skipsControl(),
  }, async () => {
    const random = randomFrom(seed)
    await using cluster = await openCluster(engine, rolesOn[engine])
    const load = await startPhoneLoad(cluster, random)
    const name = `${names[engine]} messages`
    const round = async (): Promise<void> => {
      await load.proceed(messagesPerKill)
      await sleep(random(200))
      await killAndStart(cluster, random)
    }
    const kills = await repeat(name, counts[engine], round, () => `${load.answered()} messages answered`)
    await load.stop()
    const lost = await load.findLost()
    console.log(`${name} seed ${seed}: ${kills} kills, ${load.answered()} messages answered, ${lost.length} lost`)
    assert.deepEqual(lost.slice(0, 5), [], `seed ${seed}`)
    await cluster.assertHealthy()
  })

  test(`${names[engine]}, control: a service that answers before it commits loses writes [${engine}]`, {
    skip: skip || skipsControl(),
  }, async () => {
    const early = pathToFileURL(join(import.meta.dirname, 'answer-early.ts')).href
    const environment = { NODE_OPTIONS: `--import ${early}`, PAYIN_DATABASE_POOL: '1' }
    await using cluster = await openCluster(engine, ['web,worker'], environment)
    const load = startMerchantLoad(cluster, randomFrom(seed), openSightings())
    const lost: string[] = []
    for (let kills = 0; lost.length === 0 && kills < 10; kills++) {
      await load.proceed(50)
      await killAndStart(cluster, randomFrom(seed))
      lost.push(...(await load.findLost()))
    }
    await load.stop()
    assert.ok(lost.length > 0, 'nothing was lost')
  })
}
