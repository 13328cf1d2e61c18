// Endpoints that are down, or refuse some of what they are sent: what is new and what somebody asks for does not wait.
import assert from 'node:assert/strict'
import { day, minute, second } from '../../src/rules/time.ts'
import { enqueueNotifications } from '../../src/engine/notifications/enqueue-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { openShop } from '../support/shop.ts'
import { addEvents } from './add-events.ts'
import { passTime, runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onPostgres } = shareNotified({ on: ['postgres'] })

const refusals: readonly (readonly [status: number, withinMs: number])[] = [
  // Said of the one event: no other waits.
  [422, 0],
  // It may be the endpoint that fails: every second attempt is of something new, and pauses last a minute at most.
  [500, 2.5 * minute],
]
for (const [status, withinMs] of refusals) {
  onPostgres(
    `a receiver that answers ${status} to 300 events hears of new ones without waiting for these`,
    async (service) => {
      await using receiver = await openReceiver((call, response) => {
        response.writeHead(call.data.bad ? status : 204).end()
      })
      const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      await addEndpoint(shop, { url: receiver.url })
      await addEvents(service, shop.merchantId, 300, { data: { bad: true } })
      for (let passed = 0; passed < 20; passed++) {
        await runDeliveries(service)
        service.clock.advance(20 * second)
      }
      for (let sent = 0; sent < 4; sent++) {
        const [id] = await addEvents(service, shop.merchantId, 1)
        const from = service.clock.now
        await runDeliveries(service)
        while (!receiver.calls.some((call) => call.id === id)) {
          assert.ok(
            service.clock.now - from < withinMs,
            `still not notified after ${(service.clock.now - from) / second} s`,
          )
          service.clock.advance(10 * second)
          await runDeliveries(service)
        }
        service.clock.advance(7 * minute)
        await runDeliveries(service)
      }
    },
  )
}

onPostgres(
  'an endpoint that failed long ago, and was quiet since, is not disabled by one more failure',
  async (service) => {
    await using receiver = await openReceiver(500)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await shop.post(`/endpoints/${id}/test`, {})
    await passTime(service, 4 * day)
    const [failed] = await deliveriesOf(shop, id)
    assert.equal(failed?.status, 'failed')
    service.clock.advance(3 * day)
    receiver.answer = (_call, response) => {
      receiver.answer = 204
      response.writeHead(503).end()
    }
    await shop.post(`/endpoints/${id}/test`, {})
    await passTime(service, minute)
    assert.equal((await shop.get(`/endpoints/${id}`)).body.enabled, true)
    // One that fails without end is.
    receiver.answer = 500
    for (let passed = 0; passed < 6; passed++) {
      await shop.post(`/endpoints/${id}/test`, {})
      await passTime(service, day)
    }
    assert.equal((await shop.get(`/endpoints/${id}`)).body.disabledReason, 'failing')
  },
)

onPostgres(
  'events of a payment get places in the order of its sequence, whatever the clocks of nodes say',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 1 })
    const { payment } = (await shop.create('order')).body
    const { merchantId } = shop
    await queueDeliveries(service.context)
    await service.context.transaction(async (tx) =>
      enqueueNotifications(
        tx,
        // The clock of the first node is fast.
        [2, 3, 4].map((sequence) => ({
          merchantId,
          paymentId: payment.id,
          sequence,
          endpointId: null,
          kind: 'payment.ack-overdue',
          body: JSON.stringify({ type: 'payment.ack-overdue', data: { sequence } }),
          at: tx.now + (sequence === 2 ? 1000 : sequence * 100),
        })),
      ),
    )
    await queueDeliveries(service.context)
    const placed = await runSql<{ sequence: number }>(
      service,
      `select sequence from outbox where merchant_id = '${merchantId}' order by position`,
    )
    assert.deepEqual(
      placed.map(({ sequence }) => sequence),
      [2, 3, 4],
    )
  },
)
