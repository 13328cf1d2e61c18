// A copied database is there whole, on either engine, or not at all.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyDatabase, openForCopy } from '../../src/cli/copy-database.ts'
import { openBank } from '../support/bank.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { openTestService, usualEngine } from '../support/service.ts'
import { camtOf } from '../support/statement-files.ts'

test('PostgreSQL is copied into the embedded engine and back, row by row, and only into an empty database', {
  skip: usualEngine() === 'postgres' ? false : 'no PostgreSQL on this machine',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-copy-'))
  const service = await openTestService('postgres')
  t.after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const bank = await openBank(service)
  await bank.bring(camtOf, [{ minor: 12_300n, text: 'with "quotes", \\ and\nlines, кириллица' }])
  // Their table has a column that the database computes.
  const phone = await openPhone(service, [bank.requisiteId])
  await phone.sms(creditOf(service, 5000, 5000))
  const open = (environment: Record<string, string>) =>
    openForCopy({ NODE_ENV: 'test', PAYIN_DEMO: 'off', ...environment }, folder)
  const postgres = await open({ DATABASE_URL: service.context.settings.databaseUrl ?? '' })
  const embedded = await open({ PAYIN_DATA_DIR: join(folder, 'data') })
  const back = await open({
    DATABASE_URL: service.context.settings.databaseUrl ?? '',
    PAYIN_DATABASE_SCHEMA: 'copied_back',
  })
  t.after(() => Promise.all([postgres, embedded, back].map(({ database }) => database.close())))
  const copied: Record<string, string> = {}
  const note = (table: string, rows: string): void => void (copied[table] = rows)

  const encryptionKeys = [{ id: 'k1', key: Buffer.alloc(32, 7) }]
  const settings = { ...embedded.settings, encryptionKeys }
  await assert.rejects(copyDatabase(postgres.database, { ...embedded, settings }, note), /sealed with the key k1/)
  const breakOff = (table: string): void => {
    if (table === 'transfers') throw new Error('broken off')
  }
  await assert.rejects(copyDatabase(postgres.database, embedded, breakOff), /broken off/)
  await copyDatabase(postgres.database, embedded, note)
  assert.notEqual(copied['transfers'], '0')
  assert.equal(copied['phone_messages'], '1')
  await assert.rejects(copyDatabase(postgres.database, embedded, note), /The database is not empty/)
  await assert.rejects(copyDatabase(embedded.database, postgres, note), /The database is not empty/)
  const there = { ...copied }
  await copyDatabase(embedded.database, back, note)
  assert.deepEqual(copied, there)
})
