// Payments that hold the same amount on one requisite at a time (docs/domain.md §3.5).
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Tx } from '../../src/engine/context.ts'
import { integer, query, uuid } from 'payin-database'
import { hour, minute } from '../../src/rules/time.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { claimPayment, collectPayer, switchMethod } from '../../src/engine/payments/payer-changes.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { turnPayments } from '../../src/engine/payments/turning/turn-payments.ts'
import { listHolders } from '../../src/engine/requisites/read.ts'
import { archiveSlots, releaseSlots } from '../../src/engine/requisites/slots.ts'
import { assertHealthy, onBothEngines, onOneEngine, onPostgres, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const price = { amount: 990 }
const staged = { ...price, type: 'staged' }

const create = async (shop: Shop, orderId: string, fields: Record<string, unknown> = staged) => {
  const { status, body } = await shop.create(orderId, fields)
  assert.equal(status, 201, JSON.stringify(body))
  const { id: requisiteId, bankIssuer } = body.card as { id: string; bankIssuer: string }
  return { id: body.payment.id as string, requisiteId, bankIssuer }
}

const cancel = ({ context }: TestService, shop: Shop, id: string) =>
  context.transaction((tx) =>
    cancelPayment(tx, { merchantId: shop.merchantId, id }, { actor: 'merchant', reason: 'canceled-by-merchant' }),
  )

const show = ({ context }: TestService, shop: Shop, id: string, phone = '79991234567') =>
  collectPayer(context, shop.merchantId, id, { phone, bankIssuer: null })

/** The payments that hold an amount on a requisite now. */
const holdersNow = async ({ context, clock }: TestService, requisiteId: string): Promise<string[]> => {
  const holders = await listHolders(context, [{ requisiteId, since: clock.now, until: clock.now }])
  return holders.map(({ paymentId }) => paymentId).toSorted()
}

const countSharing = query('test_count_sharing', {
  parameters: { merchantId: uuid },
  row: { sharing: integer },
  text: `select count(*)::integer as sharing from payments where merchant_id = :merchantId and shares_slot`,
})

const sharing = async ({ context }: TestService, shop: Shop): Promise<number> =>
  (await context.query(countSharing, { merchantId: shop.merchantId }))[0]?.sharing ?? 0

onBothEngines(
  'staged payments of one price share the only account, one after the other and at once',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const inTurn = [await create(shop, 'turn-0'), await create(shop, 'turn-1'), await create(shop, 'turn-2')]
    const atOnce = await Promise.all(Array.from({ length: 20 }, (_, index) => create(shop, `once-${index}`)))
    const all = [...inTurn, ...atOnce]
    assert.equal(new Set(all.map(({ requisiteId }) => requisiteId)).size, 1)
    assert.deepEqual(await holdersNow(service, all[0]?.requisiteId ?? ''), all.map(({ id }) => id).toSorted())
    assert.equal(await sharing(service, shop), all.length - 1)
    // The same order again is the same payment.
    assert.equal((await shop.create('turn-1', staged)).body.payment.id, all[1]?.id)
    await assertHealthy(service)
  },
)

onOneEngine('at most 50 payments share an amount, on the account with the fewest', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const all: { requisiteId: string }[] = []
  for (let index = 0; index < 100; index++) all.push(await create(shop, `order-${index}`))
  const counts = Map.groupBy(all, ({ requisiteId }) => requisiteId)
  assert.deepEqual(
    [...counts.values()].map((each) => each.length),
    [50, 50],
  )
  assert.equal((await shop.create('order-100', staged)).body.code, 'requisites_unavailable')
})

const offers: readonly [string, Record<string, unknown>, 'share' | 'refuse' | undefined, boolean][] = [
  ['a staged payment shares', staged, undefined, true],
  ['a staged payment of a merchant that refuses does not', staged, 'refuse', false],
  ['a direct payment does not share', price, undefined, false],
  ['a direct payment of a merchant that shares does', price, 'share', true],
]
for (const [title, fields, equalAmounts, isShared] of offers) {
  onOneEngine(title, async (service) => {
    const shop = await openShop(service, { perMethod: 1, terms: equalAmounts ? { equalAmounts } : {} })
    await create(shop, 'first', fields)
    assert.equal((await shop.create('second', fields)).status, isShared ? 201 : 409)
  })
}

onOneEngine('a staged payment does not join a direct one, nor a direct one a staged one', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  await create(shop, 'direct', price)
  assert.equal((await shop.create('staged', staged)).status, 409)
  await create(shop, 'other-staged', { ...staged, amount: 991 })
  assert.equal((await shop.create('other-direct', { amount: 991 })).status, 409)
})

onOneEngine('a free account comes before a shared one', async (service) => {
  const shop = await openShop(service, { perMethod: 3 })
  const all = [await create(shop, 'a'), await create(shop, 'b'), await create(shop, 'c'), await create(shop, 'd')]
  assert.equal(new Set(all.slice(0, 3).map(({ requisiteId }) => requisiteId)).size, 3)
  assert.equal(await sharing(service, shop), 1)
})

onBothEngines('nobody takes over an amount whose holder has left while others still hold it', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const first = await create(shop, 'first')
  const second = await create(shop, 'second')
  await show(service, shop, second.id)
  // It has shown nothing, so its slot is free at once.
  await cancel(service, shop, first.id)
  assert.deepEqual(await holdersNow(service, first.requisiteId), [second.id])
  assert.equal((await shop.create('direct', price)).status, 409)
  const third = await create(shop, 'third')
  assert.deepEqual(await holdersNow(service, first.requisiteId), [second.id, third.id].toSorted())
  // Neither does the archive remove it from where others look for it.
  service.clock.advance(minute)
  await archiveSlots(service.context)
  assert.equal((await shop.create('direct', price)).status, 409)
  await cancel(service, shop, third.id)
  await cancel(service, shop, second.id)
  assert.deepEqual(await holdersNow(service, first.requisiteId), [second.id], 'it was shown')
  service.clock.advance(26 * hour)
  await service.runJobs()
  await create(shop, 'direct', price)
  await assertHealthy(service)
})

onOneEngine('a sharer that is paid, claimed or expired holds its amount as any other payment', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: hour } })
  const first = await create(shop, 'first')
  const claimed = await create(shop, 'claimed')
  await create(shop, 'expired')
  const { requisiteId } = first
  await cancel(service, shop, first.id)
  await show(service, shop, claimed.id)
  await claimPayment(service.context, shop.merchantId, claimed.id)
  service.clock.advance(105 * minute)
  await service.runJobs()
  // The claimed one waits for its deadline of two hours.
  assert.deepEqual(await holdersNow(service, requisiteId), [claimed.id])
  assert.equal(await shop.status('expired'), 'expired')
  await assertHealthy(service)
  await payIn(service, { requisiteId, minor: 990_00n })
  assert.equal(await shop.status('claimed'), 'paid')
  service.clock.advance(59 * minute)
  assert.deepEqual(await holdersNow(service, requisiteId), [claimed.id], 'it cools down')
  service.clock.advance(minute)
  assert.deepEqual(await holdersNow(service, requisiteId), [])
})

onOneEngine(
  'a payer who switches the method shares there if nothing is free, and keeps both slots',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const held = await create(shop, 'held')
    const card = { ...staged, method: 'card-to-card', sbpEnabled: true }
    const { id, requisiteId } = await create(shop, 'switches', card)
    await show(service, shop, id)
    assert.equal(await switchMethod(service.context, shop.merchantId, id, 'sbp'), 'switched')
    assert.deepEqual(await holdersNow(service, held.requisiteId), [held.id, id].toSorted())
    assert.deepEqual(await holdersNow(service, requisiteId), [id])
    await assertHealthy(service)
    await cancel(service, shop, id)
    service.clock.advance(26 * hour)
    assert.deepEqual(await holdersNow(service, held.requisiteId), [])
  },
)

onOneEngine('a sharer that moves to the account of its bank ends its hold', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const own = await create(shop, 'own')
  const other = await create(shop, 'other')
  const sharer = await create(shop, 'sharer')
  assert.equal(sharer.requisiteId, own.requisiteId)
  await cancel(service, shop, other.id)
  const { bankIssuer } = other
  await collectPayer(service.context, shop.merchantId, sharer.id, { phone: '79991234567', bankIssuer })
  assert.deepEqual(await holdersNow(service, own.requisiteId), [own.id])
  assert.deepEqual(await holdersNow(service, other.requisiteId), [sharer.id])
  assert.equal(await sharing(service, shop), 0)
  await assertHealthy(service)
})

onOneEngine('the clock of a sandbox shop turns the holds of its sharers', async (service) => {
  const shop = await openShop(service, { perMethod: 1, mode: 'sandbox', terms: { lateWindowMs: hour } })
  const first = await create(shop, 'first')
  await create(shop, 'second')
  await cancel(service, shop, first.id)
  const turn = { byMs: 3 * hour, now: service.clock.now }
  await turnPayments(service.context, shop.merchantId, turn)
  assert.deepEqual(await holdersNow(service, first.requisiteId), [])
  assert.equal(await shop.status('second'), 'expired')
  await create(shop, 'direct', price)
})

const order = ({ merchantId }: Shop, orderId: string, type: 'staged' | 'direct') => {
  const request = { type, amount: '990', orderId, currency: 'rub', method: 'sbp' } as const
  return { merchantId, request }
}

/** The context of a transaction that another connection has open. */
const within = (context: TestService['context'], tx: Tx): TestService['context'] => ({
  ...context,
  query: (each, parameters) => tx.query(each, parameters),
})

/** Does the work in a transaction and creates a direct payment 1 ms later, before the transaction is committed. */
const createMeanwhile = async (
  { context, clock }: TestService,
  shop: Shop,
  work: (tx: Tx) => Promise<void>,
): Promise<string | undefined> => {
  const { waiting } = await context.transaction(async (tx) => {
    await work(tx)
    clock.advance(1)
    const creating = createPayments(context, [order(shop, 'direct', 'direct')])
    await setTimeout(200)
    return { waiting: creating }
  })
  const [answer] = await waiting
  return answer?.kind
}

/** The holder of an amount whose time is over in 1 ms, and until then. */
const openEnding = async (service: TestService, shop: Shop, count = 1) => {
  for (let index = 1; index < count; index++) await create(shop, `earlier-${index}`)
  const { id, requisiteId } = await create(shop, 'last')
  const now = { since: service.clock.now, until: service.clock.now }
  const [held] = await listHolders(service.context, [{ requisiteId, ...now }])
  service.clock.now = (held?.heldUntil ?? 0) - 1
  await service.runJobs()
  return { id, requisiteId }
}

onPostgres('a sharer waits for a holder that is just being created, and joins it', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { context } = service
  const { second } = await context.transaction(async (tx) => {
    const [first] = await createPayments(within(context, tx), [order(shop, 'first', 'staged')])
    assert.equal(first?.kind, 'created')
    const waiting = createPayments(context, [order(shop, 'second', 'staged')])
    await setTimeout(200)
    return { second: waiting }
  })
  const [answer] = await second
  assert.ok(answer?.kind === 'created' && answer.payment.sharesSlot)
  await assertHealthy(service)
})

onPostgres('nobody takes over an amount that a sharer is just joining as the last hold ends', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: hour } })
  const { requisiteId } = await openEnding(service, shop)
  const outcome = await createMeanwhile(service, shop, async (tx) => {
    const [sharer] = await createPayments(within(service.context, tx), [order(shop, 'sharer', 'staged')])
    assert.ok(sharer?.kind === 'created' && sharer.payment.sharesSlot)
  })
  assert.equal(outcome, 'refused')
  assert.equal((await holdersNow(service, requisiteId)).length, 1)
  await assertHealthy(service)
})

onPostgres('nobody takes over an amount whose last sharer is just paid', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: hour } })
  const { id: paymentId, requisiteId } = await openEnding(service, shop, 2)
  const heldUntil = service.clock.now + hour
  const paid = { requisiteId, amount: 990_00n, paymentId, heldUntil, sharesSlot: true }
  assert.equal(await createMeanwhile(service, shop, (tx) => releaseSlots(tx, [paid])), 'refused')
  assert.deepEqual(await holdersNow(service, requisiteId), [paymentId])
})

onPostgres('a sharer whose amount was taken over since its change began does not get it back', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: hour } })
  const { id: paymentId, requisiteId } = await openEnding(service, shop, 2)
  const direct = await service.context.transaction(async (tx) => {
    service.clock.advance(1)
    const { id } = await create(shop, 'direct', price)
    const heldUntil = service.clock.now + hour
    await releaseSlots(tx, [{ requisiteId, amount: 990_00n, paymentId, heldUntil, sharesSlot: true }])
    return id
  })
  assert.deepEqual(await holdersNow(service, requisiteId), [direct])
})

onPostgres('a payment that is canceled while another one takes its amount stays among the holders', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { id } = await create(shop, 'canceled')
  const outcome = await createMeanwhile(service, shop, async (tx) => {
    await cancelPayment(tx, { merchantId: shop.merchantId, id }, { actor: 'merchant', reason: 'canceled-by-merchant' })
  })
  assert.equal(outcome, 'created')
  await assertHealthy(service)
})
