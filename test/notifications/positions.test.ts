// The positions of notifications, which are given by the transactions that write them.
import assert from 'node:assert/strict'
import type { Context } from '../../src/engine/context.ts'
import { bigint, query, text, uuid } from 'payin-database'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { updateEndpoint } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { enqueueNotifications } from '../../src/engine/notifications/enqueue-notifications.ts'
import { addEndpoint, deliveriesOf } from '../support/notified.ts'
import type { TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { addEndpoints, addEvents } from './add-events.ts'
import { removeEndpoints, shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

const event = (merchantId: string, name: string) => ({
  ...{ merchantId, paymentId: null, sequence: null, endpointId: null, kind: 'endpoint.test', at: 0 },
  body: JSON.stringify({ type: 'endpoint.test', timestamp: '2026-01-01T00:00:00.000Z', data: { name } }),
})

/** Writes events of merchants, and calls `last` when they have their positions, before the commit. */
const write = (
  context: Context,
  merchants: readonly string[],
  name: string,
  last: () => Promise<void> = async () => undefined,
): Promise<void> =>
  context.transaction(async (tx) => {
    for (const merchantId of merchants) enqueueNotifications(tx, [event(merchantId, name)])
    tx.beforeCommit(last, [name])
  })

const feedOf = async (shop: Shop): Promise<string[]> =>
  (await shop.get('/events?limit=500')).body.events.map(({ data }: { data: { name: string } }) => data.name)

const lockWaiters = query('test_position_waiters', {
  row: { waiting: bigint },
  text: `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
})

const waitForWaiter = ({ context }: TestService): Promise<void> =>
  until('a transaction waits', async () => (await context.query(lockWaiters, {}))[0]?.waiting === 1n)

onPostgres(
  'of two transactions that write at the same time, the one that commits later has the later positions',
  async (service) => {
    const shop = await openShop(service, { perMethod: 0 })
    const release = Promise.withResolvers<void>()
    const placed = Promise.withResolvers<void>()
    const first = write(service.context, [shop.merchantId, shop.merchantId], 'first', async () => {
      placed.resolve()
      await release.promise
    })
    await placed.promise
    const second = write(service.context, [shop.merchantId], 'second')
    await waitForWaiter(service)
    assert.deepEqual(await feedOf(shop), [])
    release.resolve()
    await Promise.all([first, second])
    assert.deepEqual(await feedOf(shop), ['first', 'first', 'second'])
    assert.equal((await shop.get('/events')).body.cursor, '3')
  },
)

onPostgres('a transaction that is rolled back leaves no gap, and gives way to the one that waits', async (service) => {
  const shop = await openShop(service, { perMethod: 0 })
  await write(service.context, [shop.merchantId], 'before')
  const release = Promise.withResolvers<void>()
  const placed = Promise.withResolvers<void>()
  const undone = new Error('undone')
  const first = write(service.context, [shop.merchantId], 'gone', async () => {
    placed.resolve()
    await release.promise
    throw undone
  })
  const refused = assert.rejects(first, undone)
  await placed.promise
  const second = write(service.context, [shop.merchantId], 'after')
  await waitForWaiter(service)
  release.resolve()
  await Promise.all([refused, second])
  assert.deepEqual(await feedOf(shop), ['before', 'after'])
  assert.equal((await shop.get('/events')).body.cursor, '2')
})

onPostgres(
  'transactions with the same merchants in different orders do not wait for each other in a circle',
  async (service) => {
    const shops = [await openShop(service, { perMethod: 0 }), await openShop(service, { perMethod: 0 })]
    const merchants = shops.map(({ merchantId }) => merchantId)
    let tries = 0
    const writers = [merchants, merchants.toReversed()].map(async (order) => {
      for (let round = 0; round < 50; round++) {
        await service.context.transaction(async (tx) => {
          tries++
          for (const merchantId of order) enqueueNotifications(tx, [event(merchantId, String(round))])
        })
      }
    })
    await Promise.all(writers)
    assert.equal(tries, 100, 'none was ended by a deadlock and tried again')
    for (const shop of shops) assert.equal((await feedOf(shop)).length, 100)
  },
)

const countEvents = query('test_count_events', {
  parameters: { merchantId: uuid },
  row: { events: bigint },
  text: `select count(*) as events from outbox where merchant_id = :merchantId`,
})

onEngines('what a transaction enqueues in parts is written in its order, when its work has ended', async (service) => {
  const shops = [await openShop(service, { perMethod: 0 }), await openShop(service, { perMethod: 0 })]
  const written = await service.context.transaction(async (tx) => {
    for (const name of ['a', 'b', 'c']) {
      for (const { merchantId } of shops) enqueueNotifications(tx, [event(merchantId, name)])
    }
    return tx.query(countEvents, { merchantId: shops[0]?.merchantId ?? '' })
  })
  assert.deepEqual(written, [{ events: 0n }])
  for (const shop of shops) assert.deepEqual(await feedOf(shop), ['a', 'b', 'c'])
})

onPostgres('a change of an endpoint falls between two events, and holds up nobody who writes one', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { merchantId } = shop
  const { id } = await addEndpoint(shop, { url: 'https://shop.example.com/' })
  const { context } = service
  await write(context, [merchantId], 'before')
  assert.equal(await queueDeliveries(context), 1)
  const release = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const policy = { loopbackAllowed: true, mayBePublic: () => true }
  const change = context.transaction(async (tx) => {
    await updateEndpoint(tx, policy, { merchantId, id }, { kinds: ['payment.paid'], by: 'merchant' })
    changed.resolve()
    await release.promise
  })
  await changed.promise
  await write(context, [merchantId], 'meanwhile')
  assert.deepEqual(await feedOf(shop), ['before', 'meanwhile'])
  assert.equal(await queueDeliveries(context), 0, 'it waits for the change')
  release.resolve()
  await change
  assert.equal(await queueDeliveries(context), 1)
  assert.equal((await deliveriesOf(shop, id)).length, 1, 'the endpoint no longer receives the kind of the second event')
  assert.equal((await shop.patch(`/endpoints/${id}`, { kinds: [] })).status, 200)
  await write(context, [merchantId], 'after')
  assert.equal(await queueDeliveries(context), 1)
  assert.equal((await deliveriesOf(shop, id)).length, 2)
})

const endProcess = query('test_end_process', {
  row: { name: text },
  text: `select pg_terminate_backend(pg_backend_pid())::text as name`,
})

onPostgres('a process that dies while it queues loses no delivery and makes none twice', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const [id = ''] = await addEndpoints(service, shop.merchantId, ['https://shop.example.com/'])
  const { context } = service
  const dying: Context = {
    ...context,
    transaction: (work) =>
      context.transaction(async (tx) => {
        await work(tx)
        await tx.query(endProcess, {}).catch(() => undefined)
        throw new Error('the process has died')
      }),
  }
  await addEvents(service, shop.merchantId, 3)
  await assert.rejects(queueDeliveries(dying), /the process has died|terminat/i)
  assert.equal((await deliveriesOf(shop, id)).length, 0)
  assert.equal(await queueDeliveries(context), 3)
  assert.equal(await queueDeliveries(context), 0)
  assert.equal((await deliveriesOf(shop, id)).length, 3)
  await removeEndpoints(service)
})

onEngines('an event that is not queued yet is not sent again as missed', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id } = await addEndpoint(shop, { url: 'https://shop.example.com/' })
  const { context } = service
  await addEvents(service, shop.merchantId, 1)
  const redeliver = async (): Promise<number> => {
    const since = new Date(context.clock() - 60_000).toISOString()
    return (await shop.post(`/endpoints/${id}/redeliver`, { since })).body.events
  }
  assert.equal(await redeliver(), 0)
  assert.equal(await queueDeliveries(context), 1)
  assert.equal((await deliveriesOf(shop, id)).length, 1)
})

onEngines('a long queue of one merchant delays no other', async (service) => {
  const [long, short] = [
    await openShop(service, { mode: 'sandbox', perMethod: 0 }),
    await openShop(service, { mode: 'sandbox', perMethod: 0 }),
  ]
  const [id = ''] = await addEndpoints(service, short.merchantId, ['https://shop.example.com/'])
  await addEvents(service, long.merchantId, 2500)
  await addEvents(service, short.merchantId, 1)
  assert.equal(await queueDeliveries(service.context), 1001)
  assert.equal((await deliveriesOf(short, id)).length, 1)
  assert.equal(await queueDeliveries(service.context), 1500)
  await removeEndpoints(service)
})
