import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

const cancel = (shop: Shop, orderId: string): Promise<Answer> => shop.post('/payments/byOrderId/cancel', { orderId })

onEngines('200: a new payment is canceled, again and again with the same answer', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('cancel')
  const first = await cancel(shop, 'cancel')
  assert.equal(first.status, 200)
  assert.deepEqual(first.body, { id: body.payment.id, orderId: 'cancel', status: 'canceled' })
  assert.deepEqual((await cancel(shop, 'cancel')).body, first.body)
  assert.equal(await shop.status('cancel'), 'canceled')
})

onEngines('a cancel and the money at once end in one of the two, never in both', async (service) => {
  const shop = await openShop(service, { perMethod: 20 })
  for (let round = 0; round < 5; round++) {
    const orderId = `race-${round}`
    const { body } = await shop.create(orderId)
    const [answer] = await Promise.all([
      cancel(shop, orderId),
      payIn(service, { requisiteId: body.card.id, minor: 5000_00n }),
    ])
    const status = await shop.status(orderId)
    if (answer.status === 200) assert.equal(status, 'canceled')
    else {
      assertProblem(answer, 409, 'invalid_state')
      assert.equal(status, 'paid')
    }
  }
})

test('409: refuses once money has arrived or the payment is closed otherwise', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8 })
  for (const [orderId, minor] of [
    ['paid', 5000_00n],
    ['part', 4000_00n],
    ['over', 6000_00n],
  ] as const) {
    const { body } = await shop.create(orderId)
    await payIn(service, { requisiteId: body.card.id, minor })
    assertProblem(await cancel(shop, orderId), 409, 'invalid_state')
  }
  await shop.create('expired')
  service.clock.advance(hour)
  await service.runJobs()
  assertProblem(await cancel(shop, 'expired'), 409, 'invalid_state')
})

test('404: refuses an orderId that nobody used', async () => {
  assertProblem(await cancel(await openShop(opened(), { perMethod: 1 }), 'nobody'), 404, 'payment_not_found')
})

test('400: refuses fields that it does not know', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  const answer = await shop.post('/payments/byOrderId/cancel', { orderId: 'a', reason: 'x' })
  assertProblem(answer, 400, 'validation_failed', ['reason'])
})
