// R7: processes of the release before and of today's code on one PostgreSQL, replaced one by one under load, forward and
// back. The first of today's migrates while the others serve; every write that was answered stays.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBankLoad } from '../support/bank-load.ts'
import { type Cluster, type Node, openClusterIn } from '../support/cluster.ts'
import { startMerchantLoad } from '../support/merchant-load.ts'
import { checkOut, copyToday, findPreviousRelease, nextRelease } from '../support/previous-release.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { createEmptyPostgres } from '../support/templates.ts'
import { countOf, openSightings, repeat, seedOf, type Sightings, skipsControl } from '../support/torture.ts'

const count = countOf(1)
const seed = seedOf()
const server = process.env['TEST_DATABASE_URL'] ?? ''
const previous = findPreviousRelease()
const withoutPrevious = 'missing' in previous ? `NOT RUN, ${previous.missing}` : false
const skip = skipsControl() || (server === '' ? 'no PostgreSQL on this machine' : withoutPrevious)

/** A migration that forgets the processes that run: what they write and read is gone. */
const careless = { '9004_careless.sql': 'alter table payments drop column acknowledged_at cascade;' }

type Versions = { readonly before: string; readonly today: string }

/** Runs `work` on two processes of the release before, on a fresh database that they have migrated. */
const withBefore = async (
  migrations: Readonly<Record<string, string>>,
  work: (cluster: Cluster, versions: Versions) => Promise<void>,
): Promise<void> => {
  const base = mkdtempSync(join(tmpdir(), 'payin-rolling-'))
  const dataDir = join(base, 'data')
  mkdirSync(dataDir)
  const database = await createEmptyPostgres(server)
  const drop = async (): Promise<void> => {
    await database.drop()
    rmSync(base, { recursive: true, force: true })
  }
  const versions = { before: join(base, 'before'), today: join(base, 'today') }
  checkOut('commit' in previous ? previous.commit : '', versions.before)
  copyToday(versions.today, migrations)
  const environment = { DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir }
  await using cluster = await openClusterIn({ environment, drop }, ['web,worker', 'web,worker'], versions.before)
  await work(cluster, versions)
}

/** Replaces a process under load by one of that version; gives how many writes the others answered meanwhile. */
const replace = async (node: Node, folder: string, answered: () => number): Promise<number> => {
  const before = answered()
  assert.equal(await node.process().end('SIGTERM'), 0)
  await node.start(folder)
  return answered() - before
}

/** One rollout, the way back and another rollout, under load; gives what was lost or answered wrong, and the writes. */
const rollOut = async (random: Random, seen: Sightings) => {
  const found: string[] = []
  let answered = 0
  await withBefore(nextRelease, async (cluster, { before, today }) => {
    const load = startMerchantLoad(cluster, random, seen)
    const bank = await startBankLoad(cluster, random, { atOnce: 20 })
    const writes = (): number => load.answered() + bank.answered()
    const check = async (everything = false): Promise<void> => {
      found.push(...(await load.findLost(everything)), ...(await bank.findLost()))
    }
    await load.proceed(30 + random(50))
    for (const version of [today, before, today]) {
      const first = oneOf(random, cluster.nodes)
      for (const node of [first, ...cluster.nodes.filter((each) => each !== first)]) {
        const meanwhile = await replace(node, version, writes)
        assert.ok(meanwhile > 0, 'nobody served while a process was replaced')
        seen.note(version === today ? 'replaced by today' : 'replaced by the release before')
        await load.proceed(10 + random(50))
        await check()
        // Only today's code knows all invariants.
        if (version === today) await cluster.assertHealthy(node)
      }
    }
    await load.stop()
    await bank.stop()
    await check(true)
    await cluster.assertHealthy()
    found.push(...load.wrong)
    answered = writes()
  })
  return { found, answered }
}

test(`R7: ${count} rollouts to today's code and back, under load, lose nothing that was answered`, {
  skip,
}, async () => {
  const seen = openSightings()
  const random = randomFrom(seed)
  let answered = 0
  const round = async (index: number): Promise<void> => {
    const result = await rollOut(random, seen)
    answered += result.answered
    assert.deepEqual(result.found.slice(0, 5), [], `seed ${seed}, round ${index}`)
  }
  const rounds = await repeat('R7', count, round, () => `${answered} writes answered`)
  console.log(`R7 seed ${seed}: ${rounds} rounds, ${answered} writes answered, 0 lost; ${seen.text()}`)
  seen.assertSeen('created', 'acknowledged', 'canceled', 'replaced by today', 'replaced by the release before')
})

test('R7, control: a migration that takes away what the release before uses fails its requests', {
  skip,
}, async () => {
  await withBefore(careless, async (cluster, { today }) => {
    const load = startMerchantLoad(cluster, randomFrom(seed), openSightings())
    const [first] = cluster.nodes as [Node]
    await load.proceed(30)
    assert.deepEqual(load.wrong, [])
    await replace(first, today, () => load.answered()).catch(() => undefined)
    await load.stop()
    assert.match(load.wrong.join('\n'), / 500 /)
  })
})
