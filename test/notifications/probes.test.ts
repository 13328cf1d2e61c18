// Endpoints that are down, or refuse some of what they are sent: what is new and what somebody asks for does not wait.
import assert from 'node:assert/strict'
import { day, hour, minute, second } from '../../src/domain/time.ts'
import { enqueueEvents } from '../../src/notifications/enqueue-events.ts'
import { queueDeliveries } from '../../src/notifications/deliveries/queue-deliveries.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { onBothEngines, onPostgres, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

/** Stores events of no payment. */
const addEvents = (service: TestService, { merchantId }: Shop, bad: boolean, count: number): Promise<string[]> =>
  service.context.transaction((tx) =>
    enqueueEvents(
      tx,
      Array.from({ length: count }, () => ({
        merchantId,
        paymentId: null,
        sequence: null,
        endpointId: null,
        kind: 'endpoint.test',
        body: JSON.stringify({ type: 'endpoint.test', data: { bad } }),
        at: tx.now,
      })),
    ),
  )

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
      await addEvents(service, shop, true, 300)
      for (let passed = 0; passed < 20; passed++) {
        await service.runJobs()
        service.clock.advance(20 * second)
      }
      for (let sent = 0; sent < 4; sent++) {
        const [id] = await addEvents(service, shop, false, 1)
        const from = service.clock.now
        await service.runJobs()
        while (!receiver.calls.some((call) => call.id === id)) {
          assert.ok(
            service.clock.now - from < withinMs,
            `still not told after ${(service.clock.now - from) / second} s`,
          )
          service.clock.advance(10 * second)
          await service.runJobs()
        }
        service.clock.advance(7 * minute)
        await service.runJobs()
      }
    },
    notified,
  )
}

onBothEngines(
  'a test, and one event sent again, are tried at once by an endpoint that is down with a long queue',
  async (service) => {
    await using receiver = await openReceiver(500)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    const [first] = await addEvents(service, shop, true, 60)
    for (let passed = 0; passed < 15; passed++) {
      await service.runJobs()
      service.clock.advance(minute)
    }
    for (let asked = 0; asked < 3; asked++) {
      // In the middle of a pause.
      await service.runJobs()
      receiver.calls.length = 0
      const { eventId } = (await shop.post(`/endpoints/${id}/test`, {})).body
      await service.runJobs()
      assert.deepEqual(
        receiver.calls.map((call) => call.id),
        [eventId],
      )
      assert.equal((await shop.post(`/endpoints/${id}/deliveries/${first}/redeliver`, {})).status, 202)
      await service.runJobs()
      assert.deepEqual(
        receiver.calls.map((call) => call.id),
        [eventId, first],
      )
      service.clock.advance(second)
    }
  },
  notified,
)

onPostgres(
  'an endpoint that failed long ago, and was quiet since, is not disabled by one more failure',
  async (service) => {
    await using receiver = await openReceiver(500)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    const pass = async (ms: number, stepMs: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await service.runJobs()
        service.clock.advance(stepMs)
      }
    }
    await shop.post(`/endpoints/${id}/test`, {})
    await pass(4 * day, hour)
    const [failed] = await runSql<{ status: string }>(service, 'select status from deliveries')
    assert.equal(failed?.status, 'failed')
    service.clock.advance(3 * day)
    receiver.answer = (_call, response) => {
      receiver.answer = 204
      response.writeHead(503).end()
    }
    await shop.post(`/endpoints/${id}/test`, {})
    await pass(minute, 10 * second)
    assert.equal((await shop.get(`/endpoints/${id}`)).body.enabled, true)
    // One that fails without end is.
    receiver.answer = 500
    for (let passed = 0; passed < 6; passed++) {
      await shop.post(`/endpoints/${id}/test`, {})
      await pass(day, hour)
    }
    assert.equal((await shop.get(`/endpoints/${id}`)).body.disabledReason, 'failing')
  },
  notified,
)

onPostgres(
  'events of a payment get places in the order of its sequence, whatever the clocks of nodes say',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 1 })
    await shop.create('order')
    const [payment] = await runSql<{ id: string }>(service, 'select id from payments')
    const { merchantId } = shop
    await queueDeliveries(service.context)
    await service.context.transaction((tx) =>
      enqueueEvents(
        tx,
        // The clock of the first node is fast.
        [2, 3, 4].map((sequence) => ({
          merchantId,
          paymentId: payment?.id ?? '',
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
      'select sequence from outbox where position is not null order by position',
    )
    assert.deepEqual(
      placed.map(({ sequence }) => sequence),
      [2, 3, 4],
    )
  },
)
