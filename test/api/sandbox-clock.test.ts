// The clock of a sandbox merchant (docs/domain.md §10): everything of that merchant comes sooner, nothing of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../../src/engine/context.ts'
import { countOpenPayments } from '../../src/engine/payments/store.ts'
import { turnClock } from '../../src/engine/simulation/turn-clock.ts'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openReceiver } from '../support/receiver.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, send, type Shop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines(notified)

const post = (service: TestService, shop: Shop, path: string, body: unknown): Promise<Answer> =>
  send(service, `/api/v1/sandbox${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const turn = async (service: TestService, shop: Shop, forwardMs: number): Promise<Answer['body']> => {
  const { status, body } = await post(service, shop, '/clock', { forwardMs })
  assert.equal(status, 200, JSON.stringify(body))
  await service.runJobs()
  return body
}

const simulate = async (service: TestService, shop: Shop, orderId: string, body: unknown): Promise<void> => {
  assert.equal((await post(service, shop, `/payments/byOrderId/${orderId}/simulate`, body)).status, 202)
}

const openSandbox = (service: TestService): Promise<Shop> =>
  openShop(service, { mode: 'sandbox', perMethod: 8, terms: { lateWindowMs: day } })

const expiredAt = async (shop: Shop, orderId: string): Promise<number> => {
  const { payments } = (await shop.get('/payments?limit=100')).body
  return Date.parse(payments.find((each: { orderId: string }) => each.orderId === orderId).expiredAt)
}

onEngines('200: a payment expires, is paid late, and later no more, as if the time had come', async (service) => {
  const shop = await openSandbox(service)
  for (const orderId of ['late', 'too-late']) await shop.create(orderId)
  const before = await expiredAt(shop, 'late')
  assert.deepEqual(await turn(service, shop, 29 * minute), { payments: 2, disputes: 0, deliveries: 0 })
  assert.equal(await shop.status('late'), 'new')
  assert.equal(await expiredAt(shop, 'late'), before - 29 * minute)
  await turn(service, shop, minute)
  assert.equal(await shop.status('late'), 'expired')
  await turn(service, shop, 23 * hour)
  await simulate(service, shop, 'late', { event: 'paid' })
  await service.runJobs()
  assert.equal(await shop.status('late'), 'paid')
  await turn(service, shop, 2 * hour)
  await simulate(service, shop, 'too-late', { event: 'paid' })
  await service.runJobs()
  assert.equal(await shop.status('too-late'), 'expired')
})

onEngines('a turn moves a hundred payments at once, so that others need not wait for its end', async (service) => {
  const { context } = service
  const shop = await openSandbox(service)
  const orders = Array.from({ length: 201 }, (_, index) => shop.create(`many-${index}`, { amount: 1000 + index }))
  assert.ok((await Promise.all(orders)).every(({ status }) => status === 201))
  const running = { merchantId: shop.merchantId }
  const open: number[] = []
  const watching: Context = {
    ...context,
    transaction: async (work) => {
      const result = await context.transaction(work)
      open.push((await context.query(countOpenPayments, running))[0]?.open ?? 0)
      return result
    },
  }
  const { payments } = await turnClock(watching, shop.merchantId, hour)
  assert.equal(payments, 201)
  assert.deepEqual(open.slice(0, 3), [101, 1, 0])
})

onEngines('200: payments of other merchants, live and sandbox, do not move', async (service) => {
  const [shop, other, live] = [await openSandbox(service), await openSandbox(service), await openShop(service)]
  const shops = [other, live]
  const times: number[] = []
  let requisiteId = ''
  for (const each of shops) {
    requisiteId = (await each.create('order')).body.card.id
    times.push(await expiredAt(each, 'order'))
  }
  await shop.create('order')
  await turn(service, shop, 30 * day)
  assert.equal(await shop.status('order'), 'expired')
  for (const [index, each] of shops.entries()) {
    assert.equal(await each.status('order'), 'new')
    assert.equal(await expiredAt(each, 'order'), times[index])
  }
  // Their slots do not either: exact money finds them.
  await payIn(service, { requisiteId, minor: 5000_00n })
  assert.equal(await live.status('order'), 'paid')
})

onEngines('403: a live merchant is refused, and nothing moves', async (service) => {
  const live = await openShop(service)
  await live.create('order')
  const before = await expiredAt(live, 'order')
  assertProblem(await post(service, live, '/clock', { forwardMs: day }), 403, 'sandbox_only')
  await service.runJobs()
  assert.deepEqual([await live.status('order'), await expiredAt(live, 'order')], ['new', before])
})

test('200: money that was planned before the end of the time comes before it, and money after it late', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  for (const orderId of ['in-time', 'afterwards']) await shop.create(orderId)
  service.clock.advance(second)
  await simulate(service, shop, 'in-time', { event: 'paid', delayMs: 5 * minute })
  await simulate(service, shop, 'afterwards', { event: 'paid', delayMs: 2 * hour })
  await turn(service, shop, 3 * hour)
  const { body } = await shop.get('/payments?limit=10')
  const reasons = body.payments.map((each: { orderId: string; statusReason: string }) => [
    each.orderId,
    each.statusReason,
  ])
  assert.deepEqual(new Map(reasons), new Map([['in-time', 'exact'] as const, ['afterwards', 'late'] as const]))
})

test('200: a part of the money is credited when the time is over', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('part')
  await simulate(service, shop, 'part', { event: 'partial', amount: 4000 })
  await service.runJobs()
  assert.equal(await shop.status('part'), 'processing')
  await turn(service, shop, hour)
  assert.equal(await shop.status('part'), 'disput-paid')
})

test('200: the deadline of a dispute comes, with its reminders', async () => {
  const service = opened()
  const [shop, anna] = [await openSandbox(service), openOperator(service, 'anna')]
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'dispute-opened' })
  service.clock.advance(second)
  await service.runJobs()
  const before = (await shop.get('/payments/byOrderId/order/dispute')).body
  assert.equal((await turn(service, shop, 3 * day)).disputes, 1)
  const after = (await anna.get(`/disputes/${shop.merchantId}/${before.id}`)).body
  assert.equal(Date.parse(after.dueAt), service.clock.now)
  assert.ok(
    after.history.some(({ kind }: { kind: string }) => kind === 'reminded'),
    JSON.stringify(after.history),
  )
})

onEngines('200: a notification that failed is tried again, and its credit is reminded of', async (service) => {
  await using receiver = await openReceiver(500)
  const shop = await openSandbox(service)
  const endpoint = await addEndpoint(shop, { url: receiver.url })
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'paid' })
  await service.runJobs()
  assert.equal(receiver.calls.length, 1)
  await turn(service, shop, second)
  assert.equal(receiver.calls.length, 1)
  for (const forwardMs of [10 * second, 10 * minute, 2 * hour]) {
    const before = receiver.calls.length
    await turn(service, shop, forwardMs)
    assert.ok(receiver.calls.length > before, `after ${forwardMs} ms more`)
  }
  const types = (await deliveriesOf(shop, endpoint.id)).map(({ type }) => type)
  assert.deepEqual(types, ['payment.ack-overdue', 'payment.ack-overdue', 'payment.paid'])
})

for (const body of [{}, { forwardMs: 0 }, { forwardMs: -1 }, { forwardMs: 1.5 }, { forwardMs: 91 * day }, { to: 1 }]) {
  test(`400: refuses ${JSON.stringify(body)}`, async () => {
    const shop = await openSandbox(opened())
    assertProblem(await post(opened(), shop, '/clock', body), 400, 'validation_failed')
  })
}

test('403: a token without the scope turns nothing', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', scopes: ['payments:read', 'payments:write'] })
  assertProblem(await post(opened(), shop, '/clock', { forwardMs: 1 }), 403, 'scope_missing')
})

test('an operator turns the clock of a sandbox merchant, audited, and that of no live one', async () => {
  const service = opened()
  const [shop, live, anna] = [await openSandbox(service), await openShop(service), openOperator(service, 'anna')]
  const { body } = await shop.create('order')
  assert.equal((await anna.call('POST', `/merchants/${shop.merchantId}/clock`, { forwardMs: hour })).status, 200)
  const { actor, action, details } = await anna.lastAudit()
  assert.deepEqual([actor, action, details], ['operator:anna', 'merchant.turn-clock', { forwardMs: hour }])
  assert.equal(await shop.status('order'), 'expired')
  const path = `/payments/${shop.merchantId}/${body.payment.id}/simulate`
  const simulated = await anna.call('POST', path, { event: 'paid', amount: 5000 })
  assert.deepEqual([simulated.status, simulated.body.status], [202, 'expired'], JSON.stringify(simulated.body))
  assert.equal((await anna.lastAudit()).action, 'payment.simulate')
  await service.runJobs()
  assert.equal(await shop.status('order'), 'paid')

  const created = (await live.create('order')).body
  for (const [each, asked] of [
    [`/merchants/${live.merchantId}/clock`, { forwardMs: hour }],
    [`/payments/${live.merchantId}/${created.payment.id}/simulate`, { event: 'paid' }],
  ] as const) {
    assertProblem(await anna.call('POST', each, asked), 403, 'sandbox_only')
    assertProblem(await openOperator(service, 'vera').call('POST', each, asked), 403, 'role_missing')
  }
  assert.equal((await anna.lastAudit()).action, 'payment.simulate')
  await service.runJobs()
  assert.equal(await live.status('order'), 'new')
})
