import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { assertHealthy, type Engine, engines, openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { cloneEmbedded, clonePostgres } from '../support/templates.ts'
import { countOf, repeat } from '../support/torture.ts'

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
      for (let tries = 0; tries < 5; tries++) assert.ok([201, 503].includes((await create()).status))

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
