// What is exported is there whole after an import, on either engine, and nothing is where it was damaged.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportDatabase } from '../../src/cli/database-copy/export-database.ts'
import { importDatabase } from '../../src/cli/database-copy/import-database.ts'
import { openForCopy } from '../../src/cli/database-copy/open-for-copy.ts'
import { openBank } from '../support/bank.ts'
import { openTestService, usualEngine } from '../support/service.ts'
import { camtOf } from '../support/statement-files.ts'

const onTable = (): void => undefined

test('an export of PostgreSQL goes into the embedded engine and back, row by row', {
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
  const base = { NODE_ENV: 'test', PAYIN_DEMO: 'off' }
  const open = (environment: Record<string, string>) => openForCopy({ variables: { ...base, ...environment }, folder })
  const now = service.clock.now

  const postgres = await open({ DATABASE_URL: service.context.settings.databaseUrl ?? '' })
  const exported = await exportDatabase(postgres.database, { folder: join(folder, 'a'), version: 'x', now, onTable })
  await assert.rejects(
    importDatabase(postgres.database, { ...postgres, folder: join(folder, 'a'), onTable }),
    /The database is not empty/,
  )
  await postgres.database.close()
  assert.ok(exported.tables.some(({ file, rows }) => file === 'tables/transfers.rows.gz' && rows !== '0'))

  const embedded = await open({ PAYIN_DATA_DIR: join(folder, 'data') })
  const importing = (name: string, others: object = {}) =>
    importDatabase(embedded.database, { ...embedded, ...others, folder: join(folder, name), onTable })
  const path = join(folder, 'a', 'tables', 'payments.rows.gz')
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, whole.length - 20))
  await assert.rejects(importing('a'), /tables\/payments.rows.gz is truncated or damaged/)
  writeFileSync(path, readFileSync(join(folder, 'a', 'tables', 'slots.rows.gz')))
  await assert.rejects(importing('a'), /tables\/payments.rows.gz is/)
  writeFileSync(path, whole)
  await assert.rejects(importing('a', { hasKey: () => false }), /sealed with the key k1/)
  await assert.rejects(importing('nothing'), /has no manifest.json/)
  await importing('a')
  const again = await exportDatabase(embedded.database, { folder: join(folder, 'b'), version: 'x', now, onTable })
  await embedded.database.close()
  assert.deepEqual(again.tables, exported.tables)
})
