// R10: a backup that was made under load is restored to a random instant after it, while the load goes on. What was answered
// before that instant is there, what was made later is not, and the books add up.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ArchivingPostgres, startArchivingPostgres } from '../support/archiving-postgres.ts'
import { type Cluster, type Node, openClusterIn, tryCall } from '../support/cluster.ts'
import { type MerchantLoad, startMerchantLoad } from '../support/merchant-load.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { countOf, openSightings, repeat, seedOf, type Sightings, skipsControl } from '../support/torture.ts'

const count = countOf(1)
const seed = seedOf()

/** A service with a data directory of its own on this database. */
const openService = (url: string): Promise<Cluster> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-restore-'))
  const drop = async (): Promise<void> => rmSync(dataDir, { recursive: true, force: true })
  return openClusterIn({ environment: { DATABASE_URL: url, PAYIN_DATA_DIR: dataDir }, drop }, ['web,worker'])
}

type World = {
  readonly server: ArchivingPostgres
  readonly token: string
  readonly load: MerchantLoad
  readonly random: Random
}

/**
 * Makes a backup, lets time pass, and restores it to the instant that it has become, or without the archive; gives what was
 * answered before that instant and is not there.
 */
const restoreOnce = async (world: World, seen: Sightings, withArchive = true): Promise<string[]> => {
  const { server, load, random } = world
  const backup = server.backUp()
  try {
    await load.proceed(20 + random(150))
    await sleep(random(30))
    const before = load.remember()
    // Commits have finer times.
    const instant = Date.now() + 1
    await load.proceed(20 + random(50))
    const after = load.remember()
    await server.awaitArchive()
    const restored = withArchive ? backup.restore(instant) : backup.restore()
    try {
      await using service = await openService(restored.url)
      const [node] = service.web as [Node]
      const { orderId } = after.promises.at(-1)?.request ?? { orderId: '' }
      const last = await tryCall(node, world.token, `/payments/byOrderId/${orderId}`)
      seen.note(`made later: ${last?.status}`)
      const lost = await load.findLostIn(before, service.web)
      seen.note('remembered', before.promises.length)
      await service.assertHealthy()
      return lost
    } finally {
      restored.stop()
    }
  } finally {
    backup.remove()
  }
}

const withWorld = async (t: TestContext, seen: Sightings, work: (world: World) => Promise<void>): Promise<void> => {
  const server = await startArchivingPostgres()
  if ('missing' in server) return t.skip(`NOT RUN: ${server.missing}`)
  try {
    await using cluster = await openService(server.url)
    const random = randomFrom(seed)
    const load = startMerchantLoad(cluster, random, seen)
    try {
      await load.proceed(50)
      await work({ server, token: cluster.token, load, random })
    } finally {
      await load.stop()
    }
    assert.deepEqual(load.wrong.slice(0, 5), [])
  } finally {
    await server[Symbol.asyncDispose]()
  }
}

test(`R10: ${count} backups restored to a random instant have all that was answered before it`, {
  skip: skipsControl(),
}, async (t) => {
  const seen = openSightings()
  await withWorld(t, seen, async (world) => {
    const state = (): string => `${seen.count('remembered')} payments compared`
    const round = async (index: number): Promise<void> => {
      const lost = await restoreOnce(world, seen)
      assert.deepEqual(lost.slice(0, 5), [], `seed ${seed}, round ${index}`)
    }
    const rounds = await repeat('R10', count, round, state)
    console.log(
      `R10 seed ${seed}: ${rounds} restores, ${world.load.answered()} writes answered, 0 lost; ${seen.text()}`,
    )
    seen.assertSeen('created', 'canceled', 'made later: 404')
  })
})

test('R10, control: a backup without the archive lacks what was answered after it', {
  skip: skipsControl(),
}, async (t) => {
  const seen = openSightings()
  await withWorld(t, seen, async (world) => {
    assert.ok((await restoreOnce(world, seen, false)).length > 0, 'nothing was lost')
  })
})
