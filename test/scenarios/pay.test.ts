import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/domain/time.ts'
import { getBalances } from '../../src/ledger/get-balances.ts'
import { listTransfers } from '../../src/transfers/list-transfers.ts'
import { ledgerOf } from '../support/ledger.ts'
import { onBothEngines } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'

onBothEngines(
  'the exact amount pays: credited in USDT less the fee, acknowledged the same again and again',
  async (service) => {
    const shop = await openShop(service)
    const { body } = await shop.create('exact')
    const match = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    assert.equal(match.outcome, 'exact')
    assert.equal(await shop.status('exact'), 'paid')
    // 5000 ÷ 92.5 = 54.054054 USDT; the fee is 1 %, rounded down.
    assert.deepEqual(
      await ledgerOf(service, { merchantId: shop.merchantId, id: body.payment.id, requisiteId: body.card.id }),
      [
        'bank:requisite → fx:rub 500000 rub',
        'fx:rub → fees 540540 USDT',
        'fx:rub → merchant:merchant:available 53513514 USDT',
      ],
    )
    const first = await shop.post('/payments/byOrderId/ack', { orderId: 'exact' })
    assert.equal(first.status, 200)
    service.clock.advance(minute)
    const second = await shop.post('/payments/byOrderId/ack', { orderId: 'exact' })
    assert.deepEqual(second.body, first.body)
  },
)

onBothEngines('two partial transfers add up to paid', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('parts')
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })).outcome, 'under')
  assert.equal(await shop.status('parts'), 'processing')
  service.clock.advance(minute)
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })).outcome, 'exact')
  assert.equal(await shop.status('parts'), 'paid')
  assert.deepEqual(
    await ledgerOf(service, { merchantId: shop.merchantId, id: body.payment.id, requisiteId: body.card.id }),
    [
      'bank:requisite → fx:rub 300000 rub',
      'bank:requisite → suspense 200000 rub',
      'fx:rub → fees 540540 USDT',
      'fx:rub → merchant:merchant:available 53513514 USDT',
      'suspense → fx:rub 200000 rub',
    ],
  )
})

onBothEngines('too little waits for the rest, then is credited as disput-paid with finalAmount', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('under')
  await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  service.clock.advance(44 * minute)
  await service.runJobs()
  assert.equal(await shop.status('under'), 'processing', 'the grace is not over')
  service.clock.advance(2 * minute)
  await service.runJobs()
  const detail = await shop.get('/payments/byOrderId/under')
  assert.equal(detail.body.status, 'disput-paid')
  assert.equal(detail.body.finalAmount, 4000)
  assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'under' })).status, 200)
})

onBothEngines('too little goes to review where the policy says so, and nothing is credited', async (service) => {
  const shop = await openShop(service, { terms: { mismatchPolicy: 'review' } })
  const { body } = await shop.create('under')
  await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal(await shop.status('under'), 'disput')
  const balances = await getBalances(service.context, shop.merchantId)
  assert.deepEqual(
    balances.filter((row) => row.currency === 'USDT'),
    [],
  )
})

onBothEngines('too much is credited as disput-paid at once', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('over')
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 5500_00n })).outcome, 'over')
  const detail = await shop.get('/payments/byOrderId/over')
  assert.equal(detail.body.status, 'disput-paid')
  assert.equal(detail.body.finalAmount, 5500)
  assert.equal(detail.body.amount, 5000)
})

onBothEngines('more than the currency allows goes to review', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('over')
  await payIn(service, { requisiteId: body.card.id, minor: 300_000_01n })
  assert.equal(await shop.status('over'), 'disput')
})

onBothEngines('a difference within the tolerance is paid', async (service) => {
  const shop = await openShop(service, { terms: { toleranceMinor: 100 } })
  const { body } = await shop.create('near')
  await payIn(service, { requisiteId: body.card.id, minor: 4999_00n })
  assert.equal(await shop.status('near'), 'paid')
})

onBothEngines('late money pays inside the late window only when it is exact', async (service) => {
  const shop = await openShop(service)
  const late = await shop.create('late')
  const wrong = await shop.create('late-wrong', { amount: 7000 })
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal(await shop.status('late'), 'expired')
  assert.equal((await payIn(service, { requisiteId: late.body.card.id, minor: 5000_00n })).outcome, 'late')
  assert.equal(await shop.status('late'), 'paid')
  await payIn(service, { requisiteId: wrong.body.card.id, minor: 6900_00n })
  assert.equal((await shop.get('/payments/byOrderId/late-wrong')).body.finalAmount, 6900)
})

onBothEngines('money after the late window belongs to nobody and waits in the inbox', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('too-late')
  service.clock.advance(2 * day)
  await service.runJobs()
  const match = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal(match.outcome, 'none')
  assert.equal(await shop.status('too-late'), 'expired')
  const inbox = await listTransfers(service.context, { unmatched: true, before: null, limit: 10 })
  assert.deepEqual(
    inbox.map((transfer) => transfer.id),
    [match.id],
  )
})

onBothEngines('what counts is when the bank booked the money, not when it is read', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const first = await shop.create('first')
  const bookedAt = service.clock.now + 5 * minute
  service.clock.advance(3 * day)
  await service.runJobs()
  assert.equal(await shop.status('first'), 'expired')
  // The slot is another payment's by now, and still the old money finds its own payment.
  const second = await shop.create('second')
  assert.equal(second.body.card.id, first.body.card.id)
  const match = await payIn(service, { requisiteId: first.body.card.id, minor: 5000_00n, bookedAt })
  assert.equal(match.outcome, 'exact')
  assert.equal(await shop.status('first'), 'paid')
  assert.equal(await shop.status('second'), 'new')
})

onBothEngines('the same amount once more after paid is owed to the payer, never credited twice', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('twice')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'bank-1' })
  const before = await getBalances(service.context, shop.merchantId)
  const again = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'bank-2' })
  assert.equal(again.kind, 'overpayment')
  assert.equal(await shop.status('twice'), 'paid')
  const usdt = (rows: typeof before): unknown => rows.filter((row) => row.currency === 'USDT')
  assert.deepEqual(usdt(await getBalances(service.context, shop.merchantId)), usdt(before))
})

onBothEngines(
  'a transfer that could be for two payments waits with ranked suggestions; its sender decides',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const small = await shop.create('small', { amount: 1000 })
    await shop.create('large', { amount: 9000 })
    const match = await payIn(service, { requisiteId: small.body.card.id, minor: 1500_00n })
    assert.equal(match.outcome, 'ambiguous')
    assert.equal(match.suggestions.length, 2)
    assert.equal(match.suggestions[0]?.orderId, 'small')
    assert.equal(await shop.status('small'), 'new')
  },
)

onBothEngines('the same report twice counts once, two equal rows of one report count twice', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('rows')
  const row = { requisiteId: body.card.id, minor: 2500_00n, bookedAt: service.clock.now, reference: 'bank-1' }
  await payIn(service, row)
  assert.equal((await payIn(service, row)).repeated, true)
  assert.equal(await shop.status('rows'), 'processing')
  await payIn(service, { ...row, reference: 'bank-2' })
  assert.equal(await shop.status('rows'), 'paid')
})

onBothEngines('one transfer reported by five at once is recorded once', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('five')
  const row = { requisiteId: body.card.id, minor: 5000_00n, bookedAt: service.clock.now, reference: 'bank-5' }
  const reports = await Promise.all(Array.from({ length: 5 }, () => payIn(service, row)))
  assert.equal(reports.filter((report) => !report.repeated).length, 1)
  assert.equal(await shop.status('five'), 'paid')
})

onBothEngines('expiry never overtakes money: whoever comes first, the payment is paid', async (service) => {
  const shop = await openShop(service, { perMethod: 20 })
  const created = await Promise.all(Array.from({ length: 20 }, (_, index) => shop.create(`race-${index}`)))
  const bookedAt = service.clock.now + minute
  service.clock.advance(31 * minute)
  await Promise.all([
    ...created.map(({ body }) => payIn(service, { requisiteId: body.card.id, minor: 5000_00n, bookedAt })),
    service.runJobs(),
    service.runJobs(),
  ])
  for (let index = 0; index < created.length; index++) assert.equal(await shop.status(`race-${index}`), 'paid')
})

onBothEngines('canceled before any money; money that comes all the same waits for a decision', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('canceled')
  assert.equal((await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })).body.status, 'canceled')
  const match = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal(match.outcome, 'none')
  assert.equal(match.suggestions[0]?.orderId, 'canceled')
  assert.equal(await shop.status('canceled'), 'canceled')
})
