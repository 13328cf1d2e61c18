// Reminders of acknowledgements, by several workers and next to acknowledgements.
import assert from 'node:assert/strict'
import pino from 'pino'
import { hour, minute, second } from '../../src/rules/time.ts'
import { integer, query, uuid } from 'payin-database'
import { remindOfAcks } from '../../src/engine/payments/reminders/remind-of-acks.ts'
import { markAcknowledged } from '../../src/engine/payments/store.ts'
import { startService } from '../../src/process/start-service.ts'
import type { TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

const remindedOf = async (service: TestService, shop: Shop): Promise<string[]> => {
  await service.runJobs()
  const { events } = (await shop.get('/events?limit=500')).body
  return events
    .filter(({ type }: { type: string }) => type === 'payment.ack-overdue')
    .map(({ data }: { data: { orderId: string } }) => data.orderId)
}

const openPaid = async (service: TestService, count: number) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: count })
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { body } = await shop.create(`order-${index}`, { amount: 5000 + index })
    await payIn(service, { requisiteId: body.card.id, minor: BigInt(5000 + index) * 100n })
    ids.push(body.payment.id)
  }
  await service.runJobs()
  return { shop, ids }
}

onPostgres('two workers remind of each credit once', async (service) => {
  const count = 20
  const { shop } = await openPaid(service, count)
  const other = await startService({
    settings: service.context.settings,
    clock: () => service.clock.now,
    log: pino({ level: 'silent' }),
  })
  try {
    for (const wait of [5 * minute, hour]) {
      service.clock.advance(wait)
      const workers = [service, other, service, other].map(({ context }) => remindOfAcks(context))
      const reminded = (await Promise.all(workers)).reduce((sum, each) => sum + each, 0)
      assert.equal(reminded, count)
    }
    const orders = Array.from({ length: count }, (_, index) => `order-${index}`)
    assert.deepEqual((await remindedOf(service, shop)).toSorted(), [...orders, ...orders].toSorted())
  } finally {
    await other.stop()
  }
})

onPostgres('nothing reminds of a credit that is being acknowledged at the moment', async (service) => {
  const { shop, ids } = await openPaid(service, 2)
  const { context } = service
  service.clock.advance(5 * minute)
  await context.transaction(async (tx) => {
    const acknowledged = await tx.query(markAcknowledged, {
      now: tx.now,
      rows: ids.slice(0, 1).map((id) => ({ merchantId: shop.merchantId, id, sequence: 2 })),
    })
    assert.equal(acknowledged.length, 1)
    assert.equal(await remindOfAcks(context), 1, 'the other one')
    assert.equal(await remindOfAcks(context), 0)
  })
  service.clock.advance(second)
  assert.equal(await remindOfAcks(context), 0)
  assert.deepEqual(await remindedOf(service, shop), ['order-1'])
  service.clock.advance(hour)
  assert.deepEqual(await remindedOf(service, shop), ['order-1', 'order-1'])
})

const countReminders = query('test_count_reminders', {
  parameters: { merchantId: uuid },
  row: { reminders: integer },
  text: 'select count(*)::integer as reminders from payments where merchant_id = :merchantId and reminders > 0',
})

onEngines('a credit that is acknowledged in time has no reminder written', async (service) => {
  const { shop } = await openPaid(service, 2)
  const { context, clock } = service
  const remindersAfter = async (ms: number): Promise<number | undefined> => {
    clock.advance(ms)
    await remindOfAcks(context)
    const [row] = await context.query(countReminders, { merchantId: shop.merchantId })
    return row?.reminders
  }
  const acknowledge = async (orderId: string): Promise<void> =>
    assert.equal((await shop.post('/payments/byOrderId/ack', { orderId })).status, 200)
  await acknowledge('order-0')
  assert.equal(await remindersAfter(5 * minute - second), 0)
  assert.equal(await remindersAfter(second), 1)
  assert.deepEqual(await remindedOf(service, shop), ['order-1'])
  await acknowledge('order-1')
  assert.equal(await remindersAfter(hour), 0)
})

onPostgres('a credit by a clock that was ahead holds up the reminder of no other', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 2 })
  const credit = async (index: number): Promise<void> => {
    const { body } = await shop.create(`order-${index}`, { amount: 5000 + index })
    await payIn(service, { requisiteId: body.card.id, minor: BigInt(5000 + index) * 100n })
    await service.runJobs()
  }
  service.clock.advance(2 * hour)
  await credit(0)
  service.clock.advance(-2 * hour)
  await credit(1)
  service.clock.advance(5 * minute)
  assert.deepEqual(await remindedOf(service, shop), ['order-1'])
  service.clock.advance(2 * hour)
  assert.deepEqual(await remindedOf(service, shop), ['order-1', 'order-1', 'order-0'])
})
