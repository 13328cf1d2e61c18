// R8: every connection of the pool waits for a lock that somebody else holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'
import { countOf, repeat } from '../support/torture.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

/** Creates more payments than the pool has connections while their table is locked, until the answers are there or it is too late. */
const createLocked = async (queryTimeoutMs: string, withinMs: number, rounds: number) => {
  const environment = { PAYIN_DATABASE_POOL: '2', PAYIN_QUERY_TIMEOUT_MS: queryTimeoutMs }
  const service = await openTestService('postgres', environment)
  const holder = new pg.Client({ connectionString: service.context.settings.databaseUrl })
  await holder.connect()
  try {
    const shop = await openShop(service)
    let orders = 0
    let slowestMs = 0
    await repeat('R8', rounds, async () => {
      await holder.query('begin; lock table payments in access exclusive mode')
      const startedAt = performance.now()
      const asked = Array.from({ length: 20 }, () => shop.create(`order-${++orders}`, { amount: 1000 + orders }))
      const inTime = setTimeout(() => void holder.query('commit'), withinMs)
      const answers = await Promise.all(asked)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      assert.equal((await send(service, '/healthz')).status, 200)
      clearTimeout(inTime)
      await holder.query('commit')
      if (slowestMs < withinMs) for (const answer of answers) assertProblem(answer, 503, 'database_unavailable')
      assert.equal((await shop.create(`order-${++orders}`, { amount: 1000 + orders })).status, 201)
    })
    await assertHealthy(service)
    return slowestMs
  } finally {
    await holder.end()
    await service.stop()
  }
}

test('a pool whose connections all wait refuses with 503 in time, and serves again unaided', { skip }, async () => {
  assert.ok((await createLocked('1000', 15_000, countOf(1))) < 15_000)
})

test('control: without a limit on the time of a query nobody is refused before the lock is gone', {
  skip,
}, async () => {
  assert.ok((await createLocked('60000', 3000, 1)) >= 3000)
})
