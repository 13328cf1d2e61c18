// deploy/pgbouncer/pgbouncer.ini, run by pgbouncer between a service and PostgreSQL.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { startPooler, withoutPooler } from '../support/pooler.ts'
import { assertHealthy, openTestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'

const example = resolve(import.meta.dirname, '..', '..', 'deploy/pgbouncer/pgbouncer.ini')
const server = process.env['TEST_DATABASE_URL']
const skip = server ? (withoutPooler() ?? false) : 'no PostgreSQL on this machine'

/** What is about the machine that the example is for. */
const ofMachine = new Set(['listen_addr', 'listen_port', 'auth_type', 'auth_file', 'logfile', 'pidfile'])

test('the example for pgbouncer pools by transaction, and Payin works behind it', { skip }, async (t) => {
  const [, text = ''] = readFileSync(example, 'utf8')
    .replaceAll(/^;.*\n/gm, '')
    .split('[pgbouncer]\n')
  const settings = Object.entries(parseEnv(text)).filter(([name]) => !ofMachine.has(name)) as [string, string][]
  assert.ok(settings.some(([name, value]) => name === 'pool_mode' && value === 'transaction'))
  const database = await clonePostgres(server ?? '')
  const pooler = await startPooler(database.url, Object.fromEntries(settings))
  const service = await openTestService('embedded', { DATABASE_URL: pooler.url, DATABASE_LISTEN_URL: database.url })
  t.after(async () => {
    await service.stop()
    await pooler.stop()
    await database.drop()
  })
  const shop = await openShop(service)
  const created = await Promise.all(
    Array.from({ length: 40 }, (_, index) => shop.create(`order-${index}`, { amount: 1000 + index })),
  )
  assert.deepEqual([...new Set(created.map(({ status }) => status))], [201])
  await assertHealthy(service)
})
