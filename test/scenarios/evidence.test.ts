// What payers, attackers and banks did to the exact amount, against the service and its database.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { hour, minute } from '../../src/rules/time.ts'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { collectPayer } from '../../src/engine/payments/payer-changes.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { listTexts } from '../../src/engine/transfers/store.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import type { LoneReport } from '../../src/rules/money/settlement.ts'
import { openOperator } from '../support/operator.ts'
import { assertHealthy, onOneEngine, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop, type Shop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Sent = {
  readonly sender?: string
  readonly senderName?: string
  readonly senderBank?: string
  readonly text?: string
}

let reports = 0

/** Money that the bank reports, and what becomes of it. */
const pay = async (
  service: TestService,
  requisiteId: string,
  minor: bigint,
  sent: Sent = {},
  lone: LoneReport | null = null,
) => {
  const money = { requisiteId, currency: 'rub', amount: minor, source: 'test', sender: null, ...sent }
  const row = { ...money, bookedAt: service.clock.now, bankReference: `evidence-${++reports}` }
  const [recorded] = await service.context.transaction((tx) => recordTransfers(tx, [row], undefined, lone))
  assert.ok(recorded)
  return recorded
}

const create = async (shop: Shop, orderId: string, amount: number, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(orderId, { amount, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.payment.id as string, requisiteId: body.card.id as string }
}

/** A staged payment whose payer has typed a phone. */
const createStaged = async (service: TestService, shop: Shop, orderId: string, amount: number, phone: string) => {
  const made = await create(shop, orderId, amount, { type: 'staged' })
  await collectPayer(service.context, shop.merchantId, made.id, { phone, bankIssuer: null })
  return made
}

const victimPhone = '79161234567'

onEngines('money from the number of a victim is not for the attacker who holds its amount', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { requisiteId } = await create(shop, 'attacker', 5000)
  await createStaged(service, shop, 'victim', 5000.37, victimPhone)
  const recorded = await pay(service, requisiteId, 5000_00n, { sender: `+${victimPhone}` })
  assert.equal(recorded.outcome, 'ambiguous')
  assert.match(recorded.reasons.join(), /attacker: sent from the number of the payer of victim/)
  assert.deepEqual([await shop.status('attacker'), await shop.status('victim')], ['new', 'new'])
  assert.equal(recorded.suggestions[0]?.orderId, 'victim')
  await assertHealthy(service)
})

onEngines(
  'money from a number that has paid for a user is not for the attacker who holds its amount',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const user = { userId: 'victim-1' }
    const { requisiteId } = await create(shop, 'before', 3000, user)
    assert.equal((await pay(service, requisiteId, 3000_00n, { sender: victimPhone })).outcome, 'exact')
    service.clock.advance(3 * hour)
    await service.runJobs()
    await create(shop, 'attacker', 5000)
    await create(shop, 'victim', 5000.37, user)
    assert.equal((await pay(service, requisiteId, 5000_00n, { sender: victimPhone })).outcome, 'ambiguous')
    assert.deepEqual([await shop.status('attacker'), await shop.status('victim')], ['new', 'new'])
  },
)

onOne('the rest of a payment waits if it is half of what another one needs', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { requisiteId } = await create(shop, 'in-halves', 2000)
  assert.equal((await pay(service, requisiteId, 1000_00n)).outcome, 'under')
  await create(shop, 'other', 1999.99)
  const recorded = await pay(service, requisiteId, 1000_00n)
  assert.deepEqual(
    [recorded.outcome, recorded.reasons],
    ['ambiguous', ['half or double what another payment lacks: other']],
  )
  assert.deepEqual([await shop.status('in-halves'), await shop.status('other')], ['processing', 'new'])
})

onOne('a number that an attacker has typed brings it no money of the victim', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { requisiteId } = await createStaged(service, shop, 'attacker', 100, victimPhone)
  assert.equal((await pay(service, requisiteId, 5000_00n, { sender: victimPhone })).outcome, 'ambiguous')
  assert.equal(await shop.status('attacker'), 'new')
  const next = await openShop(service, { perMethod: 1 })
  const made = await createStaged(service, next, 'attacker', 6000, victimPhone)
  await create(next, 'victim', 5000.37)
  assert.equal((await pay(service, made.requisiteId, 5000_00n, { sender: victimPhone })).outcome, 'ambiguous')
  assert.deepEqual([await next.status('attacker'), await next.status('victim')], ['new', 'new'])
})

onOne('money for a payment that was canceled is not for another one of a similar amount', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { id, requisiteId } = await create(shop, 'canceled', 5000.37)
  await create(shop, 'waits', 4000)
  await service.context.transaction((tx) =>
    cancelPayment(tx, { merchantId: shop.merchantId, id }, { actor: 'payer', reason: 'canceled-by-payer' }),
  )
  const recorded = await pay(service, requisiteId, 5000_00n)
  assert.deepEqual([recorded.outcome, recorded.suggestions[0]?.orderId], ['ambiguous', 'canceled'])
  assert.equal(await shop.status('waits'), 'new')
})

onEngines('parts that name their order are for it, though another payment needs exactly as much', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { requisiteId } = await create(shop, 'ord-0020', 5000)
  await create(shop, 'ord-0030', 2500)
  const first = await pay(service, requisiteId, 2500_00n, { text: 'Часть 1 ord-0020' })
  assert.deepEqual([first.outcome, await shop.status('ord-0020')], ['under', 'processing'])
  const second = await pay(service, requisiteId, 2500_00n, { text: 'Часть 2, ORD 20' })
  assert.deepEqual([second.outcome, await shop.status('ord-0020')], ['exact', 'paid'])
  assert.equal(await shop.status('ord-0030'), 'new')
  assert.equal((await pay(service, requisiteId, 2500_00n)).outcome, 'exact')
  assert.equal(await shop.status('ord-0030'), 'paid')
  await assertHealthy(service)
})

onEngines(
  'money of a payer who is late finds its own payment, though another one holds the amount by now',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const { requisiteId } = await createStaged(service, shop, 'too late', 990, victimPhone)
    service.clock.advance(2 * hour)
    await service.runJobs()
    const next = await createStaged(service, shop, 'next', 990, '79990000001')
    assert.equal(next.requisiteId, requisiteId)
    const recorded = await pay(service, requisiteId, 990_00n, { sender: victimPhone })
    assert.deepEqual([recorded.outcome, recorded.suggestions[0]?.orderId], ['ambiguous', 'too late'])
    assert.equal(await shop.status('next'), 'new')
    assert.equal((await pay(service, requisiteId, 990_00n, { sender: '79990000001' })).outcome, 'exact')
  },
)

onEngines(
  'payments that share an amount are distinguished by number and order, and what nobody can know waits',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const phones = ['79990000001', '79990000002', '79990000003', '79990000004']
    const made = []
    for (const [index, phone] of phones.entries())
      made.push(await createStaged(service, shop, `shop-${index}`, 990, phone))
    const requisiteId = made[0]?.requisiteId ?? ''
    assert.equal(new Set(made.map((each) => each.requisiteId)).size, 1)
    service.clock.advance(minute)
    assert.equal((await pay(service, requisiteId, 990_00n)).outcome, 'ambiguous')
    assert.equal((await pay(service, requisiteId, 990_00n, { sender: '79995555555' })).outcome, 'ambiguous')
    const paid = await pay(service, requisiteId, 990_00n, { sender: '+7 999 000-00-03' })
    assert.deepEqual([paid.outcome, paid.paymentId], ['exact', made[2]?.id])
    const named = await pay(service, requisiteId, 990_00n, { text: 'Оплата SHOP 1' })
    assert.deepEqual([named.outcome, named.paymentId], ['exact', made[1]?.id])
    // The same payer again: its own payment is paid twice, and nobody else's is.
    const again = await pay(service, requisiteId, 990_00n, { sender: '+7 999 000-00-03' })
    assert.deepEqual([again.outcome, again.paymentId], ['paid-again', made[2]?.id])
    assert.deepEqual([await shop.status('shop-0'), await shop.status('shop-3')], ['new', 'new'])
    await assertHealthy(service)
  },
)

const cases = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, 'shared/data/cases'))
  .find((path) => existsSync(path))
onEngines('an order that many senders write keeps nobody from the money on a shared account', async (service) => {
  const [own, thief] = [await openShop(service, { perMethod: 0 }), await openShop(service, { perMethod: 0 })]
  const shared = { merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const
  await service.context.transaction((tx) =>
    addRequisites(tx, [{ ...shared, bankIssuer: 'bank-a', holder: 'Shop', number: newNumber('sbp'), limits: {} }]),
  )
  const { requisiteId } = await create(thief, 'НДС 20', 4000)
  await create(own, 'first', 5000)
  await create(own, 'second', 6000)
  const text = 'Оплата по счёту, в т.ч. НДС 20 %'
  const waits = await pay(service, requisiteId, 5000_00n, { text })
  assert.deepEqual([waits.outcome, waits.suggestions.length], ['ambiguous', 3], 'it may be an order')
  for (const index of [1, 2, 3, 4]) await pay(service, requisiteId, 70n, { text, sender: `+7900000000${index}` })
  // Neither one who may be any of them counts, nor one whom one person has typed in.
  await pay(service, requisiteId, 70n, { text })
  await pay(service, requisiteId, 70n, { text, sender: '+79000000006' }, { by: 'anna', above: 1_000_000_000_000n })
  const unknown = await pay(service, requisiteId, 6000_00n, { text })
  assert.deepEqual([unknown.outcome, await own.status('second')], ['ambiguous', 'new'])
  for (const minor of [71n, 72n]) await pay(service, requisiteId, minor, { text, senderName: 'Мария Ивановна П.' })
  const credited = await pay(service, requisiteId, 6000_00n, { text })
  assert.deepEqual([credited.outcome, await own.status('second')], ['exact', 'paid'])
  // The texts are read once for all money of a report.
  let reads = 0
  await service.context.transaction((tx) => {
    const query: typeof tx.query = (asked, ...values) => {
      if (asked === listTexts) reads++
      return tx.query(asked, ...values)
    }
    const money = { requisiteId, currency: 'rub', source: 'test', sender: null, bookedAt: service.clock.now, text }
    const rows = [5001_00n, 5002_00n].map((amount) => ({ ...money, amount, bankReference: `evidence-${++reports}` }))
    return recordTransfers(Object.create(tx, { query: { value: query } }), rows)
  })
  assert.equal(reads, 1)
})

const file = cases === undefined ? undefined : resolve(cases, '22-order-in-other-spelling.sta')
if (file === undefined)
  console.error('NOT RUN: the sample of orders in other spellings. test/rules/named-order.test.ts has each spelling.')
else
  onOneEngine('an order is named in the text in any spelling that a bank makes of it', async (service) => {
    service.clock.now = Date.parse('2026-11-27T08:00:00.000Z')
    const shop = await openShop(service, { perMethod: 0 })
    const requisiteIds = await service.context.transaction(async (tx) => {
      await setLimits(tx, null, { currency: 'eur', min: 1_00n, max: 10_000_00n })
      await setRate(tx, { currency: 'eur', price: 90000000n, source: 'test', validUntil: null })
      const shared = { mode: 'live', method: 'account-to-account', currency: 'eur', transferScope: null } as const
      const number = newNumber('account-to-account')
      return addRequisites(tx, [
        { ...shared, merchantId: shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', number, limits: {} },
      ])
    })
    for (const [orderId, amount] of [
      ['SHOP-00305', 1000],
      ['SHOP-00306', 1010],
    ]) {
      const fields = { amount, currency: 'eur', method: 'account-to-account' }
      assert.equal((await shop.create(String(orderId), fields)).status, 201)
    }
    const operator = openOperator(service)
    await operator.call('PUT', '/statement-accounts', {
      accounts: [{ number: 'DE59500105170000000103', requisiteIds }],
    })
    service.clock.advance(hour)
    const { body: uploaded } = await uploadFile(service, readFileSync(file))
    assert.equal((await operator.call('POST', `/statements/${uploaded.id}/confirm`, {})).status, 200)
    await service.runJobs()
    const { transfers } = (await operator.get('/transfers?limit=50')).body
    assert.equal(transfers.length, 7)
    for (const transfer of transfers) {
      const [best] = transfer.suggestions
      assert.deepEqual(
        [best.orderId, best.evidence.order.verdict],
        ['SHOP-00306', 'supports'],
        JSON.stringify(transfer),
      )
      const other = transfer.suggestions.find((each: { orderId: string }) => each.orderId === 'SHOP-00305')
      assert.equal(other.evidence.order.verdict, 'contradicts')
    }
  })
