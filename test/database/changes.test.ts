import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChanges } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { createEmptyPostgres } from '../support/templates.ts'

const server = process.env['TEST_DATABASE_URL'] ?? ''
const skip = server === '' ? 'no PostgreSQL on this machine' : false

test('another node hears of every change, of thousands at once as well; everybody once', { skip }, async () => {
  const postgres = await createEmptyPostgres(server)
  const open = () =>
    openDatabase({
      url: postgres.url,
      dataDir: '',
      poolSize: 2,
      preparedStatements: true,
      queryTimeoutMs: 10_000,
    })
  const [here, there] = await Promise.all([open(), open()])
  try {
    const [own, other] = await Promise.all([openChanges(here, 'here'), openChanges(there, 'there')])
    // Longer together than one notification may be.
    const keys = Array.from({ length: 1000 }, (_, index) => `merchant-${index} payment-${'0'.repeat(36)}`)
    const heard = new Set<string>()
    for (const key of keys) other.subscribe(key, () => heard.add(key))
    const calls = { here: 0, there: 0 }
    own.subscribe(keys[0] ?? '', () => calls.here++)
    other.subscribe(keys[0] ?? '', () => calls.there++)
    own.publish(keys.slice(0, 1))
    own.publish(keys.slice(1))
    for (let waited = 0; heard.size < keys.length && waited < 10_000; waited += 20) await sleep(20)
    assert.equal(heard.size, keys.length)
    // Notifications come in the order of their sending: after this one no echo is under way.
    const last = new Promise<void>((resolve) => void own.subscribe('last', resolve))
    other.publish(['last'])
    await last
    assert.deepEqual(calls, { here: 1, there: 1 })
  } finally {
    await Promise.all([here.close(), there.close()])
    await postgres.drop()
  }
})
