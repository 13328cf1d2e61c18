import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

const acknowledge = (shop: Shop, orderId: string, fields: Record<string, unknown> = {}): Promise<Answer> =>
  shop.post('/payments/byOrderId/ack', { orderId, ...fields })

const createPaid = async (service: TestService, shop: Shop, orderId: string, minor = 5000_00n): Promise<Answer> => {
  const created = await shop.create(orderId)
  await payIn(service, { requisiteId: created.body.card.id, minor })
  return created
}

onEngines('200: paid and disput-paid are acknowledged, again and again with the same answer', async (service) => {
  const shop = await openShop(service)
  const orders = [
    ['paid', await createPaid(service, shop, 'paid')],
    ['disput-paid', await createPaid(service, shop, 'disput-paid', 6000_00n)],
  ] as const
  for (const [orderId, created] of orders) {
    const at = new Date(service.clock.now).toISOString()
    const first = await acknowledge(shop, orderId)
    assert.equal(first.status, 200)
    assert.deepEqual(first.body, { id: created.body.payment.id, orderId, status: orderId, acknowledgedAt: at })
    service.clock.advance(minute)
    assert.deepEqual((await acknowledge(shop, orderId)).body, first.body)
    assert.deepEqual((await acknowledge(shop, orderId, { status: orderId })).body, first.body)
  }
})

onEngines('200: fifty acknowledgements at once get one and the same answer', async (service) => {
  const shop = await openShop(service)
  await createPaid(service, shop, 'race')
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => {
      service.clock.advance(1)
      return acknowledge(shop, 'race')
    }),
  )
  assert.equal(answers[0]?.status, 200)
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, answers[0]?.body])
})

test('404: refuses an orderId that nobody used', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  assertProblem(await acknowledge(shop, 'nobody'), 404, 'payment_not_found')
  assertProblem(await acknowledge(shop, 'nobody', { status: 'paid' }), 404, 'payment_not_found')
})

test('409: refuses every status but paid and disput-paid', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8 })
  const review = await openShop(service, { terms: { mismatchPolicy: 'review' } })
  await shop.create('new')
  await createPaid(service, shop, 'processing', 3000_00n)
  await shop.create('canceled')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  await createPaid(service, review, 'disput', 6000_00n)
  for (const orderId of ['new', 'processing', 'canceled']) {
    assertProblem(await acknowledge(shop, orderId), 409, 'payment_not_paid')
    assertProblem(await acknowledge(shop, orderId, { status: orderId }), 409, 'payment_not_paid')
  }
  assertProblem(await acknowledge(review, 'disput'), 409, 'payment_not_paid')
  service.clock.advance(hour)
  await service.runJobs()
  assertProblem(await acknowledge(shop, 'new'), 409, 'payment_not_paid')
})

test('409: the guard refuses when the status is another one by now, and nothing is acknowledged', async () => {
  const service = opened()
  const shop = await openShop(service)
  await createPaid(service, shop, 'guarded')
  for (const status of ['disput-paid', 'new', 'expired']) {
    assertProblem(await acknowledge(shop, 'guarded', { status }), 409, 'status_changed')
  }
  assert.equal((await shop.get('/payments?acknowledged=false')).body.payments.length, 1)
  assert.equal((await acknowledge(shop, 'guarded', { status: 'paid' })).status, 200)
  assert.equal((await shop.get('/payments?acknowledged=false')).body.payments.length, 0)
})

test('400: refuses bodies that are not of its form', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  for (const [body, fields] of [
    [{}, ['orderId']],
    [{ orderId: 7 }, ['orderId']],
    [{ orderId: '' }, ['orderId']],
    [{ orderId: 'a', status: 'settled' }, ['status']],
    [{ orderId: 'a', id: 'b' }, ['id']],
  ] as const) {
    assertProblem(await shop.post('/payments/byOrderId/ack', body), 400, 'validation_failed', fields)
  }
})

test('an acknowledgement moves neither the status nor its tag', async () => {
  const service = opened()
  const shop = await openShop(service)
  await createPaid(service, shop, 'still')
  const before = await shop.get('/payments/byOrderId/still/status')
  await acknowledge(shop, 'still')
  const after = await shop.get('/payments/byOrderId/still/status')
  assert.deepEqual([after.body, after.headers.get('etag')], [before.body, before.headers.get('etag')])
})
