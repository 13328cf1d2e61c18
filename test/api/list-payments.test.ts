import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query, uuid } from 'payin-database'
import { minute } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const { onEngines, onOne, opened } = shareEngines()

const orderIdsOf = ({ body }: Answer): string[] => body.payments.map((payment: { orderId: string }) => payment.orderId)

const list = async (shop: Shop, filters: string): Promise<string[]> => orderIdsOf(await shop.get(`/payments${filters}`))

onEngines('200: pages of the newest first have every payment once', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  const other = await openShop(service)
  const orderIds = Array.from({ length: 7 }, (_, index) => `page-${index}`)
  for (const orderId of orderIds) {
    await shop.create(orderId)
    await other.create(orderId)
    service.clock.advance(1)
  }
  const seen: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 10; pages++) {
    const page = await shop.get(`/payments?limit=3${cursor}`)
    assert.equal(page.status, 200)
    seen.push(...orderIdsOf(page))
    if (page.body.nextCursor === undefined) {
      assert.deepEqual(Object.keys(page.body), ['payments'])
      break
    }
    cursor = `&cursor=${page.body.nextCursor}`
    // A payment that comes meanwhile does not move the pages that follow.
    if (pages === 0) await shop.create('meanwhile')
  }
  assert.deepEqual(seen, orderIds.toReversed())
})

test('200: an exactly full page has no next one', async () => {
  const shop = await openShop(opened())
  await shop.create('one')
  await shop.create('two')
  const page = await shop.get('/payments?limit=2')
  assert.deepEqual([orderIdsOf(page), page.body.nextCursor], [['two', 'one'], undefined])
  assert.deepEqual((await (await openShop(opened())).get('/payments')).body, { payments: [] })
})

onEngines('200: filters by status and by acknowledgement', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  const pay = async (orderId: string, minor: bigint): Promise<void> => {
    const { body } = await shop.create(orderId)
    await payIn(service, { requisiteId: body.card.id, minor })
  }
  await pay('paid', 5000_00n)
  await pay('seen', 5000_00n)
  await pay('over', 5100_00n)
  await shop.create('new')
  await shop.post('/payments/byOrderId/ack', { orderId: 'seen' })
  assert.deepEqual(await list(shop, '?status=paid'), ['seen', 'paid'])
  assert.deepEqual(await list(shop, '?status=new'), ['new'])
  assert.deepEqual(await list(shop, '?status=failed'), [])
  assert.deepEqual(await list(shop, '?acknowledged=false'), ['over', 'paid'])
  assert.deepEqual(await list(shop, '?acknowledged=true'), ['seen'])
  assert.deepEqual(await list(shop, '?acknowledged=false&status=disput-paid'), ['over'])
})

test('200: a listed payment tells its details, and never the number of its requisite', async () => {
  const service = opened()
  const shop = await openShop(service)
  const { body } = await shop.create('details', { amount: 5000.37, userId: 'user-1' })
  const createdAt = new Date(service.clock.now).toISOString()
  service.clock.advance(minute)
  await payIn(service, { requisiteId: body.card.id, minor: 5100_00n, sender: '79161234567' })
  const changedAt = new Date(service.clock.now).toISOString()
  await shop.post('/payments/byOrderId/ack', { orderId: 'details' })
  const answer = await shop.get('/payments')
  const [payment] = answer.body.payments
  assert.match(payment.sourcePan, /\*|•/)
  assert.deepEqual(payment, {
    id: body.payment.id,
    orderId: 'details',
    status: 'disput-paid',
    statusReason: 'overpaid',
    type: 'direct',
    method: 'sbp',
    currency: 'rub',
    amount: 5000.37,
    receivedAmount: 5100,
    finalAmount: 5100,
    userId: 'user-1',
    sourcePan: payment.sourcePan,
    createdAt,
    expiredAt: body.payment.expiredAt,
    changedAt,
    acknowledgedAt: changedAt,
  })
  for (const number of [body.card.phone, '79161234567']) assert.ok(!JSON.stringify(answer.body).includes(number))
})

for (const [filters, field] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=', 'limit'],
  ['cursor=1', 'cursor'],
  ['cursor=urn:uuid:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', 'cursor'],
  ['status=open', 'status'],
  ['acknowledged=no', 'acknowledged'],
  ['offset=10', 'offset'],
] as const) {
  test(`400: refuses ?${filters}`, async () => {
    const shop = await openShop(opened(), { perMethod: 0 })
    assertProblem(await shop.get(`/payments?${filters}`), 400, 'validation_failed', [field])
  })
}

test('200: a cursor of no payment of this merchant is only a place in the order', async () => {
  const shop = await openShop(opened())
  await shop.create('mine')
  const other = await openShop(opened())
  const { body } = await other.create('theirs')
  assert.deepEqual(await list(shop, `?cursor=${body.payment.id}`), ['mine'])
  assert.deepEqual(await list(shop, '?cursor=00000000-0000-0000-0000-000000000000'), [])
})

const copyMany = query('test_copy_payments', {
  parameters: { id: uuid },
  text: `insert into payments select (json_populate_record(payments, json_build_object(
      'id', left(id::text, 24) || lpad(to_hex(number), 12, '0'), 'order_id', 'copy-' || number))).*
    from payments, generate_series(1, 10001) as number where id = :id`,
})

const deleteCopies = query('test_delete_copies', { text: `delete from payments where order_id like 'copy-%'` })

onOne('a page looks at a bounded number of payments, and says where it goes on', async (service) => {
  const shop = await openShop(service)
  const { card } = (await shop.create('rare')).body
  await payIn(service, { requisiteId: card.id, minor: 5000_00n })
  service.clock.advance(minute)
  const { payment } = (await shop.create('canceled')).body
  await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  await service.context.query(copyMany, { id: payment.id })
  try {
    const first = await shop.get('/payments?status=paid')
    assert.deepEqual([orderIdsOf(first), typeof first.body.nextCursor], [[], 'string'])
    assert.deepEqual(await list(shop, `?status=paid&cursor=${first.body.nextCursor}`), ['rare'])
  } finally {
    await service.context.query(deleteCopies, {})
  }
})
