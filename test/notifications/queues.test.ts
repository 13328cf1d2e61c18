// Long queues of one endpoint, which are gone through in parts.
import assert from 'node:assert/strict'
import { openCourier } from '../../src/notifications/deliveries/open-courier.ts'
import { queueDeliveries } from '../../src/notifications/deliveries/queue-deliveries.ts'
import { hour, minute, second } from '../../src/domain/time.ts'
import { Refusal } from '../../src/domain/refusal.ts'
import { enqueueEvents } from '../../src/notifications/enqueue-events.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

/** Stores events of a merchant, of one payment or of none. */
const addEvents = (
  service: TestService,
  { merchantId }: Shop,
  payment: { readonly id: string } | null,
  count: number,
): Promise<string[]> =>
  service.context.transaction((tx) =>
    enqueueEvents(
      tx,
      Array.from({ length: count }, (_, index) => ({
        merchantId,
        paymentId: payment?.id ?? null,
        sequence: payment ? index + 10 : null,
        endpointId: null,
        kind: payment ? 'payment.ack-overdue' : 'endpoint.test',
        body: JSON.stringify({ type: payment ? 'payment.ack-overdue' : 'endpoint.test', data: { sequence: index } }),
        at: service.clock.now,
      })),
    ),
  )

onPostgres(
  'what is free is found behind 520 that wait for one before them, and these follow when it is taken',
  async (service) => {
    let isTaken = false
    await using receiver = await openReceiver((call, response) => {
      response.writeHead(call.type === 'payment.paid' && !isTaken ? 500 : 204).end()
    })
    const shop = await openShop(service, { mode: 'sandbox' })
    await addEndpoint(shop, { url: receiver.url })
    const { body } = await shop.create('order-1')
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    await service.runJobs()
    const [paid] = receiver.calls
    assert.equal(receiver.calls.length, 1)
    await addEvents(service, shop, paid?.data, 520)
    const [last] = await addEvents(service, shop, null, 1)
    await service.runJobs()
    assert.deepEqual(
      receiver.calls.slice(1).map(({ id }) => id),
      [last],
    )
    isTaken = true
    service.clock.advance(6 * second)
    await service.runJobs()
    const followers = receiver.calls.slice(3)
    assert.deepEqual(
      followers.map(({ data }) => data.sequence),
      Array.from({ length: 520 }, (_, index) => index),
    )
  },
  notified,
)

onPostgres(
  'what is to be brought forward is so also when the database is out of reach for a moment',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await addEvents(service, shop, null, 5)
    const { clock, context } = service
    const at = (ms: number): string => `to_timestamp(${(clock.now + ms) / 1000})`
    await queueDeliveries(context)
    await runSql(service, `update deliveries set step = 6, due_at = ${at(5 * hour)}, failed_at = ${at(-minute)}`)
    await runSql(
      service,
      `update delivery_lanes set failures = 20, failing_since = ${at(-hour)}, wake_at = ${at(5 * hour)}`,
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
    for (let round = 0; round < 20; round++) await courier.round()
    await courier.stop()
    assert.equal(failures, 2)
    assert.equal(receiver.calls.length, 1 + 5)
  },
  notified,
)

onPostgres(
  'all that failed in an outage is brought forward, in parts; what failed before it waits as planned',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await addEvents(service, shop, null, 1300)
    // As if all had been tried some times: in an outage that began an hour ago, and ten of them before it.
    const { clock } = service
    const at = (ms: number): string => `to_timestamp(${(clock.now + ms) / 1000})`
    await queueDeliveries(service.context)
    await runSql(
      service,
      `update deliveries set step = 6, due_at = ${at(5 * hour)} + position * interval '1 second',
        failed_at = case when position <= 10 then ${at(-2 * hour)} else ${at(-minute)} end`,
    )
    await runSql(
      service,
      `update delivery_lanes set failures = 20, failing_since = ${at(-hour)}, wake_at = ${at(5 * hour)}`,
    )
    await service.runJobs()
    assert.equal(receiver.calls.length, 0)
    await shop.post(`/endpoints/${id}/test`, {})
    await service.runJobs()
    assert.equal(receiver.calls.length, 1 + 1290)
    clock.advance(5 * hour + minute)
    await service.runJobs()
    assert.equal(new Set(receiver.calls.map((call) => call.id)).size, 1301)
    assert.equal(receiver.calls.length, 1301)
  },
  notified,
)
