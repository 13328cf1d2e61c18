// What is sent again, what is not, and what is kept.
import assert from 'node:assert/strict'
import { cleanDeliveries } from '../../src/engine/notifications/deliveries/clean-deliveries.ts'
import { mostAttempts } from '../../src/rules/notices/delivery.ts'
import { query, text, uuid } from 'payin-database'
import { day, minute, second } from '../../src/rules/time.ts'
import { enqueueNotifications } from '../../src/engine/notifications/enqueue-notifications.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openReceiver } from '../support/receiver.ts'
import { payinOf } from '../support/run-payin.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines } = shareNotified()

const pay = async (service: TestService, shop: Shop, orderId: string): Promise<void> => {
  const { body } = await shop.create(orderId)
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await runDeliveries(service)
}

const iso = (at: number): string => new Date(at).toISOString()

onEngines(
  'all since a time: nothing from before the endpoint, nothing that was deleted as too old; what was missed since is sent',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox' })
    const since = iso(service.clock.now - day)
    await pay(service, shop, 'before')
    service.clock.advance(minute)
    const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
    const redeliver = async () => (await shop.post(`/endpoints/${id}/redeliver`, { since })).body
    assert.deepEqual(await redeliver(), { events: 0, more: false }, 'the endpoint was not there')
    await pay(service, shop, 'old')
    assert.deepEqual(await redeliver(), { events: 0, more: false }, 'it was delivered')
    service.clock.advance(31 * day)
    await service.runJobs()
    assert.deepEqual(await deliveriesOf(shop, id), [])
    assert.deepEqual(await redeliver(), { events: 0, more: false }, 'it was deleted')
    await shop.patch(`/endpoints/${id}`, { enabled: false })
    await pay(service, shop, 'missed')
    await shop.patch(`/endpoints/${id}`, { enabled: true })
    assert.deepEqual(await redeliver(), { events: 1, more: false })
    await runDeliveries(service)
    assert.deepEqual(
      receiver.calls.map(({ data }) => data.orderId),
      ['old', 'missed'],
    )
  },
)

onEngines('an event that was missed is sent after a later one of its payment: that is in order', async (service) => {
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox' })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  const { body } = await shop.create('missed in part')
  await shop.patch(`/endpoints/${id}`, { enabled: false })
  await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
  await runDeliveries(service)
  await shop.patch(`/endpoints/${id}`, { enabled: true })
  await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
  await runDeliveries(service)
  await shop.post(`/endpoints/${id}/redeliver`, { since: iso(service.clock.now - minute) })
  service.clock.advance(second)
  await runDeliveries(service)
  assert.deepEqual(
    receiver.calls.map(({ data }) => data.status),
    ['paid', 'processing'],
  )
  await assertHealthy(service)
})

for (const [title, status] of [
  ['delivered', 204],
  ['in vain', 500],
] as const) {
  onEngines(
    `what is redelivered during an attempt that ends ${title} is sent again at once; both are in the log`,
    async (service) => {
      await using receiver = await openReceiver()
      const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      const { id } = await addEndpoint(shop, { url: receiver.url })
      receiver.answer = (call, response) => {
        receiver.answer = 204
        service.clock.advance(1)
        const again = shop.post(`/endpoints/${id}/deliveries/${call.id}/redeliver`, {})
        void again.then(() => response.writeHead(status).end())
      }
      const { eventId } = (await shop.post(`/endpoints/${id}/test`, {})).body
      await runDeliveries(service)
      const { body } = await shop.get(`/endpoints/${id}/deliveries/${eventId}`)
      assert.equal(body.status, 'delivered')
      assert.deepEqual(
        body.log.map((attempt: { status: number }) => attempt.status),
        [status, 204],
      )
    },
  )
}

onEngines('what is sent again is kept as if it were new', async (service) => {
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  const { eventId } = (await shop.post(`/endpoints/${id}/test`, {})).body
  await runDeliveries(service)
  service.clock.advance(20 * day)
  receiver.answer = 503
  await shop.post(`/endpoints/${id}/deliveries/${eventId}/redeliver`, {})
  assert.equal(
    (await shop.get(`/endpoints/${id}/deliveries/${eventId}`)).body.queuedAt,
    new Date(service.clock.now).toISOString(),
  )
  await runDeliveries(service)
  await shop.patch(`/endpoints/${id}`, { enabled: false })
  service.clock.advance(15 * day)
  await cleanDeliveries(service.context)
  assert.equal((await deliveriesOf(shop, id)).length, 1)
  service.clock.advance(16 * day)
  await cleanDeliveries(service.context)
  assert.equal((await deliveriesOf(shop, id)).length, 0)
})

onEngines('the log of a delivery shows its newest attempts', async (service) => {
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  const { eventId } = (await shop.post(`/endpoints/${id}/test`, {})).body
  await runDeliveries(service)
  await service.context.query(repeatAttempt, { id })
  const { attempts, log } = (await shop.get(`/endpoints/${id}/deliveries/${eventId}`)).body
  assert.equal(attempts, mostAttempts + 2)
  assert.deepEqual(
    log.map(({ attempt }: { attempt: number }) => attempt),
    Array.from({ length: mostAttempts }, (_, index) => index + 3),
  )
})

const repeatAttempt = query('test_repeat_attempt', {
  parameters: { id: uuid },
  text: `with more as (
      insert into delivery_attempts (merchant_id, endpoint_id, position, attempt, at, status, error, latency_ms, excerpt)
      select merchant_id, endpoint_id, position, attempt, at, status, error, latency_ms, excerpt from (
        select merchant_id, endpoint_id, position, number as attempt, at, status, error, latency_ms, excerpt
        from delivery_attempts cross join generate_series(2, ${mostAttempts} + 2) as number where endpoint_id = :id
      ) as repeated
    )
    update deliveries set attempts = ${mostAttempts} + 2 where endpoint_id = :id`,
})

const remains = query('test_what_remains_of_endpoint', {
  parameters: { id: uuid },
  row: { deliveries: text, attempts: text, lanes: text },
  text: `select (select count(*) from deliveries where endpoint_id = :id)::text as deliveries,
    (select count(*) from delivery_attempts where endpoint_id = :id)::text as attempts,
    (select count(*) from delivery_lanes where endpoint_id = :id)::text as lanes`,
})

onEngines(
  'of a removed endpoint what was never tried goes at once, with its lane; what was tried is kept as long as any other',
  async (service) => {
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const [served, down, other] = [
      await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] }),
      await addEndpoint(shop, { url: receiver.url }),
      await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] }),
    ]
    const left = async (endpoint: { readonly id: string }) => {
      const [row] = await service.context.query(remains, { id: endpoint.id })
      return Object.values(row ?? {}).map(Number)
    }
    await shop.post(`/endpoints/${served.id}/test`, {})
    await runDeliveries(service)
    receiver.answer = 503
    // Three that fail, then a pause.
    for (const [queued, tried] of [1, 2, 3, 3, 3].entries()) {
      // For all that hear of it, as one for this endpoint alone would end the pause.
      const event = { paymentId: null, sequence: null, endpointId: null, kind: 'endpoint.test', body: '{}' }
      await service.context.transaction(async (tx) =>
        enqueueNotifications(tx, [{ ...event, merchantId: shop.merchantId, at: tx.now }]),
      )
      await runDeliveries(service)
      assert.deepEqual(await left(down), [queued + 1, tried, 1])
    }
    await shop.post(`/endpoints/${other.id}/test`, {})
    await runDeliveries(service)
    for (const { id } of [served, down]) assert.equal((await shop.remove(`/endpoints/${id}`)).status, 200)
    while ((await cleanDeliveries(service.context)) > 0);
    assert.deepEqual(await left(served), [1, 1, 0])
    assert.deepEqual(await left(down), [3, 3, 1])
    service.clock.advance(31 * day)
    while ((await cleanDeliveries(service.context)) > 0);
    assert.deepEqual(await left(served), [0, 0, 0])
    assert.deepEqual(await left(down), [0, 0, 0])
    assert.deepEqual(await left(other), [1, 1, 1], 'what an endpoint is still to get stays')
    await shop.patch(`/endpoints/${other.id}`, { enabled: false })
  },
)

const failAll = query('test_fail_deliveries', {
  parameters: { endpointId: uuid },
  text: `update deliveries set status = 'failed' where endpoint_id = :endpointId`,
})

onEngines(
  'an operator sends events to all endpoints of a merchant again, by payments, types and a span',
  async (service) => {
    await using receiver = await openReceiver()
    await using subscriber = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', name: 'Shop of endpoints' })
    const operator = openOperator(service)
    const all = await addEndpoint(shop, { url: receiver.url })
    const paid = await addEndpoint(shop, { url: subscriber.url, kinds: ['payment.paid'] })
    const off = await addEndpoint(shop, { url: 'https://shop.example.com/off' })
    await shop.patch(`/endpoints/${off.id}`, { enabled: false })
    const start = service.clock.now
    await pay(service, shop, 'one')
    service.clock.advance(minute)
    await pay(service, shop, 'two')
    await service.context.query(failAll, { endpointId: paid.id })
    assert.equal((await deliveriesOf(shop, paid.id, 'failed')).length, 2)
    const sentBefore = [receiver.calls.length, subscriber.calls.length]
    const redeliver = async (body: object) => {
      const answer = await operator.call('POST', `/merchants/${shop.merchantId}/redeliver`, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.endpoints.map(({ endpointId, state, events }: Record<string, unknown>) => [
        [all.id, paid.id, off.id].indexOf(String(endpointId)),
        state,
        events,
      ])
    }
    const idOf = async (orderId: string): Promise<string> => (await shop.get(`/payments/byOrderId/${orderId}`)).body.id
    const [one, two] = [await idOf('one'), await idOf('two')]
    const cases: [body: object, events: [number, number]][] = [
      [{ since: iso(start) }, [0, 2]],
      [{ since: iso(start), kinds: ['payment.paid'], delivered: true }, [2, 2]],
      [{ since: iso(start), kinds: ['payment.expired'], delivered: true }, [0, 0]],
      [{ since: iso(start), until: iso(start + minute) }, [0, 1]],
      [{ paymentIds: [two], delivered: true }, [1, 1]],
      [{ paymentIds: [two], kinds: ['payment.expired'] }, [0, 0]],
      [{ paymentIds: [shop.merchantId] }, [0, 0]],
    ]
    for (const [body, [toAll, toPaid]] of cases) {
      assert.deepEqual(
        await redeliver({ ...body, preview: true }),
        [
          [0, 'possible', toAll],
          [1, 'possible', toPaid],
          [2, 'refused', 0],
        ],
        JSON.stringify(body),
      )
    }
    assert.deepEqual([receiver.calls.length, subscriber.calls.length], sentBefore)
    assert.deepEqual(await redeliver({ paymentIds: [one] }), [
      [0, 'done', 0],
      [1, 'done', 1],
      [2, 'refused', 0],
    ])
    const { action, details } = await operator.lastAudit()
    assert.deepEqual([action, details['events'], details['paymentIds']], ['endpoint.redeliver-events', 1, [one]])
    await runDeliveries(service)
    assert.deepEqual(subscriber.calls.at(-1)?.data.orderId, 'one')
    const payin = payinOf(service)
    const words = ['endpoints', 'redeliver-events', 'Shop of endpoints']
    const counted = await payin([...words, '--payment', 'one', '--payment', 'two', '--delivered', '--preview'])
    assert.match(counted.out, /^ADDRESS +STATE +EVENTS .*4 events would be sent again\.\n$/s, counted.error)
    const sent = await payin([...words, '--payment', 'one', '--payment', 'two', '--kinds', 'payment.paid'])
    assert.match(sent.out, / refused +0 +The endpoint is disabled.*\n1 events are sent again\.\n$/s)
    assert.equal(sent.code, 1)
    const none = await payin([...words, '--payment', 'one', '--preview'])
    assert.match(none.out, /0 events would be sent again\. Waiting ones are sent anyway; .* --delivered\.\n$/)
    await runDeliveries(service)
    assert.deepEqual(subscriber.calls.at(-1)?.data.orderId, 'two')
    assert.deepEqual(await deliveriesOf(shop, paid.id, 'failed'), [])
    assert.match((await payin(words)).error, /--since is needed without payments/)
    assertProblem(
      await operator.call('POST', `/merchants/${shop.merchantId}/redeliver`, {}),
      400,
      'validation_failed',
      ['since'],
    )
    await assertHealthy(service)
  },
)
