import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startKillablePostgres } from '../support/killable-postgres.ts'
import { assertHealthy, type Engine, engines, openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { cloneEmbedded, clonePostgres } from '../support/templates.ts'
import { countOf, repeat, skipsControl } from '../support/torture.ts'

const server = process.env['TEST_DATABASE_URL']
/** Room for the database, and for a few thousand payments more. */
const megabytes = 96

/** The settings of a service whose database is on the disk, and how to be rid of what is not on it. */
const placeDatabase = async (
  engine: Engine,
  disk: SmallDisk,
): Promise<{ environment: Record<string, string>; drop(): Promise<void> }> => {
  if (engine === 'embedded') {
    const template = await cloneEmbedded()
    const dataDir = join(disk.folder, 'data')
    cpSync(template, dataDir, { recursive: true })
    rmSync(template, { recursive: true })
    return { environment: { PAYIN_DATA_DIR: dataDir }, drop: async () => undefined }
  }
  const name = `payin_small_${process.pid}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create tablespace ${name} location '${disk.folder}'`)
  const database = await clonePostgres(server ?? '', name)
  return {
    environment: { DATABASE_URL: database.url },
    drop: async () => {
      await database.drop()
      await admin.query(`drop tablespace ${name}`)
      await admin.end()
    },
  }
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false
  test(`a full disk is database_unavailable until it has room again, and no payment is lost [${engine}]`, {
    skip,
  }, async (t) => {
    const disk = mountSmallDisk(megabytes)
    if ('missing' in disk) return t.skip(`NOT RUN: ${disk.missing}`)
    const placed = await placeDatabase(engine, disk)
    const service = await openTestService('embedded', placed.environment)
    t.after(async () => {
      disk.free()
      await service.stop()
      await placed.drop()
      disk.unmount()
    })
    const shop = await openShop(service)
    const acknowledged: string[] = []
    let orders = 0
    const create = async () => {
      // Each of its own amount: a slot may be taken once.
      const orderId = `${'o'.repeat(40)}-${++orders}`
      const answer = await shop.create(orderId, { amount: 1000 + orders })
      if (answer.status === 201) acknowledged.push(orderId)
      return answer
    }
    assert.equal((await create()).status, 201)
    assert.equal((await send(service, '/readyz')).status, 200)

    await repeat('R8', countOf(1), async () => {
      disk.fill()
      let refused = await create()
      // What fits into pages that are there is written; a batch at a time, they are used up soon.
      while (refused.status === 201) {
        const answers = await Promise.all(Array.from({ length: 40 }, create))
        refused = answers.find((answer) => answer.status !== 201) ?? refused
      }
      assert.equal(refused.status, 503, JSON.stringify(refused.body))
      assert.equal(refused.body.code, 'database_unavailable')
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      assert.equal((await send(service, '/readyz')).status, 503)
      assert.equal((await send(service, '/healthz')).status, 200)
      for (let tries = 0; tries < 5; tries++) {
        const { status, body } = await create()
        assert.ok([201, 503].includes(status), JSON.stringify(body))
      }

      disk.free()
      for (let tries = 0; (await send(service, '/readyz')).status !== 200; tries++) {
        assert.ok(tries < 300, 'it does not recover')
        await sleep(100)
      }
      assert.equal((await create()).status, 201)
    })
    const lost: string[] = []
    for (const orderId of acknowledged) if ((await shop.status(orderId)) !== 'new') lost.push(orderId)
    assert.deepEqual(lost, [])
    await assertHealthy(service)
  })
}

/** Room for the largest write-ahead log, and for half of it again. */
const logMegabytes = 12
const smallLog = { wal_recycle: 'off', min_wal_size: '2MB', max_wal_size: '8MB', log_min_messages: 'panic' }

/**
 * Fills the disk of PostgreSQL's write-ahead log under load, several times: gives how many payments were acknowledged, and
 * which of them are not there; or why none of this can be tried. PostgreSQL panics when it cannot write its log, and ends,
 * because its recovery cannot either; then whoever supervises it starts it, as here.
 */
const fillLog = async (
  t: TestContext,
  times: number,
  own: Readonly<Record<string, string>> = {},
): Promise<{ acknowledged: number; lost: string[] } | { missing: string }> => {
  const disk = mountSmallDisk(logMegabytes)
  if ('missing' in disk) return disk
  const flags = ['--wal-segsize=1', `--waldir=${join(disk.folder, 'wal')}`]
  const postgres = await startKillablePostgres({ ...smallLog, ...own }, { flags })
  if ('missing' in postgres) return postgres
  const service = await openTestService('embedded', { DATABASE_URL: postgres.url })
  try {
    const shop = await openShop(service)
    const acknowledged: string[] = []
    let orders = 0
    const create = async (): Promise<number> => {
      const orderId = `${'o'.repeat(40)}-${++orders}`
      const answer = await shop.create(orderId, { amount: 1000 + orders })
      if (answer.status === 201) acknowledged.push(orderId)
      else {
        assert.deepEqual([answer.status, answer.body.code], [503, 'database_unavailable'], JSON.stringify(answer.body))
        assert.ok(Number(answer.headers.get('retry-after')) > 0)
      }
      return answer.status
    }
    const createMany = (): Promise<number[]> => Promise.all(Array.from({ length: 40 }, create))
    await repeat('R8 log', times, async () => {
      assert.equal(await create(), 201)
      const panicsBefore = countPanics(postgres.log())
      // A checkpoint may have made room.
      do disk.fill()
      while (!(await createMany()).includes(503))
      assert.ok(countPanics(postgres.log()) > panicsBefore, 'PostgreSQL did not panic')
      assert.equal((await send(service, '/readyz')).status, 503)
      assert.equal((await send(service, '/healthz')).status, 200)
      await createMany()

      disk.free()
      const freedAt = performance.now()
      while ((await create()) !== 201 || (await send(service, '/readyz')).status !== 200) {
        assert.ok(performance.now() - freedAt < 60_000, 'it does not recover')
        if (!postgres.isRunning()) await postgres.start()
        await sleep(20)
      }
      t.diagnostic(`serves again ${Math.round(performance.now() - freedAt)} ms after there is room`)
    })
    const lost: string[] = []
    for (const orderId of acknowledged) if ((await shop.status(orderId)) !== 'new') lost.push(orderId)
    await assertHealthy(service)
    return { acknowledged: acknowledged.length, lost }
  } finally {
    disk.free()
    await service.stop()
    await postgres[Symbol.asyncDispose]()
    disk.unmount()
  }
}

const countPanics = (log: string): number => log.split('PANIC:').length - 1

test('R8: a full disk under the write-ahead log ends PostgreSQL, and loses no payment', {
  skip: skipsControl(),
}, async (t) => {
  const result = await fillLog(t, countOf(1))
  if ('missing' in result) return t.skip(`NOT RUN: ${result.missing}`)
  t.diagnostic(`${result.acknowledged} payments, ${result.lost.length} lost`)
  assert.deepEqual(result.lost, [])
})

test('R8, control: where commits do not wait for the log, a full disk under it loses payments', {
  skip: skipsControl(),
}, async (t) => {
  const result = await fillLog(t, 1, { synchronous_commit: 'off', wal_writer_delay: '10s', wal_buffers: '8MB' })
  if ('missing' in result) return t.skip(`NOT RUN: ${result.missing}`)
  assert.ok(result.lost.length > 0, 'nothing was lost')
})
