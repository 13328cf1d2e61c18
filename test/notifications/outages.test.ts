// Receivers that go down and come back, on the virtual clock: nothing is lost, nothing is sent over and over.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { restartLanes } from '../../src/engine/notifications/deliveries/lanes/hold-lanes.ts'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { type Answer, assertInOrder, openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import type { TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { addEvents } from './add-events.ts'
import { passTime, runDeliveries, withSettings } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

const statusesOf = async (shop: Shop, id: string) => (await deliveriesOf(shop, id)).map(({ status }) => status)

/** Runs jobs only every `stepMs` of virtual time for `ms` of it: what is due sooner waits, as if the service were busy. */
const passInSteps = async (service: TestService, ms: number, stepMs: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += stepMs) {
    service.clock.advance(stepMs)
    await runDeliveries(service)
  }
}

const payOne = async (service: TestService, shop: Shop, orderId: string): Promise<void> => {
  const { body } = await shop.create(orderId)
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
}

/** Takes tests and fails whatever else comes, so that each test lets the endpoint work again for a moment. */
const takesTestsOnly: Answer = (call, response) =>
  void response.writeHead(call.type === 'endpoint.test' ? 204 : 500).end()

onPostgres(
  'a receiver that comes and goes uses up no tries: what waits is delivered when it stays',
  async (service) => {
    await using receiver = await openReceiver(takesTestsOnly)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 12 })
    const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
    // Enough that they do not all fail together, which would count once.
    const count = 10
    for (let index = 0; index < count; index++) await payOne(service, shop, `order-${index}`)
    await runDeliveries(service)
    await passTime(service, 10 * minute)
    for (let cycle = 0; cycle < 24; cycle++) {
      await shop.post(`/endpoints/${id}/test`, {})
      // The test is taken, what is brought forward fails, and the endpoint is down again.
      await passInSteps(service, 64 * minute, 16 * minute)
    }
    const waiting = (await deliveriesOf(shop, id, 'pending')).filter(({ type }) => type === 'payment.paid')
    assert.equal(waiting.length, count, 'nothing has failed for good')
    assert.deepEqual(await deliveriesOf(shop, id, 'failed'), [])
    for (const { attempts } of waiting) {
      assert.ok(attempts > 14, `${attempts} attempts: brought forward in each cycle, or the test shows nothing`)
      assert.ok(attempts < 60, `${attempts} attempts`)
    }
    receiver.answer = 204
    await shop.post(`/endpoints/${id}/test`, {})
    await passTime(service, hour + minute)
    assert.deepEqual(new Set(await statusesOf(shop, id)), new Set(['delivered']))
  },
)

onPostgres(
  'what fails whenever its endpoint works is tried a bounded number of times, and fails after the plan',
  async (shared) => {
    const service = withSettings(shared, { notificationsPerEndpoint: 2 })
    const poisoned = new Set<string>()
    await using receiver = await openReceiver((call, response) => {
      const isPoison = String(call.data.orderId).startsWith('poison')
      if (isPoison) poisoned.add(call.id)
      response.writeHead(isPoison ? 500 : 204).end()
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 12 })
    const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
    for (let index = 0; index < 8; index++) await payOne(service, shop, `poison-${index}`)
    await runDeliveries(service)
    // Each test makes the endpoint work again, and so brings forward what eight failures, most of them in a row, have held up.
    for (let sent = 0; sent < 100; sent++) {
      await shop.post(`/endpoints/${id}/test`, {})
      await passTime(service, 20 * second)
    }
    const tried = receiver.calls.filter((call) => poisoned.has(call.id)).length
    // In 33 minutes: 0 s, 5 s, 1 min, 5 min, 30 min as planned, and after 0, 1, 2, 4, 8 and 16 minutes early.
    assert.ok(tried <= 8 * 12, `${tried} calls`)
    const taken = receiver.calls.filter((call) => call.type === 'endpoint.test')
    assert.equal(new Set(taken.map((call) => call.id)).size, 100)
    await passTime(service, 112 * hour)
    assert.deepEqual(
      (await deliveriesOf(shop, id)).filter(({ type }) => type === 'payment.paid').map(({ status }) => status),
      Array.from({ length: 8 }, () => 'failed'),
    )
  },
)

onPostgres('what was redelivered begins its plan again, also in how soon it is tried early', async (service) => {
  await using receiver = await openReceiver(takesTestsOnly)
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 12 })
  const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
  await payOne(service, shop, 'order')
  await runDeliveries(service)
  // As if it had been tried early very often.
  await runSql(
    service,
    `insert into delivery_attempts (merchant_id, endpoint_id, position, attempt, at, status, error, latency_ms, excerpt)
      select merchant_id, endpoint_id, position, number, at, status, error, latency_ms, excerpt
      from delivery_attempts cross join generate_series(2, 30) as number where endpoint_id = '${id}';
    update deliveries set attempts = 30, step = 3, planned_at = due_at + interval '1 day' where endpoint_id = '${id}'`,
  )
  const [first] = await deliveriesOf(shop, id)
  assert.equal((await shop.post(`/endpoints/${id}/deliveries/${first?.eventId}/redeliver`, {})).status, 202)
  await runDeliveries(service)
  // Two further ones as planned, so that the endpoint is down, then one early.
  for (const ms of [6 * second, 70 * second]) {
    service.clock.advance(ms)
    await runDeliveries(service)
  }
  await shop.post(`/endpoints/${id}/test`, {})
  await passTime(service, 30 * second)
  const [row] = await runSql<{ attempts: number; step: number; wait: number }>(
    service,
    `select attempts, step, extract(epoch from not_before - failed_at)::integer as wait from deliveries
        join outbox using (merchant_id, position) where deliveries.endpoint_id = '${id}' and kind = 'payment.paid'`,
  )
  assert.deepEqual(row, { attempts: 34, step: 3, wait: 60 })
})

const waits: readonly (readonly [title: string, header: (now: number) => string])[] = [
  ['seconds', () => '7200'],
  ['an HTTP date', (now) => new Date(now + 2 * hour).toUTCString()],
]
for (const [title, header] of waits) {
  onEngines(`Retry-After as ${title} is honoured, also when the receiver comes back meanwhile`, async (service) => {
    let down = true
    await using receiver = await openReceiver((call, response) => {
      const isTaken = call.type === 'endpoint.test' || !down
      const asks = call.data.orderId === 'asks'
      // 500, as 503 would pause the whole endpoint.
      response.writeHead(isTaken ? 204 : 500, asks ? { 'retry-after': header(service.clock.now) } : {}).end()
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 8 })
    const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
    for (const orderId of ['asks', 'one', 'two', 'three']) await payOne(service, shop, orderId)
    const askedAt = service.clock.now
    await runDeliveries(service)
    await passTime(service, 10 * minute)
    down = false
    receiver.calls.length = 0
    await shop.post(`/endpoints/${id}/test`, {})
    await passTime(service, 2 * minute)
    const heard = () => receiver.calls.map(({ data }) => data.orderId).filter((orderId) => orderId !== undefined)
    assert.deepEqual(new Set(heard()), new Set(['one', 'two', 'three']))
    await passTime(service, 3 * hour, () => heard().includes('asks'))
    assert.ok(heard().includes('asks') && service.clock.now < askedAt + 3 * hour, 'never reported')
    assert.ok(service.clock.now >= askedAt + 2 * hour - second, 'sooner than asked')
  })
}

onEngines(
  'a success that was under way when the receiver asked for a pause does not end the pause',
  async (service) => {
    let answerSlow = (): void => undefined
    const slowCame = new Promise<void>((resolve) => (answerSlow = resolve))
    await using receiver = await openReceiver((call, response) => {
      if (call.data.orderId === 'slow') void slowCame.then(() => response.writeHead(204).end())
      else response.writeHead(503, { 'retry-after': '3600' }).end()
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 8 })
    const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
    for (const orderId of ['slow', 'asks']) await payOne(service, shop, orderId)
    const running = runDeliveries(service)
    // Once an attempt is written the pause that it asked for has begun.
    while ((await deliveriesOf(shop, id)).every(({ attempts }) => attempts === 0)) await sleep(5)
    answerSlow()
    await running
    assert.equal((await deliveriesOf(shop, id, 'delivered')).length, 1)
    receiver.answer = 204
    receiver.calls.length = 0
    await payOne(service, shop, 'later')
    await passTime(service, 4 * minute)
    assert.equal(receiver.calls.length, 0)
    await passTime(service, 46 * minute)
    assert.deepEqual(
      receiver.calls.map(({ data }) => data.orderId),
      ['later'],
      'the others wait no longer than five minutes',
    )
    await passTime(service, 20 * minute)
    assert.equal(receiver.calls.length, 2)
  },
)

onEngines('a test is sent at once also while the receiver has asked for a pause', async (service) => {
  await using receiver = await openReceiver((_call, response) => {
    response.writeHead(503, { 'retry-after': '86400' }).end()
  })
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 8 })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  await payOne(service, shop, 'asks')
  await runDeliveries(service)
  receiver.answer = 204
  receiver.calls.length = 0
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  assert.deepEqual(
    receiver.calls.map(({ type }) => type),
    ['endpoint.test'],
  )
  service.clock.advance(27 * hour)
  await runDeliveries(service)
  assert.equal((await deliveriesOf(shop, id, 'delivered')).length, 3)
})

onEngines(
  'a test, and one event sent again, are tried at once by an endpoint that is down with a long queue',
  async (service) => {
    await using receiver = await openReceiver(500)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    const [first] = await addEvents(service, shop.merchantId, 60)
    for (let passed = 0; passed < 15; passed++) {
      await runDeliveries(service)
      service.clock.advance(minute)
    }
    for (let asked = 0; asked < 3; asked++) {
      // In the middle of a pause.
      await runDeliveries(service)
      receiver.calls.length = 0
      const { eventId } = (await shop.post(`/endpoints/${id}/test`, {})).body
      await runDeliveries(service)
      assert.deepEqual(
        receiver.calls.map((call) => call.id),
        [eventId],
      )
      assert.equal((await shop.post(`/endpoints/${id}/deliveries/${first}/redeliver`, {})).status, 202)
      await runDeliveries(service)
      assert.deepEqual(
        receiver.calls.map((call) => call.id),
        [eventId, first],
      )
      service.clock.advance(second)
    }
  },
)

const fixes: readonly (readonly [title: string, changes: (url: string) => readonly object[]])[] = [
  ['a new address', (url) => [{ url }]],
  ['being disabled and enabled', (url) => [{ enabled: false, url }, { enabled: true }]],
]
for (const [title, changes] of fixes) {
  onEngines(`after ${title} what failed before is tried at once`, async (service) => {
    await using former = await openReceiver(500)
    await using present = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 8 })
    const { id } = await addEndpoint(shop, { url: former.url, kinds: ['payment.paid'] })
    for (const orderId of ['one', 'two', 'three', 'four']) await payOne(service, shop, orderId)
    await runDeliveries(service)
    await passInSteps(service, hour, 5 * minute)
    for (const change of changes(present.url)) await shop.patch(`/endpoints/${id}`, change)
    // As long as what failed waits for its next early try.
    await passTime(service, 2 * minute)
    assert.equal(present.calls.length, 4)
    assert.deepEqual(new Set(await statusesOf(shop, id)), new Set(['delivered']))
  })
}

onEngines(
  'several endpoints are down for 24 hours, one is not: each gets everything, each payment in its order',
  async (service) => {
    await using down = await openReceiver(503)
    await using up = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 20 })
    const ends = await Promise.all(
      ['a', 'b', 'c'].map((path) => addEndpoint(shop, { url: `${down.url}/${path}`, kinds: heardKinds })),
    )
    const healthy = await addEndpoint(shop, { url: up.url, kinds: heardKinds })
    const count = 16
    for (let index = 0; index < count; index++) {
      const { body } = await shop.create(`order-${index}`)
      await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
      await passInSteps(service, 10 * minute, 10 * minute)
      await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
      await passInSteps(service, 80 * minute, 20 * minute)
    }
    assert.deepEqual(new Set(await statusesOf(shop, healthy.id)), new Set(['delivered']))
    assert.equal(up.calls.length, count * 2)
    down.answer = 200
    down.calls.length = 0
    for (const { id } of ends) await shop.post(`/endpoints/${id}/test`, {})
    await passTime(service, 5 * minute)
    for (const [index, { id }] of ends.entries()) {
      assert.deepEqual(
        await statusesOf(shop, id),
        Array.from({ length: count * 2 + 1 }, () => 'delivered'),
      )
      const calls = down.calls.filter(({ path, type }) => path === `/${'abc'[index]}` && type !== 'endpoint.test')
      assert.equal(calls.length, count * 2, 'each once')
      assertInOrder(calls)
    }
    assertInOrder(up.calls)
  },
)

const heardKinds = ['payment.processing', 'payment.paid'] as const

onEngines(
  'what failed or was queued by a clock that was a day ahead is delivered once it is right',
  async (service) => {
    await using receiver = await openReceiver(503)
    const { clock, context } = service
    for (const failing of [1, 6]) {
      receiver.answer = 503
      const shop = await openShop(service, { mode: 'sandbox', perMethod: 12 })
      const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
      const right = clock.now
      clock.now += day
      for (let index = 0; index < failing; index++) await payOne(service, shop, `ahead-${index}`)
      // An endpoint that is down gets one at a time, so that some are never tried.
      await runDeliveries(service)
      receiver.answer = 204
      clock.now = right + 10 * minute
      await payOne(service, shop, 'after')
      await runDeliveries(service)
      await restartLanes(context)
      await runDeliveries(service)
      assert.deepEqual(
        await statusesOf(shop, id),
        Array.from({ length: failing + 1 }, () => 'delivered'),
      )
    }
  },
)
