// R6: the networks between the service and its database, and between the service and a receiver, are slow, cut and silent.
// Nothing is lost, nothing is made twice, and every notification arrives, each payment's in its order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { hour } from '../../src/rules/time.ts'
import { anyFault, type FaultyNetwork, openFaultyNetwork } from '../support/faulty-network.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { randomFrom } from '../support/random.ts'
import { assertInOrder, openReceiver, type Receiver } from '../support/receiver.ts'
import { assertHealthy, openTestService, type TestService } from '../support/service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'
import { countOf, openSightings, repeat, seedOf, type Sightings } from '../support/torture.ts'

const count = countOf(4)
const seed = seedOf()
const server = process.env['TEST_DATABASE_URL'] ?? ''
const skip = server === '' ? 'no PostgreSQL on this machine' : false
const ordersPerRound = 6

const insist = async <T>(seen: Sightings, work: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> => {
  for (let tries = 0; ; tries++) {
    const result = await work().catch((error: Error) => error)
    if (!(result instanceof Error) && isDone(result)) return result
    assert.ok(tries < 100, result instanceof Error ? result.message : JSON.stringify(result))
    seen.note('tried again')
    await sleep(50)
  }
}

const isAnswered = ({ status, body, headers }: Answer): boolean => {
  if (status !== 503) return true
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, JSON.stringify(body))
  return false
}

const playOrder = async (service: TestService, shop: Shop, seen: Sightings, order: number): Promise<void> => {
  const orderId = `order-${order}`
  const created = await insist(seen, () => shop.create(orderId, { amount: 1000 + order }), isAnswered)
  assert.ok(created.status < 300, JSON.stringify(created.body))
  const transfer = { requisiteId: created.body.card.id, minor: BigInt(1000 + order) * 100n, reference: orderId }
  await insist(
    seen,
    () => payIn(service, transfer),
    () => true,
  )
  const acknowledged = await insist(seen, () => shop.post('/payments/byOrderId/ack', { orderId }), isAnswered)
  assert.equal(acknowledged.status, 200, JSON.stringify(acknowledged.body))
  seen.note('acknowledged')
}

/** Lets time pass until everything is delivered. */
const deliverAll = async (service: TestService): Promise<void> => {
  for (let hours = 0; hours < 8; hours++) {
    service.clock.advance(hour)
    await service.runJobs()
  }
}

type Play = {
  readonly service: TestService
  readonly shop: Shop
  readonly receiver: Receiver
  readonly networks: readonly [database: FaultyNetwork, receiver: FaultyNetwork]
}

const withNetworks = async (run: (play: Play) => Promise<void>): Promise<void> => {
  const random = randomFrom(seed)
  const database = await clonePostgres(server)
  const { host, port, user, password, database: name } = new pg.Client({ connectionString: database.url })
  const receiver = await openReceiver()
  const toDatabase = await openFaultyNetwork(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    random,
  )
  const toReceiver = await openFaultyNetwork({ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }, random)
  const secretOf = password ? `:${encodeURIComponent(password)}` : ''
  const service = await openTestService('embedded', {
    ...notified,
    DATABASE_URL: `postgresql://${encodeURIComponent(user ?? '')}${secretOf}@127.0.0.1:${toDatabase.port}/${name}`,
    PAYIN_QUERY_TIMEOUT_MS: '1000',
  })
  try {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 30 })
    await addEndpoint(shop, { url: `http://127.0.0.1:${toReceiver.port}/` })
    await run({ service, shop, receiver, networks: [toDatabase, toReceiver] })
  } finally {
    await service.stop()
    await Promise.all([toDatabase.close(), toReceiver.close()])
    await receiver[Symbol.asyncDispose]()
    await database.drop()
  }
}

const eventsOf = async (shop: Shop): Promise<string[]> => {
  const ids: string[] = []
  for (let after = '0'; ; ) {
    const { events, cursor } = (await shop.get(`/events?limit=500&after=${after}`)).body
    if (events.length === 0) return ids
    ids.push(...events.map((each: { id: string }) => each.id))
    after = cursor
  }
}

test(`R6: ${count} rounds of faulty networks lose nothing and make nothing twice`, { skip }, async () => {
  await withNetworks(async ({ service, shop, receiver, networks }) => {
    const seen = openSightings()
    const random = randomFrom(seed)
    let orders = 0
    const round = async (): Promise<void> => {
      const faults = networks.map((network) => {
        const fault = anyFault(random)
        network.set(fault)
        return fault
      })
      for (const fault of faults) seen.note(fault)
      const heal = sleep(300 + random(700)).then(() => networks[0].set('none'))
      const playing = Array.from({ length: ordersPerRound }, () => playOrder(service, shop, seen, ++orders))
      await Promise.all(playing)
      await heal
      // The receiver's network is still faulty.
      service.clock.advance(6000)
      await service.runJobs()
      networks[1].set('none')
    }
    const played = await repeat('R6', count, round, () => seen.text())
    await deliverAll(service)
    const events = await eventsOf(shop)
    const arrived = new Set(receiver.calls.map((call) => call.id))
    assertInOrder(receiver.calls)
    assert.deepEqual(
      events.filter((id) => !arrived.has(id)),
      [],
      `seed ${seed}`,
    )
    assert.equal((await shop.get('/payments?limit=100')).body.payments.length, Math.min(100, orders))
    console.log(
      `R6 seed ${seed}: ${played} rounds, ${orders} orders, ${events.length} events, ${receiver.calls.length} calls; ${seen.text()}`,
    )
    seen.assertSeen('acknowledged', 'tried again')
    assert.ok(receiver.calls.length >= events.length)
    await assertHealthy(service)
  })
})

test('R6, control: what is sent only once while the receiver is out of reach does not arrive', { skip }, async () => {
  await withNetworks(async ({ service, shop, receiver, networks }) => {
    networks[1].set('silence')
    await playOrder(service, shop, openSightings(), 1)
    await service.runJobs()
    networks[1].set('none')
    // No time passes: nothing is sent again.
    await service.runJobs()
    const arrived = new Set(receiver.calls.map((call) => call.id))
    assert.ok((await eventsOf(shop)).some((id) => !arrived.has(id)))
  })
})
