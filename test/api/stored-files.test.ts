// Files of disputes that are kept outside of the database: in a folder, or in S3-compatible storage.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { removeStrayFiles } from '../../src/engine/disputes/remove-stray-files.ts'
import { day } from '../../src/rules/time.ts'
import { type Court, openCourt, pngFile } from '../support/disputes.ts'
import { openObjectStore, storeKeys } from '../support/object-store.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { assertProblem } from '../support/problem.ts'

const openDispute = async (court: Court, orderId: string): Promise<string> => {
  await court.create(orderId)
  await court.expire()
  return `/disputes/${court.shop.merchantId}/${(await court.claim(orderId)).body.id}`
}

const evidenceOf = async (court: Court, path: string): Promise<string[]> =>
  (await court.anna.get(path)).body.evidence.map(({ id }: { id: string }) => id)

const contentOf = async (court: Court, path: string, id = ''): Promise<string> =>
  (await court.anna.get(`${path}/evidence/${id}`)).body

const withFolder = async (run: (service: TestService, folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-files-'))
  const service = await openTestService(usualEngine(), { PAYIN_FILE_STORAGE: pathToFileURL(folder).href })
  try {
    await run(service, folder)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

test('in a folder, files are encrypted, checked when they are read, and removed when no row names them', () =>
  withFolder(async (service, folder) => {
    const court = await openCourt(service)
    const path = await openDispute(court, 'order')
    assert.equal((await court.upload('order', Buffer.from('%PDF-1.7 secret'))).status, 200)
    const stored = join(folder, 'dispute_evidence')
    const [id = ''] = readdirSync(stored)
    assert.deepEqual(await evidenceOf(court, path), [id])
    assert.equal(await contentOf(court, path, id), '%PDF-1.7 secret')
    const content = readFileSync(join(stored, id))
    assert.ok(!content.includes('secret'))

    // The same file again is stored and not used; so is one whose process ends before its row is written.
    assert.equal((await court.upload('order', Buffer.from('%PDF-1.7 secret'))).body.evidence.length, 1)
    writeFileSync(join(stored, `${service.context.newId()}.new`), 'half')
    assert.equal(readdirSync(stored).length, 3)
    assert.equal(await removeStrayFiles(service.context), 0)
    service.clock.advance(2 * day)
    assert.equal(await removeStrayFiles(service.context), 2)
    assert.deepEqual(readdirSync(stored), [id])

    content.writeUInt8(content.readUInt8(20) ^ 1, 20)
    writeFileSync(join(stored, id), content)
    assertProblem(await court.anna.get(`${path}/evidence/${id}`), 500, 'internal_error')
    rmSync(join(stored, id))
    assertProblem(await court.anna.get(`${path}/evidence/${id}`), 500, 'internal_error')
    await assertHealthy(service)
  }))

test('in S3-compatible storage, files of before stay; what is out of reach is refused, not lost', async () => {
  const store = await openObjectStore()
  const engine = usualEngine()
  const environment: Record<string, string> = {}
  const service = await openTestService(engine, environment)
  try {
    const court = await openCourt(service)
    const path = await openDispute(court, 'order')
    for (const mark of ['a', 'b', 'c', 'd', 'e']) await court.upload('order', pngFile(mark))
    const contents = (ids: readonly string[]) => Promise.all(ids.map((id) => contentOf(court, path, id)))
    const ids = await evidenceOf(court, path)
    const before = await contents(ids)

    const { region, keyId, secret } = storeKeys
    environment['PAYIN_FILE_STORAGE'] = store.address
    environment['PAYIN_FILE_STORAGE_REGION'] = region
    environment['PAYIN_FILE_STORAGE_KEY_ID'] = keyId
    environment['PAYIN_FILE_STORAGE_SECRET'] = secret
    await service.restart()
    assert.deepEqual(await contents(ids), before)
    assert.equal((await court.upload('order', pngFile('a'))).body.evidence.length, 5, 'a file of before is recognised')
    store.setDown(true)
    assertProblem(await court.upload('order', pngFile('f')), 503, 'database_unavailable')
    store.setDown(false)
    assert.equal((await court.upload('order', pngFile('f'))).status, 200)
    const id = (await evidenceOf(court, path)).find((each) => !ids.includes(each)) ?? ''
    assert.ok(store.objects.has(`payin/dispute_evidence/${id}`))
    assert.deepEqual(await contents([id]), [pngFile('f').toString()])
    assert.equal((await court.upload('order', pngFile('f'))).body.evidence.length, 6, 'a stored file is recognised')
    store.setDown(true)
    assertProblem(await court.anna.get(`${path}/evidence/${id}`), 503, 'database_unavailable')
    store.setDown(false)
    service.clock.advance(2 * day)
    assert.equal(await removeStrayFiles(service.context), 2)
    assert.equal(store.objects.size, 1)
    assert.equal(store.refused(), 0)
  } finally {
    await service.stop()
    await store.close()
  }
})
