// Results of attempts, when the database refuses to take it.
import assert from 'node:assert/strict'
import { bigint, query } from 'payin-database'
import { openCourier } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { openShop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onPostgres } = shareNotified({ on: ['postgres'], mayLogErrors: true })

onPostgres(
  'an endpoint that answers 410 is disabled also when the database is out of reach for a moment',
  async (service) => {
    await using receiver = await openReceiver(410)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id } = await addEndpoint(shop, { url: receiver.url })
    await shop.post(`/endpoints/${id}/test`, {})
    const { context } = service
    await queueDeliveries(context)
    let failures = 0
    const courier = openCourier({
      ...context,
      query: (statement, parameters) => {
        if (statement.name !== 'disable_endpoint' || failures > 0) return context.query(statement, parameters)
        failures++
        throw new Refusal('database_unavailable', 'The database is out of reach.')
      },
    })
    for (let round = 0; round < 10; round++) await courier.round().catch(() => undefined)
    await courier.stop()
    assert.equal(failures, 1)
    const { body } = await shop.get(`/endpoints/${id}`)
    assert.equal(body.disabledReason, 'gone')
    assert.ok(service.logs.some((line) => line.includes('endpoint-disabled')))
    assert.equal(receiver.calls.length, 1)
    assert.deepEqual(
      (await deliveriesOf(shop, id)).map(({ status, attempts }) => [status, attempts]),
      [['failed', 1]],
    )
  },
)

const postpone = query('test_postpone_deliveries', { text: `update deliveries set due_at = due_at + interval '1 ms'` })

const lockWaiters = query('test_waiters_for_a_delivery', {
  row: { waiting: bigint },
  text: `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
})

onPostgres('an attempt whose delivery somebody changes at that moment is written afterwards', async (service) => {
  const { context } = service
  let changing: Promise<unknown> | undefined
  await using receiver = await openReceiver((_call, response) => {
    changing ??= context.transaction(async (tx) => {
      await tx.query(postpone, {})
      response.end()
      await until('the attempt waits', async () => (await context.query(lockWaiters, {}))[0]?.waiting === 1n)
    })
  })
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  await changing
  assert.deepEqual(
    (await deliveriesOf(shop, id)).map(({ status, attempts }) => [status, attempts]),
    [['delivered', 1]],
  )
  assert.equal(receiver.calls.length, 1)
})
