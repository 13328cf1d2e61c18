import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { day, hour, minute } from '../../src/domain/time.ts'
import { cancelPayment } from '../../src/payments/cancel-payment.ts'
import { claimPayment } from '../../src/payments/claim-payment.ts'
import { createPayments } from '../../src/payments/create-payments.ts'
import { listHolders } from '../../src/requisites/list-holders.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const create = async (shop: Shop, orderId: string, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(orderId, fields)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.payment.id as string, requisiteId: body.card.id as string }
}

const cancel = ({ context }: TestService, shop: Shop, id: string) =>
  context.transaction((tx) =>
    cancelPayment(tx, { merchantId: shop.merchantId, id }, { actor: 'merchant', reason: 'canceled-by-merchant' }),
  )

onBothEngines('a claimed payment is paid by exact money that the bank booked after the grace', async (service) => {
  const shop = await openShop(service)
  const { id, requisiteId } = await create(shop, 'claimed')
  service.clock.advance(29 * minute)
  await claimPayment(service.context, shop.merchantId, id)
  service.clock.advance(31 * minute)
  const recorded = await payIn(service, { requisiteId, minor: 5000_00n })
  assert.equal(recorded.outcome, 'late')
  assert.equal(await shop.status('claimed'), 'paid')
})

onBothEngines('a payment is paid by exact money of a bank whose clock is hours ahead', async (service) => {
  const shop = await openShop(service)
  const { requisiteId } = await create(shop, 'ahead')
  await payIn(service, { requisiteId, minor: 5000_00n, bookedAt: service.clock.now + 3 * hour })
  assert.equal(await shop.status('ahead'), 'paid')
})

onBothEngines('a claimed payment keeps its slot beyond a short late window', async (service) => {
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

onBothEngines('an orderId that another node is just inserting takes no second slot', async (service) => {
  // The embedded engine belongs to one node.
  if (service.engine === 'embedded') return
  const shop = await openShop(service, { perMethod: 2 })
  const { context } = service
  const request = { type: 'direct', amount: '5000', orderId: 'raced', currency: 'rub', method: 'sbp' } as const
  const command = { merchantId: shop.merchantId, request }
  const [other, own] = await context.transaction(async (tx) => {
    const first = await createPayments(
      { ...context, query: (statement, parameters) => tx.query(statement, parameters) },
      [command],
    )
    const second = createPayments(context, [command])
    // It has taken a slot of its own and waits for the orderId.
    await setTimeout(300)
    return [first[0], { second }]
  })
  const [answered] = await own.second
  assert.ok(other?.kind === 'created' && answered?.kind === 'existing')
  assert.equal(answered.payment.id, other.payment.id)
  const slots = await Promise.all(shop.requisiteIds.map((id) => listHolders(context, id, service.clock.now)))
  assert.deepEqual(
    slots.flat().map((slot) => slot.paymentId),
    [other.payment.id],
  )
})
