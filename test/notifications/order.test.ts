// Order, the feed, outages and what the sandbox plays.
import assert from 'node:assert/strict'
import { hour, minute, second } from '../../src/rules/time.ts'
import { notificationKind } from '../../src/rules/notices/notification.ts'
import { enqueueNotifications } from '../../src/engine/notifications/enqueue-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { assertInOrder, openReceiver } from '../support/receiver.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { passTime, runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

const payInParts = async (service: TestService, shop: Shop, orderId: string, pauseMs: number): Promise<void> => {
  const { body } = await shop.create(orderId)
  await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
  service.clock.advance(pauseMs)
  await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
}

onEngines(
  'a receiver that is down for 24 hours then gets everything, each payment in its order, within minutes',
  async (service) => {
    await using receiver = await openReceiver(503)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 14 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    const count = 12
    for (let index = 0; index < count; index++) {
      await payInParts(service, shop, `order-${index}`, second)
      for (let passed = 0; passed < 2 * hour; passed += 20 * minute) {
        service.clock.advance(20 * minute)
        await runDeliveries(service)
      }
    }
    const duringOutage = receiver.calls.length
    assert.ok(duringOutage >= 2 && duringOutage <= 24 * 3 * 3, `${duringOutage} calls to a receiver that is down`)
    receiver.answer = 200
    receiver.calls.length = 0
    // The next change is the next try; one that nobody changes waits as planned.
    await payInParts(service, shop, 'afterwards', second)
    await passTime(service, 5 * minute)
    const deliveries = await deliveriesOf(shop, id)
    assert.deepEqual(
      deliveries.filter(({ status }) => status !== 'delivered'),
      [],
    )
    const paid = receiver.calls.filter(({ type }) => type === notificationKind('paid'))
    assert.equal(new Set(paid.map(({ data }) => data.orderId)).size, count + 1)
    assert.equal(new Set(receiver.calls.map(({ id: event }) => event)).size, receiver.calls.length)
    assertInOrder(receiver.calls.filter(({ type }) => type !== 'payment.ack-overdue'))
  },
)

onEngines('the feed has every event once, without gaps, whatever page it is read by', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 8 })
  const other = await openShop(service, { mode: 'sandbox' })
  for (let index = 0; index < 7; index++) await payInParts(service, shop, `order-${index}`, second)
  await payInParts(service, other, 'foreign', second)
  await runDeliveries(service)
  const whole = (await shop.get('/events?limit=500')).body
  assert.equal(whole.events.length, 14)
  assert.equal(whole.cursor, '14')
  for (const limit of [1, 3, 14]) {
    const read: unknown[] = []
    for (let cursor = '0'; ; ) {
      const { body } = await shop.get(`/events?after=${cursor}&limit=${limit}`)
      if (body.events.length === 0) {
        assert.equal(body.cursor, cursor)
        break
      }
      read.push(...body.events)
      cursor = body.cursor
    }
    assert.deepEqual(read, whole.events)
  }
  assert.equal((await other.get('/events')).body.events.length, 2)
  assert.equal((await shop.get('/events?after=nonsense')).status, 400)
  const ahead = await shop.get('/events?after=15')
  assertProblem(ahead, 400, 'validation_failed', ['after'])
  assert.match(ahead.body.detail, /^after .*this feed/)
  assertProblem(await other.get(`/events?after=${whole.cursor}`), 400, 'validation_failed', ['after'])
  const fresh = await openShop(service, { perMethod: 0 })
  assert.deepEqual((await fresh.get('/events?after=0')).body, { events: [], cursor: '0' })
  assertProblem(await fresh.get('/events?after=1'), 400, 'validation_failed', ['after'])
})

onPostgres(
  'transactions that commit in another order than they began leave no gap in what a reader has seen',
  async (service) => {
    const shop = await openShop(service, { perMethod: 0 })
    const { context } = service
    const event = (name: string, at: number) => ({
      merchantId: shop.merchantId,
      paymentId: null,
      sequence: null,
      endpointId: null,
      kind: 'endpoint.test',
      body: JSON.stringify({ type: 'endpoint.test', timestamp: new Date(at).toISOString(), data: { name } }),
      at,
    })
    const seen: string[] = []
    let cursor = '0'
    const read = async (): Promise<void> => {
      await queueDeliveries(context)
      const { body } = await shop.get(`/events?after=${cursor}&limit=500`)
      for (const { data } of body.events) seen.push(data.name)
      cursor = body.cursor
    }
    const writers = Array.from({ length: 6 }, (_, writer) => async (): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        await context.transaction(async (tx) => {
          // An early id and time, committed late, while others pass.
          enqueueNotifications(tx, [event(`${writer}/${round}`, service.clock.now - writer)])
          await new Promise((done) => setTimeout(done, ((writer * 7 + round * 13) % 10) * 3))
        })
      }
    })
    let writing = true
    const reader = (async () => {
      while (writing) await read()
    })()
    await Promise.all(writers.map((write) => write()))
    writing = false
    await reader
    await read()
    assert.equal(seen.length, 90)
    assert.equal(new Set(seen).size, 90)
    assert.equal(cursor, '90')
    const again = (await shop.get('/events?limit=500')).body.events
    assert.deepEqual(
      again.map(({ data }: { data: { name: string } }) => data.name),
      seen,
    )
  },
)

onEngines('sandbox: .08 is sent twice and out of order, .09 after two tries that fail', async (service) => {
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox' })
  const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.processing', 'payment.paid'] })
  await shop.create('twice', { amount: 5000.08 })
  await shop.create('fails', { amount: 5000.09 })
  await passTime(service, 100 * second)
  const of = (orderId: string) =>
    receiver.calls.filter(({ data }) => data.orderId === orderId).map(({ type, id: event }) => [type, event] as const)
  const twice = of('twice')
  assert.deepEqual(
    twice.map(([type]) => type),
    ['payment.paid', 'payment.paid', 'payment.processing', 'payment.processing'],
  )
  assert.equal(new Set(twice.map(([, event]) => event)).size, 2)
  const fails = of('fails')
  assert.equal(fails.length, 1)
  const { log } = (await shop.get(`/endpoints/${id}/deliveries/${fails[0]?.[1]}`)).body
  assert.deepEqual(
    log.map((attempt: { error?: string; status?: number }) => attempt.error ?? attempt.status),
    ['simulated', 'simulated', 204],
  )
  assert.equal((await shop.get(`/endpoints/${id}`)).body.failingSince, undefined)
})

onEngines(
  'what nobody acknowledges is reminded of after 5 minutes, 1 hour and 24 hours, until it is acknowledged',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox' })
    await addEndpoint(shop, { url: receiver.url, kinds: ['payment.ack-overdue'] })
    const { body } = await shop.create('forgotten')
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    const acked = await shop.create('acked', { amount: 5100 })
    await payIn(service, { requisiteId: acked.body.card.id, minor: 5100_00n })
    const paidAt = service.clock.now
    await runDeliveries(service)
    const reminded: number[] = []
    for (let passed = 0; passed < 30 * hour; ) {
      const step = passed > 2 * hour && passed < 23 * hour ? hour : passed < 10 * minute ? minute : 10 * minute
      service.clock.advance(step)
      passed += step
      const before = receiver.calls.length
      await runDeliveries(service)
      if (passed === 10 * minute) await shop.post('/payments/byOrderId/ack', { orderId: 'acked' })
      for (const call of receiver.calls.slice(before)) {
        assert.equal(call.type, 'payment.ack-overdue')
        if (call.data.orderId === 'forgotten') reminded.push(service.clock.now - paidAt)
        else assert.equal(service.clock.now - paidAt, 5 * minute)
      }
    }
    assert.equal(reminded.length, 3)
    assert.deepEqual(reminded.slice(0, 2), [5 * minute, hour])
    assert.ok((reminded[2] ?? 0) >= 24 * hour && (reminded[2] ?? 0) < 25 * hour)
    assert.equal(receiver.calls.length, 4)
    const [last] = receiver.calls.slice(-1)
    assert.equal(last?.data.status, 'paid')
    assert.equal(last?.data.creditedAt, new Date(paidAt).toISOString())
  },
)

onEngines(
  'sandbox: only the first two tries of .09 are played; a notification waits for the one before as for any other',
  async (service) => {
    const taken: string[] = []
    await using receiver = await openReceiver((call, response) => {
      const isTaken = call.type !== 'payment.processing' || service.clock.now > workingFrom
      if (isTaken) taken.push(call.type)
      response.writeHead(isTaken ? 204 : 500).end()
    })
    const workingFrom = service.clock.now + 4 * minute
    const shop = await openShop(service, { mode: 'sandbox' })
    await addEndpoint(shop, { url: receiver.url, kinds: ['payment.processing', 'payment.paid'] })
    const { body } = await shop.create('parts', { amount: 5000.09 })
    await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
    await runDeliveries(service)
    await payIn(service, { requisiteId: body.card.id, minor: 2000_09n })
    await runDeliveries(service)
    await passTime(service, 12 * minute)
    assert.deepEqual(taken, ['payment.processing', 'payment.paid'])
  },
)
