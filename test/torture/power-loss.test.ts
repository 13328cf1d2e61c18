// R11: the power of the disk under the database is cut under load. What was not forced to the disk is gone, what was
// answered is not.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { awaitDatabase, type Cluster, openClusterIn } from '../support/cluster.ts'
import { type FragileDisk, openFragileDisk } from '../support/fragile-disk.ts'
import { startKillablePostgres } from '../support/killable-postgres.ts'
import { startMerchantLoad } from '../support/merchant-load.ts'
import { randomFrom } from '../support/random.ts'
import { type Engine, engines } from '../support/service.ts'
import { cloneEmbedded, clonePostgres } from '../support/templates.ts'
import { countOf, openSightings, repeat, seedOf, skipsControl } from '../support/torture.ts'

const count = countOf(1)
const seed = seedOf()
const megabytes = 512
/** PostgreSQL as it is installed, with a small log, so that tables are written, too. */
const safe = { fsync: 'on', full_page_writes: 'on', max_wal_size: '8MB', min_wal_size: '2MB' }

/** A service on a fragile disk, and one power cut after which everything runs again. */
type Machine = { readonly cluster: Cluster; readonly losePower: () => Promise<void> }

const withPostgres = async (
  disk: FragileDisk,
  isCareless: boolean,
  work: (machine: Machine) => Promise<void>,
): Promise<string | undefined> => {
  const settings = isCareless ? { ...safe, fsync: 'off' } : safe
  const server = await startKillablePostgres(settings, { parent: disk.folder, flags: ['--wal-segsize=1'] })
  if ('missing' in server) return server.missing
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-power-'))
  try {
    const database = await clonePostgres(server.url)
    const environment = { DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir }
    await using cluster = await openClusterIn({ environment, drop: async () => undefined }, ['web,worker'])
    disk.sync()
    const losePower = async (): Promise<void> => {
      disk.cutPower()
      await server.kill()
      disk.restore()
      await server.start()
      await awaitDatabase(cluster)
    }
    await work({ cluster, losePower })
  } finally {
    await server[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return undefined
}

const withEmbedded = async (
  disk: FragileDisk,
  isCareless: boolean,
  work: (machine: Machine) => Promise<void>,
): Promise<undefined> => {
  const template = await cloneEmbedded()
  const dataDir = join(disk.folder, 'data')
  cpSync(template, dataDir, { recursive: true })
  rmSync(template, { recursive: true })
  const preload = pathToFileURL(join(import.meta.dirname, 'without-fsync.ts')).href
  const environment = { PAYIN_DATA_DIR: dataDir, ...(isCareless ? { NODE_OPTIONS: `--import ${preload}` } : {}) }
  await using cluster = await openClusterIn({ environment, drop: async () => undefined }, ['web,worker'])
  disk.sync()
  const losePower = async (): Promise<void> => {
    disk.cutPower()
    await Promise.all(cluster.nodes.map((node) => node.kill()))
    disk.restore()
    await Promise.all(cluster.nodes.map((node) => node.start()))
  }
  await work({ cluster, losePower })
}

/** Runs `work` on a machine with this engine; skips the test aloud where there is no such disk. */
const withMachine = async (
  t: TestContext,
  engine: Engine,
  isCareless: boolean,
  work: (machine: Machine) => Promise<void>,
): Promise<void> => {
  const disk = openFragileDisk(megabytes)
  if ('missing' in disk) return t.skip(`NOT RUN: ${disk.missing}`)
  try {
    const missing = await (engine === 'postgres' ? withPostgres : withEmbedded)(disk, isCareless, work)
    if (missing !== undefined) t.skip(`NOT RUN: ${missing}`)
  } finally {
    disk.remove()
  }
}

for (const engine of engines) {
  test(`R11: ${count} times a power cut under load loses nothing that was answered [${engine}]`, {
    skip: skipsControl(),
  }, async (t) => {
    await withMachine(t, engine, false, async ({ cluster, losePower }) => {
      const seen = openSightings()
      const random = randomFrom(seed)
      const load = startMerchantLoad(cluster, random, seen)
      const lost: string[] = []
      const round = async (): Promise<void> => {
        await load.proceed(10 + random(100))
        await sleep(random(30))
        await losePower()
        lost.push(...(await load.findLost()))
        await cluster.assertHealthy()
      }
      const cuts = await repeat('R11', count, round, () => `${load.answered()} writes answered, ${lost.length} lost`)
      await load.stop()
      lost.push(...(await load.findLost(true)))
      const answered = `${load.answered()} writes answered, ${lost.length} lost`
      console.log(`R11 ${engine} seed ${seed}: ${cuts} power cuts, ${answered}; ${seen.text()}`)
      assert.deepEqual([lost.slice(0, 5), load.wrong.slice(0, 5)], [[], []], `seed ${seed}`)
      seen.assertSeen('created', engine === 'postgres' ? 'database_unavailable' : 'no answer')
    })
  })

  test(`R11, control: a database that does not force its commits to the disk loses writes [${engine}]`, {
    skip: skipsControl(),
  }, async (t) => {
    await withMachine(t, engine, true, async ({ cluster, losePower }) => {
      const load = startMerchantLoad(cluster, randomFrom(seed), openSightings())
      await load.proceed(100)
      // What is left may be too damaged to start.
      const isBack = await losePower().then(
        () => true,
        (error: Error) => {
          t.diagnostic(error.message.slice(0, 200))
          return false
        },
      )
      const lost = isBack ? await load.findLost() : []
      await load.stop()
      assert.ok(!isBack || lost.length > 0, 'nothing was lost')
    })
  })
}
