// Long queues of one endpoint, which are gone through in parts.
import assert from 'node:assert/strict'
import { openCourier } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { hour, minute, second } from '../../src/rules/time.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { addEndpoint } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { openShop, payIn } from '../support/shop.ts'
import { addEvents } from './add-events.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onPostgres } = shareNotified({ on: ['postgres'], mayLogErrors: true })

onPostgres(
  'what is free is found after 520 that wait for one before them, and these follow when it is taken',
  async (service) => {
    let isTaken = false
    await using receiver = await openReceiver((call, response) => {
      response.writeHead(call.type === 'payment.paid' && !isTaken ? 500 : 204).end()
    })
    const shop = await openShop(service, { mode: 'sandbox' })
    await addEndpoint(shop, { url: receiver.url })
    const orders = ['order-1', 'order-2']
    for (const orderId of orders) {
      const { body } = await shop.create(orderId)
      await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    }
    await runDeliveries(service)
    const paid = [...receiver.calls]
    assert.deepEqual(new Set(paid.map(({ data }) => data.orderId)), new Set(orders))
    // More of each than are fetched at a time.
    for (const { data } of paid) await addEvents(service, shop.merchantId, 260, { paymentId: data.id, data })
    const [last] = await addEvents(service, shop.merchantId, 1)
    await runDeliveries(service)
    assert.deepEqual(
      receiver.calls.slice(2).map(({ id }) => id),
      [last],
    )
    isTaken = true
    service.clock.advance(6 * second)
    await runDeliveries(service)
    const followers = Map.groupBy(receiver.calls.slice(3 + paid.length), ({ data }) => data.orderId)
    for (const orderId of orders) {
      assert.deepEqual(
        followers.get(orderId)?.map(({ data }) => data.index),
        Array.from({ length: 260 }, (_, index) => index),
      )
    }
    // No reminder may follow those made up here.
    for (const orderId of orders) await shop.post('/payments/byOrderId/ack', { orderId })
  },
)

onPostgres(
  'what is to be brought forward is so also when the database is out of reach for a moment',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await addEvents(service, shop.merchantId, 5)
    const { clock, context } = service
    const at = (ms: number): string => `to_timestamp(${(clock.now + ms) / 1000})`
    await queueDeliveries(context)
    await runSql(
      service,
      `update deliveries set step = 6, due_at = ${at(5 * hour)}, failed_at = ${at(-minute)} where endpoint_id = '${id}';
        update delivery_lanes set failures = 20, failing_since = ${at(-hour)}, wake_at = ${at(5 * hour)}
        where endpoint_id = '${id}'`,
    )
    await shop.post(`/endpoints/${id}/test`, {})
    await queueDeliveries(context)
    let failures = 0
    const courier = openCourier({
      ...context,
      query: (statement, parameters) => {
        if (statement.name !== 'bring_deliveries_forward' || failures > 1) return context.query(statement, parameters)
        failures++
        throw new Refusal('database_unavailable', 'The database is out of reach.')
      },
    })
    for (let round = 0; round < 20; round++) await courier.round().catch(() => undefined)
    await courier.stop()
    assert.equal(failures, 2)
    assert.equal(receiver.calls.length, 1 + 5)
  },
)

onPostgres(
  'all that failed in an outage is brought forward, in parts; what failed before it waits as planned',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await addEvents(service, shop.merchantId, 1300)
    // As if all had been tried some times: in an outage that began an hour ago, and ten of them before it.
    const { clock } = service
    const at = (ms: number): string => `to_timestamp(${(clock.now + ms) / 1000})`
    await queueDeliveries(service.context)
    await runSql(
      service,
      `update deliveries set step = 6, due_at = ${at(5 * hour)} + position * interval '1 second',
        failed_at = case when position <= 10 then ${at(-2 * hour)} else ${at(-minute)} end where endpoint_id = '${id}';
      update delivery_lanes set failures = 20, failing_since = ${at(-hour)}, wake_at = ${at(5 * hour)}
        where endpoint_id = '${id}'`,
    )
    await runDeliveries(service)
    assert.equal(receiver.calls.length, 0)
    await shop.post(`/endpoints/${id}/test`, {})
    await runDeliveries(service)
    assert.equal(receiver.calls.length, 1 + 1290)
    clock.advance(5 * hour + minute)
    await runDeliveries(service)
    assert.equal(new Set(receiver.calls.map((call) => call.id)).size, 1301)
    assert.equal(receiver.calls.length, 1301)
  },
)
