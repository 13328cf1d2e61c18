// A file of its own, because its limit is so short that other queries on a busy machine could reach it.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { bigint, NotDone, query } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { engines } from '../support/service.ts'
import { createEmptyEmbedded } from '../support/templates.ts'

const server = process.env['TEST_DATABASE_URL']
const queryTimeoutMs = 2000

const quick = query('test_quick', { row: { n: bigint }, text: `select 1 as n` })
const endless = query('test_endless', {
  row: { n: bigint },
  text: `select count(*) as n from (select pg_sleep(1000)) as slept`,
})
const slow = (planned: 'once' | 'whole') =>
  query(`test_slow_${planned}`, {
    planned,
    row: { n: bigint },
    text: `select count(*) as n from generate_series(1, 3) as n, lateral (select pg_sleep(1 + 0 * n)) as slept`,
  })

const isUnavailable = (error: unknown): boolean => error instanceof NotDone && error.code === 'database_unavailable'

for (const engine of engines) {
  const skip = engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false
  test(`a query that runs too long is refused as database_unavailable, and the next one works [${engine}]`, {
    skip,
  }, async (t) => {
    const url = engine === 'postgres' ? server : undefined
    const dataDir = url === undefined ? await createEmptyEmbedded() : ''
    const database = await openDatabase({ url, dataDir, poolSize: 4, preparedStatements: true, queryTimeoutMs })
    t.after(async () => {
      await database.close()
      if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true })
    })
    await assert.rejects(database.query(endless, {}), isUnavailable)
    assert.deepEqual(await database.query(quick, {}), [{ n: 1n }])
    await assert.rejects(
      database.transaction((tx) => tx.query(endless, {})),
      isUnavailable,
    )
    assert.deepEqual(await database.query(quick, {}), [{ n: 1n }])

    await t.test('what reads whole tables may take longer, and others then have their limit again', async () => {
      assert.deepEqual(await database.query(slow('whole'), {}), [{ n: 3n }])
      await assert.rejects(database.query(slow('once'), {}), isUnavailable)
    })
  })
}
