// Results of attempts, when the database refuses to take it.
import assert from 'node:assert/strict'
import { bigint, query } from 'payin-database'
import { hour } from '../../src/rules/time.ts'
import { openCourier } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import type { TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onPostgres } = shareNotified({ on: ['postgres'], mayLogErrors: true })

/** Has the database refuse attempts of which this is so. */
const refuseAttempts = (service: TestService, condition: string): Promise<unknown> =>
  runSql(service, `alter table delivery_attempts add constraint refused check (not (${condition}))`)

onPostgres(
  'an attempt that cannot be written holds up no other: it is written without the answer, or else not repeated',
  async (service) => {
    await using receiver = await openReceiver((call, response) => {
      response.writeHead(call.path === '/never' ? 202 : 200).end(call.path === '/odd' ? 'odd' : 'fine')
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const ends = await Promise.all(
      ['/odd', '/never', '/a', '/b', '/c'].map((path) => addEndpoint(shop, { url: receiver.url + path })),
    )
    await refuseAttempts(service, `excerpt = 'odd' or status = 202`)
    for (const { id } of ends) for (let sent = 0; sent < 2; sent++) await shop.post(`/endpoints/${id}/test`, {})
    await runDeliveries(service)
    service.clock.advance(hour)
    await runDeliveries(service)
    const [odd, never, ...others] = await Promise.all(ends.map(({ id }) => deliveriesOf(shop, id)))
    for (const list of [odd, ...others]) {
      assert.deepEqual(
        list?.map(({ status, attempts }) => [status, attempts]),
        Array.from({ length: 2 }, () => ['delivered', 1]),
      )
    }
    assert.deepEqual(
      never?.map(({ status }) => status),
      ['pending', 'pending'],
    )
    const log = (await shop.get(`/endpoints/${ends[0]?.id}/deliveries/${odd?.[0]?.eventId}`)).body.log
    assert.deepEqual([log[0].status, log[0].excerpt], [200, ''])
    assert.equal(receiver.calls.length, 10, 'each once')
    assert.ok(service.logs.some((line) => line.includes('cannot be written') && line.includes('"level":50')))
    await runSql(service, 'alter table delivery_attempts drop constraint refused')
  },
)

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
