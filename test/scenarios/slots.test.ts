import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { boolean, integer, query } from 'payin-database'
import { day, hour, minute } from '../../src/rules/time.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { listHolders } from '../../src/engine/requisites/read.ts'
import { onBothEngines, onOneEngine, onPostgres, type TestService } from '../support/service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const create = async (shop: Shop, orderId: string, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(orderId, fields)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.payment.id as string, requisiteId: body.card.id as string }
}

const cutOthers = query('test_cut_others', {
  row: { cut: boolean },
  text: `select pg_terminate_backend(pid) as cut from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
})

const slotCounts = query('test_slot_counts', {
  row: { rows: integer, past: integer },
  text: `select (select count(*)::integer from slots) as rows, (select count(*)::integer from past_slots) as past`,
})

const countSlots = async (service: TestService) => {
  const [counts] = await service.context.query(slotCounts, {})
  assert.ok(counts)
  return counts
}

const cancel = ({ context }: TestService, shop: Shop, id: string) =>
  context.transaction((tx) =>
    cancelPayment(tx, { merchantId: shop.merchantId, id }, { actor: 'merchant', reason: 'canceled-by-merchant' }),
  )

onOneEngine('a claimed payment is paid by exact money that the bank booked after the grace', async (service) => {
  const shop = await openShop(service)
  const { id, requisiteId } = await create(shop, 'claimed')
  service.clock.advance(29 * minute)
  await claimPayment(service.context, shop.merchantId, id)
  service.clock.advance(31 * minute)
  const recorded = await payIn(service, { requisiteId, minor: 5000_00n })
  assert.equal(recorded.outcome, 'late')
  assert.equal(await shop.status('claimed'), 'paid')
})

onOneEngine('a payment is paid by exact money of a bank whose clock is hours ahead', async (service) => {
  const shop = await openShop(service, { terms: { lateWindowMs: day } })
  const { requisiteId } = await create(shop, 'ahead')
  await payIn(service, { requisiteId, minor: 5000_00n, bookedAt: service.clock.now + 3 * hour })
  assert.equal(await shop.status('ahead'), 'paid')
})

onOneEngine('a claimed payment keeps its slot beyond a short late window', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: 0, graceMs: 0 } })
  const { id, requisiteId } = await create(shop, 'claimed')
  service.clock.advance(29 * minute)
  await claimPayment(service.context, shop.merchantId, id)
  service.clock.advance(hour)
  assert.equal((await shop.create('other')).body.code, 'requisites_unavailable')
  await payIn(service, { requisiteId, minor: 5000_00n })
  assert.equal(await shop.status('claimed'), 'paid')
})

onBothEngines(
  'late money finds the payment that held the slot, though two took it in the same millisecond',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const unseen = await create(shop, 'unseen', { type: 'staged' })
    await cancel(service, shop, unseen.id)
    const { requisiteId } = await create(shop, 'held')
    service.clock.advance(hour)
    const bookedAt = service.clock.now
    await service.runJobs()
    service.clock.advance(2 * day)
    await create(shop, 'next')
    const recorded = await payIn(service, { requisiteId, minor: 5000_00n, bookedAt })
    assert.equal(recorded.outcome, 'late')
    assert.equal(await shop.status('held'), 'paid')
    assert.equal(await shop.status('next'), 'new')
  },
)

onPostgres('an orderId that another node is just inserting takes no second slot', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const { context } = service
  const request = { type: 'direct', amount: '5000', orderId: 'raced', currency: 'rub', method: 'sbp' } as const
  const command = { merchantId: shop.merchantId, request }
  const [other, own] = await context.transaction(async (tx) => {
    const first = await createPayments({ ...context, query: (each, parameters) => tx.query(each, parameters) }, [
      command,
    ])
    const second = createPayments(context, [command])
    // It has taken a slot of its own and waits for the orderId.
    await setTimeout(300)
    return [first[0], { second }]
  })
  const [answered] = await own.second
  assert.ok(other?.kind === 'created' && answered?.kind === 'existing')
  assert.equal(answered.payment.id, other.payment.id)
  const slots = await Promise.all(
    shop.requisiteIds.map((id) =>
      listHolders(context, [{ requisiteId: id, since: service.clock.now, until: service.clock.now }]),
    ),
  )
  assert.deepEqual(
    slots.flat().map((slot) => slot.paymentId),
    [other.payment.id],
  )
})

onPostgres('connections that are cut lose no create and make none twice', async (service) => {
  const shop = await openShop(service, { perMethod: 30 })
  let cutting = true
  const cutter = (async () => {
    for (let cuts = 0; cutting && cuts < 100; cuts++) {
      await service.context.query(cutOthers, {}).catch(() => undefined)
      await setTimeout(5)
    }
  })()
  const answers: Answer[] = []
  for (let round = 0; round < 20; round++) {
    const orders = Array.from({ length: 25 }, (_, index) => round * 25 + index)
    const created = orders.map((order) => shop.create(`cut-${order}`, { amount: 1000 + order }))
    answers.push(...(await Promise.all(created)))
  }
  cutting = false
  await cutter
  // Three cuts in a row are reported to the caller, who may ask again; nothing else may come of them.
  const codes = new Map<string, number>()
  for (const { status, body } of answers) {
    const code = status === 201 ? 'created' : String(body.code ?? status)
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  assert.deepEqual(
    [...codes.keys()].filter((code) => code !== 'created' && code !== 'database_unavailable'),
    [],
  )
  assert.ok((codes.get('created') ?? 0) > 100, JSON.stringify([...codes]))
  for (let order = 0; order < 500; order++) {
    const again = await shop.create(`cut-${order}`, { amount: 1000 + order })
    assert.ok([200, 201].includes(again.status))
    const first = answers[order]
    if (first?.status === 201) assert.deepEqual([again.status, again.body], [200, first.body])
  }
})

onBothEngines(
  'a slot that ended a week ago makes room, and money booked in its time still finds it',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const { id, requisiteId } = await create(shop, 'long-ago')
    const bookedAt = service.clock.now + hour
    service.clock.advance(9 * day)
    await service.runJobs()
    const { rows, past } = await countSlots(service)
    assert.deepEqual([rows, past], [0, 1])
    await create(shop, 'today')
    const recorded = await payIn(service, { requisiteId, minor: 5000_00n, bookedAt })
    assert.deepEqual([recorded.outcome, recorded.paymentId], ['late', id])
    assert.deepEqual([await shop.status('long-ago'), await shop.status('today')], ['paid', 'new'])
  },
)
