// Endpoints without an address: a program of the merchant takes their deliveries and reports the results.
import assert from 'node:assert/strict'
import { minute, second } from '../../src/rules/time.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

type Taken = { readonly eventId: string; readonly attempt: number; readonly queuedAt: string; readonly body: string }

const openListener = async (shop: Shop, fields: object = {}) => {
  const { status, body } = await shop.post('/listeners', fields)
  assert.equal(status, 201, JSON.stringify(body))
  const path = `/listeners/${body.id}/deliveries`
  const take = async (results: readonly object[] = [], wait = 0): Promise<Taken[]> => {
    const answer = await shop.post(path, { results, wait })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.deliveries
  }
  return { id: body.id as string, take, path }
}

const answered = ({ eventId, attempt, queuedAt }: Taken, status = 204) => ({
  ...{ eventId, attempt, queuedAt, latencyMs: 5 },
  ...(status > 0 ? { status } : { error: 'connection_failed' }),
})

const kindOf = ({ body }: Taken): string => (JSON.parse(body) as { type: string }).type

const pay = async (service: TestService, shop: Shop, orderId: string): Promise<void> => {
  const { body } = await shop.create(orderId)
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await service.runJobs()
}

onEngines('a listener takes what happens, and what it reports is the log of the delivery', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const { id, take } = await openListener(shop)
  assert.deepEqual(await take(), [])
  await pay(service, shop, 'order-1')
  const [first, ...others] = await take()
  assert.ok(first)
  assert.deepEqual([kindOf(first), first.attempt, others.length], ['payment.paid', 1, 0])
  // What has no result is given again.
  assert.deepEqual(await take(), [first])
  assert.deepEqual(await take([answered(first, 500)]), [])
  service.clock.now += 6 * second
  const [again] = await take()
  assert.ok(again)
  assert.deepEqual([again.eventId, again.body, again.attempt], [first.eventId, first.body, 2])
  // A result that comes twice, or too late, is written once.
  assert.deepEqual(await take([answered(again, 0)]), [])
  assert.deepEqual(await take([answered(again, 204), answered(first, 204)]), [])
  service.clock.now += 2 * minute
  const [third] = await take()
  assert.ok(third)
  assert.deepEqual(await take([answered(third)]), [])
  const { body } = await shop.get(`/endpoints/${id}/deliveries/${first.eventId}`)
  assert.equal(body.status, 'delivered')
  assert.deepEqual(
    body.log.map(({ status, error }: { status?: number; error?: string }) => status ?? error),
    [500, 'connection_failed', 204],
  )
})

onPostgres('what a listener says of its time puts no attempt before that of the event before', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const { take } = await openListener(shop)
  const { body } = await shop.create('order-slow')
  for (const minor of [2000_00n, 3000_00n]) {
    await payIn(service, { requisiteId: body.card.id, minor })
    await service.runJobs()
  }
  service.clock.now += 10 * second
  const [first] = await take()
  assert.ok(first)
  const [next] = await take([answered(first)])
  assert.ok(next)
  assert.equal(kindOf(next), 'payment.paid')
  assert.deepEqual(await take([{ ...answered(next), latencyMs: 5000 }]), [])
  await assertHealthy(service)
})

onEngines(
  'a listener gets what is redelivered, tests, and kinds that it asked for, and waits for them',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox' })
    const { id, take } = await openListener(shop, { kinds: ['payment.paid'], description: 'laptop' })
    const waiting = take([], 20)
    const created = await shop.create('canceled')
    await shop.post('/payments/byOrderId/cancel', { orderId: created.body.payment.orderId })
    await pay(service, shop, 'order-2')
    const [paid] = await waiting
    assert.ok(paid)
    assert.equal(kindOf(paid), 'payment.paid')
    await take([answered(paid)])
    assert.equal((await shop.post(`/endpoints/${id}/deliveries/${paid.eventId}/redeliver`, {})).status, 202)
    const [again] = await take()
    assert.ok(again)
    assert.deepEqual([again.eventId, again.attempt, again.body], [paid.eventId, 2, paid.body])
    await take([answered(again)])
    await shop.post(`/endpoints/${id}/test`, {})
    await service.runJobs()
    const [test] = await take()
    assert.equal(test && kindOf(test), 'endpoint.test')
  },
)

onPostgres(
  'of each payment a listener gets one at a time, in their order; the sandbox plays with them',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox' })
    const { take } = await openListener(shop)
    await shop.create('late', { amount: 5000.06 })
    await shop.create('failing', { amount: 5000.09 })
    for (let seconds = 0; seconds < 15; seconds++) {
      service.clock.now += second
      await service.runJobs()
    }
    const first = await take()
    assert.deepEqual(first.map(kindOf), ['payment.expired'])
    const second_ = await take(first.map((each) => answered(each)))
    assert.deepEqual(second_.map(kindOf), ['payment.paid'])
    assert.deepEqual(await take(second_.map((each) => answered(each))), [])
    service.clock.now += 6 * second
    assert.deepEqual(await take(), [])
    service.clock.now += 70 * second
    const played = await take()
    assert.deepEqual(
      played.map(({ attempt, ...each }) => [kindOf({ attempt, ...each }), attempt]),
      [['payment.paid', 3]],
    )
  },
)

onPostgres('a silent listener is removed, one that takes is kept, and nobody sends to it', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  await using receiver = await openReceiver()
  const called = await addEndpoint(shop, { url: receiver.url })
  const kept = await openListener(shop)
  const silent = await openListener(shop)
  const listed = await shop.get('/endpoints')
  const { listeningUntil, url } = listed.body.endpoints.find(({ id }: { id: string }) => id === silent.id)
  assert.deepEqual([url, Date.parse(listeningUntil)], ['https://listener.invalid/', service.clock.now + 2 * minute])
  await pay(service, shop, 'order-3')
  assert.deepEqual(
    (await deliveriesOf(shop, called.id)).map(({ status }) => status),
    ['delivered'],
  )
  assert.deepEqual(
    (await deliveriesOf(shop, kept.id)).map(({ status, attempts }) => [status, attempts]),
    [['pending', 0]],
  )
  service.clock.now += minute
  assert.equal((await kept.take()).length, 1)
  service.clock.now += minute + second
  await service.runJobs('all')
  assert.equal((await shop.post(silent.path, {})).status, 404)
  assert.equal((await kept.take()).length, 1)
  await shop.remove(`/endpoints/${kept.id}`)
  assert.equal((await shop.post(kept.path, {})).status, 404)
  // An endpoint with an address is no listener, and another merchant's is unknown.
  assert.equal((await shop.post(`/listeners/${called.id}/deliveries`, {})).status, 404)
})
