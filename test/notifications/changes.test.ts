// Endpoints that change while events are made and sent.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { bigint, query, text } from 'payin-database'
import { day, hour } from '../../src/rules/time.ts'
import { holdQueueing, queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { renewLanes } from '../../src/engine/notifications/deliveries/lanes/store.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import { type Call, openReceiver, verify } from '../support/receiver.ts'
import { openShop } from '../support/shop.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

// Before the tests that turn the clock: signatures are judged by the real time.
onEngines(
  'a secret that is replaced without an overlap signs nothing more, also where an attempt is under way',
  async (shared) => {
    let renewals = 0
    const counted: typeof shared.context.query = (wanted, parameters) => {
      if (wanted.name === renewLanes.name) renewals++
      return shared.context.query(wanted, parameters)
    }
    const service = { ...shared, context: { ...shared.context, query: counted } }
    await using receiver = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { id, secret } = await addEndpoint(shop, { url: receiver.url })
    const accepts = (known: string, call: Call | undefined): boolean => {
      assert.ok(call)
      try {
        verify(known, call)
        return true
      } catch {
        return false
      }
    }
    let fresh = ''
    receiver.answer = (call, response) => {
      receiver.answer = 204
      assert.ok(accepts(secret, call))
      void (async () => {
        // Once the sender has read the secrets again it does so of its own accord a second later.
        for (const before = renewals; renewals === before; ) await sleep(5)
        fresh = (await shop.post(`/endpoints/${id}/rotate`, { overlapMs: 0 })).body.secret
        await shop.post(`/endpoints/${id}/test`, {})
        await queueDeliveries(service.context)
        // The answer comes when the other one has gone, so that the lane was held all the time.
        while (receiver.calls.length < 2) await sleep(5)
        response.writeHead(204).end()
      })()
    }
    await shop.post(`/endpoints/${id}/test`, {})
    await runDeliveries(service)
    assert.equal(receiver.calls.length, 2)
    assert.deepEqual([accepts(secret, receiver.calls[1]), accepts(fresh, receiver.calls[1])], [false, true])
  },
)

const lockWaiters = query('test_lock_waiters', {
  row: { waiting: bigint },
  text: `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
})

onPostgres('events are placed while endpoints are changed without a pause', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: 'https://shop.example.com/' })
  const { context } = service
  let editing = true
  const waiting = async () => Number((await context.query(lockWaiters, {}))[0]?.waiting ?? 0)
  // Each goes only when the next one waits, so that the lock is never free.
  const edit = (): Promise<void> =>
    context.transaction(async (tx) => {
      await holdQueueing(tx, shop.merchantId)
      while (editing && (await waiting()) === 0) await sleep(1)
    })
  const editors = [1, 2, 3].map(async () => {
    while (editing) await edit()
  })
  try {
    for (let round = 0; round < 3; round++) {
      await shop.post(`/endpoints/${id}/test`, {})
      let placed = 0
      // The job tries twice a second.
      for (let tries = 0; placed === 0 && tries < 6; tries++) {
        placed = await queueDeliveries(context)
        await sleep(20)
      }
      assert.equal(placed, 1, `round ${round}`)
    }
  } finally {
    editing = false
    await Promise.all(editors)
  }
  await shop.patch(`/endpoints/${id}`, { enabled: false })
})

const setting = query('test_setting', {
  parameters: { name: text },
  row: { value: text },
  text: `select current_setting(:name) as value`,
})

const shorten = query('test_shorten_idle_transactions', {
  text: `select from set_config('idle_in_transaction_session_timeout', '50ms', true)`,
})

onPostgres('a transaction of a process that hangs is ended by the server, and with it its locks', async (service) => {
  const [row] = await service.context.query(setting, { name: 'idle_in_transaction_session_timeout' })
  assert.equal(row?.value, '30s')
  let tries = 0
  const done = await service.context.transaction(async (tx) => {
    tries++
    if (tries === 1) {
      await tx.query(shorten, {})
      await sleep(150)
    }
    return (await tx.query(setting, { name: 'statement_timeout' })).length
  })
  assert.deepEqual([tries, done], [2, 1], 'it is done again, as after any connection that is lost')
})

onEngines('410 from an address that the endpoint has left meanwhile does not disable it', async (service) => {
  await using former = await openReceiver()
  await using present = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: former.url })
  former.answer = (_call, response) => {
    void shop.patch(`/endpoints/${id}`, { url: present.url }).then(() => response.writeHead(410).end())
  }
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  assert.equal(former.calls.length, 1)
  assert.equal((await shop.get(`/endpoints/${id}`)).body.enabled, true)
  assert.ok(!service.logs.some((line) => line.includes('endpoint-disabled')))
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  assert.equal(present.calls.length, 2, 'also what the former one wanted no more')
  assert.deepEqual(
    (await deliveriesOf(shop, id)).map(({ status }) => status),
    ['delivered', 'delivered'],
  )
  // The address that it has now is believed.
  present.answer = 410
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  assert.equal((await shop.get(`/endpoints/${id}`)).body.disabledReason, 'gone')
})

onEngines('an address that takes over from one that has failed for days is not blamed for it', async (service) => {
  await using former = await openReceiver()
  await using present = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: former.url })
  former.answer = 500
  present.answer = 500
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  service.clock.advance(5 * day - hour)
  former.answer = (_call, response) => {
    void shop.patch(`/endpoints/${id}`, { url: present.url }).then(() => response.writeHead(500).end())
  }
  await runDeliveries(service)
  assert.equal(former.calls.length, 2)
  service.clock.advance(2 * hour)
  await runDeliveries(service)
  assert.ok(present.calls.length > 0)
  assert.equal((await shop.get(`/endpoints/${id}`)).body.enabled, true)
  present.answer = 204
  service.clock.advance(day)
  await runDeliveries(service)
  assert.deepEqual(
    (await deliveriesOf(shop, id)).map(({ status }) => status),
    ['delivered'],
  )
})
