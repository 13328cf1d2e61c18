// Notifications from the change of a payment to the receiver, over real connections on the loopback address.
import assert from 'node:assert/strict'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { openOperator } from '../support/operator.ts'
import { openReceiver, verify } from '../support/receiver.ts'
import { openShop, payIn } from '../support/shop.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { passTime, runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines } = shareNotified()

onEngines(
  'tells each change once, signed, in order, with the bytes of the event; a 2xx is no acknowledgement',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox' })
    const endpoint = await addEndpoint(shop, { url: `${receiver.url}/hook?a=1` })
    const { body } = await shop.create('order-1')
    await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
    service.clock.advance(second)
    await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
    await runDeliveries(service)
    assert.deepEqual(
      receiver.calls.map((call) => [call.path, call.type, call.data.sequence, call.data.orderId]),
      [
        ['/hook?a=1', 'payment.processing', 2, 'order-1'],
        ['/hook?a=1', 'payment.paid', 3, 'order-1'],
      ],
    )
    for (const call of receiver.calls) {
      verify(endpoint.secret, call)
      assert.match(String(call.headers['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      assert.equal(call.headers['content-type'], 'application/json')
    }
    const events = (await shop.get('/events')).body
    assert.deepEqual(
      events.events.map((event: { id: string; type: string }) => [event.id, event.type]),
      receiver.calls.map((call) => [call.id, call.type]),
    )
    assert.equal((await shop.get('/payments?acknowledged=false')).body.payments.length, 1)
    const [newest] = await deliveriesOf(shop, endpoint.id)
    assert.equal(newest?.status, 'delivered')
    const delivery = (await shop.get(`/endpoints/${endpoint.id}/deliveries/${newest?.eventId}`)).body
    assert.equal(delivery.body, receiver.calls[1]?.body)
    assert.equal(delivery.log.length, 1)
    assert.equal(delivery.log[0].status, 204)
  },
)

onEngines(
  'notifies of a settlement that was paid and of credited money that a bank took back, to receivers and in the feed',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox' })
    const endpoint = await addEndpoint(shop, { url: receiver.url, kinds: [] })
    const picky = await addEndpoint(shop, { url: `${receiver.url}/picky`, kinds: ['settlement.paid'] })
    const anna = openOperator(service, 'anna')
    const { body } = await shop.create('order-1')
    const { id } = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    await shop.simulate('order-1', { event: 'settled' })
    await service.runJobs('all')
    const taken = await anna.call('POST', `/transfers/${body.card.id}/${id}/reverse`, { reason: 'fraud' })
    assert.equal(taken.status, 200, JSON.stringify(taken.body))
    await runDeliveries(service)
    const calls = receiver.calls.filter((call) => call.path === '/')
    for (const call of calls) verify(endpoint.secret, call)
    assert.deepEqual(
      new Set(calls.map((call) => call.type)),
      new Set(['payment.paid', 'settlement.approved', 'settlement.paid', 'payment.reversed']),
    )
    assert.deepEqual(
      calls.filter((call) => call.data.orderId !== undefined).map((call) => [call.type, call.data.sequence]),
      [
        ['payment.paid', 2],
        ['payment.reversed', 2],
      ],
    )
    const reversed = calls.find((call) => call.type === 'payment.reversed')
    assert.deepEqual(
      [reversed?.data.status, reversed?.data.reversedAmount, reversed?.data.balanceChange],
      ['paid', 5000, { currency: 'USDT', amount: -53.513514 }],
    )
    const paid = receiver.calls.find((call) => call.path === '/picky')
    assert.equal(paid?.type, 'settlement.paid')
    assert.match(paid?.data.externalReference, /^simulated-/)
    const { events } = (await shop.get('/events')).body
    assert.deepEqual(new Set(events.map((event: { id: string }) => event.id)), new Set(calls.map((call) => call.id)))
    for (const [{ id: endpointId }, count] of [
      [endpoint, 4],
      [picky, 1],
    ] as const) {
      const log = await deliveriesOf(shop, endpointId, 'delivered')
      assert.equal(log.length, count)
    }
    const paidOut = (await deliveriesOf(shop, picky.id)).find((each) => each.type === 'settlement.paid')
    assert.equal((await shop.post(`/endpoints/${picky.id}/deliveries/${paidOut?.eventId}/redeliver`, {})).status, 202)
    await runDeliveries(service)
    const again = receiver.calls.filter((call) => call.path === '/picky')
    assert.deepEqual([again.length, again[1]?.id, again[1]?.body], [2, paid?.id, paid?.body])
  },
)

onEngines(
  'tries as planned for three days, then gives up; the next event of the payment waits until then; redelivered on demand',
  async (service) => {
    await using receiver = await openReceiver(503)
    const shop = await openShop(service, { mode: 'sandbox' })
    const endpoint = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.processing', 'payment.paid'] })
    const { body } = await shop.create('order-1')
    await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
    await runDeliveries(service)
    await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
    const started = service.clock.now
    const tries: number[] = []
    receiver.answer = (_call, response) => {
      tries.push(service.clock.now - started)
      response.writeHead(503).end()
    }
    await passTime(service, 90 * hour, () => receiver.calls.some((call) => call.type === 'payment.paid'))
    const first = receiver.calls.filter((call) => call.type === 'payment.processing')
    assert.equal(first.length, 11)
    assert.equal(new Set(first.map((call) => call.id)).size, 1)
    assert.equal(new Set(first.map((call) => call.body)).size, 1)
    const planned = [
      5 * second,
      minute,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      day,
    ]
    let last = 0
    planned.forEach((delay, index) => {
      const gap = (tries[index] ?? 0) - last
      assert.ok(gap >= delay && gap <= delay * 1.1 + minute, `try ${index + 2} after ${gap} ms`)
      last = tries[index] ?? 0
    })
    assert.equal((await shop.get(`/endpoints/${endpoint.id}`)).body.enabled, true)
    const failed = await deliveriesOf(shop, endpoint.id, 'failed')
    assert.equal(failed.length, 1)
    receiver.answer = 200
    receiver.calls.length = 0
    const again = await shop.post(`/endpoints/${endpoint.id}/redeliver`, {
      since: new Date(started - minute).toISOString(),
    })
    assert.deepEqual([again.status, again.body], [202, { events: 1, more: false }])
    await runDeliveries(service)
    service.clock.advance(2 * minute)
    await runDeliveries(service)
    assert.deepEqual(new Set(receiver.calls.map((call) => call.type)), new Set(['payment.processing', 'payment.paid']))
    const { eventId } = failed[0] ?? { eventId: '' }
    assert.equal((await shop.post(`/endpoints/${endpoint.id}/deliveries/${eventId}/redeliver`, {})).status, 202)
    await runDeliveries(service)
    assert.equal(receiver.calls.at(-1)?.id, eventId)
    await payOff(service, shop)
  },
)

const payOff = async (service: Parameters<typeof openOperator>[0], shop: { merchantId: string }): Promise<void> => {
  const { body } = await openOperator(service).get(`/merchants/${shop.merchantId}/endpoints`)
  assert.equal(body.endpoints.length, 1)
}
