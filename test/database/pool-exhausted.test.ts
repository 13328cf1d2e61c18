// R8: every connection of the pool waits for a lock that somebody else holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'
import { countOf, repeat } from '../support/torture.ts'
import { goesOn } from '../support/waiting.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

/**
 * Creates more payments than the pool has connections while their table is locked, for `lockedMs` or until all are
 * answered; gives the number of rounds, and of those in which all were answered while it was locked.
 */
const createLocked = async (queryTimeoutMs: string, lockedMs: number, rounds: number) => {
  const environment = { PAYIN_DATABASE_POOL: '2', PAYIN_QUERY_TIMEOUT_MS: queryTimeoutMs }
  const service = await openTestService('postgres', environment)
  const holder = new pg.Client({ connectionString: service.context.settings.databaseUrl })
  await holder.connect()
  try {
    const shop = await openShop(service)
    let orders = 0
    let refusedInTime = 0
    const played = await repeat('R8', rounds, async () => {
      await holder.query('begin; lock table payments in access exclusive mode')
      const asked = Array.from({ length: 20 }, () => shop.create(`order-${++orders}`, { amount: 1000 + orders }))
      const answering = Promise.all(asked)
      const isLate = await goesOn(answering, lockedMs)
      assert.equal((await send(service, '/healthz')).status, 200)
      await holder.query('commit')
      const answers = await answering
      if (!isLate) {
        refusedInTime++
        for (const answer of answers) assertProblem(answer, 503, 'database_unavailable')
      }
      assert.equal((await shop.create(`order-${++orders}`, { amount: 1000 + orders })).status, 201)
    })
    await assertHealthy(service)
    return { played, refusedInTime }
  } finally {
    await holder.end()
    await service.stop()
  }
}

test('a pool whose connections all wait refuses with 503 in time, and serves again unaided', { skip }, async () => {
  const { played, refusedInTime } = await createLocked('1000', 30_000, countOf(1))
  assert.equal(refusedInTime, played)
})

test('control: without a limit on the time of a query nobody is refused before the lock is gone', {
  skip,
}, async () => {
  assert.equal((await createLocked('60000', 3000, 1)).refusedInTime, 0)
})
