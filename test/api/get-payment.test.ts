import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

onEngines(
  '200: finalAmount stands with disput-paid only, next to exactly the fields of the contract',
  async (service) => {
    const shop = await openShop(service, { perMethod: 8 })
    const start = async (orderId: string) => (await shop.create(orderId, { amount: 5000.37 })).body
    const created = {
      new: await start('new'),
      processing: await start('processing'),
      paid: await start('paid'),
      over: await start('over'),
      under: await start('under'),
      canceled: await start('canceled'),
    }
    const pay = (orderId: keyof typeof created, minor: bigint) =>
      payIn(service, { requisiteId: created[orderId].card.id, minor })
    await pay('processing', 3000_00n)
    await pay('paid', 5000_37n)
    await pay('over', 5100_00n)
    await pay('under', 4000_01n)
    await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
    const assertDetail = async (orderId: keyof typeof created, status: string, finalAmount?: number): Promise<void> => {
      const answer = await shop.get(`/payments/byOrderId/${orderId}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, {
        id: created[orderId].payment.id,
        orderId,
        amount: 5000.37,
        ...(finalAmount === undefined ? {} : { finalAmount }),
        status,
        currency: 'rub',
      })
    }
    await assertDetail('new', 'new')
    await assertDetail('processing', 'processing')
    await assertDetail('paid', 'paid')
    await assertDetail('over', 'disput-paid', 5100)
    await assertDetail('canceled', 'canceled')
    service.clock.advance(hour)
    await service.runJobs()
    await assertDetail('new', 'expired')
    await assertDetail('processing', 'disput-paid', 3000)
    await assertDetail('under', 'disput-paid', 4000.01)
  },
)

test('200: a mismatch that the merchant wants to see first has no finalAmount', async () => {
  const service = opened()
  const shop = await openShop(service, { terms: { mismatchPolicy: 'review' } })
  const { body } = await shop.create('review')
  await payIn(service, { requisiteId: body.card.id, minor: 6000_00n })
  const answer = await shop.get('/payments/byOrderId/review')
  assert.deepEqual(Object.keys(answer.body), ['id', 'orderId', 'amount', 'status', 'currency'])
  assert.equal(answer.body.status, 'disput')
})

test('200: money within the tolerance is paid, without a finalAmount', async () => {
  const service = opened()
  const shop = await openShop(service, { terms: { toleranceMinor: 100n } })
  const { body } = await shop.create('tolerance')
  await payIn(service, { requisiteId: body.card.id, minor: 4999_00n })
  const answer = await shop.get('/payments/byOrderId/tolerance')
  assert.deepEqual([answer.body.status, answer.body.amount, answer.body.finalAmount], ['paid', 5000, undefined])
})

test('304: nothing has changed since the tag', async () => {
  const service = opened()
  const shop = await openShop(service)
  const { body } = await shop.create('tagged')
  const first = await shop.get('/payments/byOrderId/tagged')
  const known = { 'if-none-match': first.headers.get('etag') ?? '' }
  const same = await shop.get('/payments/byOrderId/tagged', known)
  assert.deepEqual([same.status, same.body], [304, ''])
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal((await shop.get('/payments/byOrderId/tagged', known)).status, 200)
})

test('404: an orderId that nobody used', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  assertProblem(await shop.get('/payments/byOrderId/nobody'), 404, 'payment_not_found')
  const { body } = await shop.create('order')
  // The service's own identifier is no orderId.
  assertProblem(await shop.get(`/payments/byOrderId/${body.payment.id}`), 404, 'payment_not_found')
})
