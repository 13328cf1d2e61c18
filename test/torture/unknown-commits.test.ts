// R4: the connection to the database is cut after a commit was sent and before its answer came. Nobody knows then whether
// it was done. A merchant and an operator who repeat their request get one payment and one transfer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { openOperator } from '../support/operator.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { runSql } from '../support/run-sql.ts'
import { assertHealthy, openTestService, type TestService } from '../support/service.ts'
import { type Answer, openShop, type Shop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'
import { countOf, openSightings, repeat, seedOf, type Sightings } from '../support/torture.ts'

const count = countOf(100)
const seed = seedOf()
const server = process.env['TEST_DATABASE_URL'] ?? ''
const atOnce = 10

type Play = {
  readonly service: TestService
  readonly shop: Shop
  readonly seen: Sightings
  readonly isRepeatable: boolean
}

/** Repeats what was not answered until it is, as whoever calls must; `make` may make each request a new one. */
const insist = async ({ seen }: Play, call: (tries: number) => Promise<Answer>): Promise<Answer> => {
  for (let tries = 0; ; tries++) {
    const answer = await call(tries)
    if (answer.status !== 503) return answer
    assert.ok(tries < 50 && answer.body.code === 'database_unavailable', JSON.stringify(answer.body))
    seen.note('unknown')
    await sleep(5)
  }
}

/** An order that is created, paid and acknowledged. Requests that cannot be repeated have another name at each try. */
const playOrder = async (play: Play, order: number): Promise<void> => {
  const { service, shop, seen, isRepeatable } = play
  const again = (tries: number): string => (isRepeatable ? '' : `-${tries}`)
  const amount = 1000 + order
  const created = await insist(play, (tries) => shop.create(`order-${order}${again(tries)}`, { amount }))
  assert.ok(created.status === 201 || created.status === 200, JSON.stringify(created.body))
  seen.note(created.status === 201 ? 'created' : 'created before')
  const operator = openOperator(service)
  const bookedAt = new Date(service.clock.now).toISOString()
  const { id: requisiteId } = created.body.card
  const transfer = { requisiteId, amount, currency: 'rub', bookedAt }
  const recorded = await insist(play, (tries) =>
    operator.call('POST', '/transfers', {
      transfers: [{ ...transfer, bankReference: `reference-${order}${again(tries)}` }],
    }),
  )
  assert.equal(recorded.status, 200, JSON.stringify(recorded.body))
  if (recorded.body.transfers[0].alreadyKnown) seen.note('recorded before')
  const { orderId } = created.body.payment
  const acknowledged = await insist(play, () => shop.post('/payments/byOrderId/ack', { orderId }))
  assert.equal(acknowledged.status, 200, JSON.stringify(acknowledged.body))
}

const losing =
  (random: Random, seen: Sightings) =>
  (sent: Buffer): boolean => {
    const isCommit = sent.includes('commit\0')
    // A creation is one query without a COMMIT: the service repeats it twice before its caller has to.
    const isLost = isCommit
      ? random(3) === 0
      : ['insert_payment\0', 'insert_payments\0'].some((name) => sent.includes(name)) && random(3) > 0
    if (isLost) seen.note('cut')
    return isLost
  }

/** Plays orders until that many commits were cut; gives how many, and the rows that they left. */
const run = async (cuts: number, isRepeatable: boolean) => {
  const postgres = await clonePostgres(server)
  const proxy = await openDatabaseProxy(postgres.url)
  const service = await openTestService('embedded', { DATABASE_URL: proxy.url })
  try {
    const shop = await openShop(service, { perMethod: 30 })
    const seen = openSightings()
    const play = { service, shop, seen, isRepeatable }
    let orders = 0
    proxy.loseAnswers(losing(randomFrom(seed), seen))
    const round = async (): Promise<void> => {
      if (seen.count('cut') >= cuts) return
      await Promise.all(Array.from({ length: atOnce }, () => playOrder(play, ++orders)))
    }
    await repeat('R4', cuts, round, () => `${seen.count('cut')} cuts`)
    proxy.loseAnswers(() => false)
    await assertHealthy(service)
    const direct = { context: { settings: { databaseUrl: postgres.url } } } as Parameters<typeof runSql>[0]
    const [rows] = await runSql<{ payments: number; transfers: number }>(
      direct,
      `select (select count(*)::int from payments) as payments, (select count(*)::int from transfers) as transfers`,
    )
    return { orders, seen, rows }
  } finally {
    await service.stop()
    await proxy.cut()
    await postgres.drop()
  }
}

const options = { skip: server === '' ? 'no PostgreSQL on this machine' : false }

test(`R4: ${count} commits without an answer lose nothing and make nothing twice`, options, async () => {
  const { orders, seen, rows } = await run(count, true)
  console.log(`R4 seed ${seed}: ${orders} orders; ${seen.text()}`)
  assert.deepEqual(rows, { payments: orders, transfers: orders }, `seed ${seed}`)
  seen.assertSeen('cut', 'unknown', 'created before', 'recorded before')
})

test('R4, control: requests that have a new name at each try make payments and transfers twice', options, async () => {
  const { orders, rows } = await run(30, false)
  assert.ok(rows && rows.payments > orders && rows.transfers > orders, JSON.stringify({ orders, rows }))
})
