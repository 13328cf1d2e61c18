import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { getBalances } from '../../src/engine/ledger/read.ts'
import { updateMerchant } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from '../support/operator.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { ledgerOf } from '../support/ledger.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop, payIn, send } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

onEngines(
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

onOne('two partial transfers add up to paid', async (service) => {
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

onOne('too little waits for the rest, then is credited as disput-paid with finalAmount', async (service) => {
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

onOne('too little goes to review where the policy says so, and nothing is credited', async (service) => {
  const shop = await openShop(service, { terms: { mismatchPolicy: 'review' } })
  const { body } = await shop.create('under')
  await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal(await shop.status('under'), 'disput')
  const balances = await getBalances(service.context, { merchantId: shop.merchantId, mode: 'live' })
  assert.deepEqual(
    balances.filter((row) => row.currency === 'USDT'),
    [],
  )
})

onOne('too much is credited as disput-paid at once', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('over')
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 5500_00n })).outcome, 'over')
  const detail = await shop.get('/payments/byOrderId/over')
  assert.equal(detail.body.status, 'disput-paid')
  assert.equal(detail.body.finalAmount, 5500)
  assert.equal(detail.body.amount, 5000)
})

onOne('more than the currency allows goes to review', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('over', { amount: 250_000 })
  await payIn(service, { requisiteId: body.card.id, minor: 300_000_01n })
  assert.equal(await shop.status('over'), 'disput')
})

onOne('a difference within the tolerance is paid', async (service) => {
  const shop = await openShop(service, { terms: { toleranceMinor: 100n } })
  const { body } = await shop.create('near')
  await payIn(service, { requisiteId: body.card.id, minor: 4999_00n })
  assert.equal(await shop.status('near'), 'paid')
})

onOne('late money pays inside the late window only when it is exact', async (service) => {
  const shop = await openShop(service)
  const late = await shop.create('late')
  const wrong = await shop.create('late-wrong', { amount: 7000 })
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal(await shop.status('late'), 'expired')
  assert.equal((await payIn(service, { requisiteId: late.body.card.id, minor: 5000_00n })).outcome, 'late')
  assert.equal(await shop.status('late'), 'paid')
  // Another amount, late, may be a stranger's: it waits for a person, and the exact money still pays.
  assert.equal((await payIn(service, { requisiteId: wrong.body.card.id, minor: 6900_00n })).outcome, 'ambiguous')
  assert.equal(await shop.status('late-wrong'), 'expired')
  assert.equal((await payIn(service, { requisiteId: wrong.body.card.id, minor: 7000_00n })).outcome, 'late')
  assert.equal(await shop.status('late-wrong'), 'paid')
})

onOne('money after the late window belongs to nobody and waits in the inbox', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('too-late')
  service.clock.advance(2 * day)
  await service.runJobs()
  const match = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal(match.outcome, 'none')
  assert.equal(await shop.status('too-late'), 'expired')
  const inbox = await openOperator(service).get(`/transfers?unmatched=true&requisiteId=${body.card.id}`)
  assert.deepEqual(
    inbox.body.transfers.map((transfer: { id: string }) => transfer.id),
    [match.id],
  )
})

onOne('what counts is when the bank booked the money, not when it is read', async (service) => {
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

onOne('the same amount once more after paid is owed to the payer, never credited twice', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('twice')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'bank-1' })
  const before = await getBalances(service.context, { merchantId: shop.merchantId, mode: 'live' })
  const again = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'bank-2' })
  assert.equal(again.kind, 'overpayment')
  assert.equal(await shop.status('twice'), 'paid')
  const usdt = (rows: typeof before): unknown => rows.filter((row) => row.currency === 'USDT')
  assert.deepEqual(
    usdt(await getBalances(service.context, { merchantId: shop.merchantId, mode: 'live' })),
    usdt(before),
  )
})

onOne(
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

onEngines('the same report twice counts once, two equal rows of one report count twice', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('rows')
  const row = { requisiteId: body.card.id, minor: 2500_00n, bookedAt: service.clock.now, reference: 'bank-1' }
  await payIn(service, row)
  assert.equal((await payIn(service, row)).alreadyKnown, true)
  assert.equal(await shop.status('rows'), 'processing')
  await payIn(service, { ...row, reference: 'bank-2' })
  assert.equal(await shop.status('rows'), 'paid')
})

onEngines('one transfer reported by five at once is recorded once', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('five')
  const row = { requisiteId: body.card.id, minor: 5000_00n, bookedAt: service.clock.now, reference: 'bank-5' }
  const reports = await Promise.all(Array.from({ length: 5 }, () => payIn(service, row)))
  assert.equal(reports.filter((report) => !report.alreadyKnown).length, 1)
  assert.equal(await shop.status('five'), 'paid')
})

onEngines('expiry never overtakes money: whoever comes first, the payment is paid', async (service) => {
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

onOne('canceled before any money; money that comes all the same waits for a decision', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('canceled')
  assert.equal((await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })).body.status, 'canceled')
  const match = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal(match.outcome, 'none')
  assert.equal(match.suggestions[0]?.orderId, 'canceled')
  assert.equal(await shop.status('canceled'), 'canceled')
})

onOne('parts booked in time add up however late they are read', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('late-read')
  const bookedAt = service.clock.now + minute
  service.clock.advance(2 * hour)
  await service.runJobs()
  assert.equal(await shop.status('late-read'), 'expired')
  await service.context.transaction((tx) =>
    recordTransfers(
      tx,
      [2000_00n, 3000_00n].map((amount) => ({
        requisiteId: body.card.id,
        currency: 'rub',
        amount,
        bookedAt,
        source: 'test',
        bankReference: null,
        sender: null,
      })),
    ),
  )
  assert.equal(await shop.status('late-read'), 'paid')
})

onOne('part of the money inside the grace waits for the rest, though the payment had expired', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('grace')
  service.clock.advance(35 * minute)
  await service.runJobs()
  assert.equal(await shop.status('grace'), 'expired')
  await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  await service.runJobs()
  assert.equal(await shop.status('grace'), 'processing')
  await payIn(service, { requisiteId: body.card.id, minor: 1000_00n })
  assert.equal(await shop.status('grace'), 'paid')
})

onOne('one bank reference for two days is refused, and for another amount it is another transfer', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('reference', { amount: 700 })
  const row = { requisiteId: body.card.id, minor: 700_00n, reference: 'A1' }
  await payIn(service, row)
  assert.equal((await payIn(service, { ...row, minor: 9999_00n })).alreadyKnown, false)
  await assert.rejects(payIn(service, { ...row, bookedAt: service.clock.now - 9 * day }), {
    code: 'validation_failed',
  })
})

onEngines('repetitions in a batch take no room of what is limited', async (service) => {
  const shop = await openShop(service, { perMethod: 1, limits: { dayCount: 2 }, settings: { maxOpenPayments: 2 } })
  const again = { amount: 1000 }
  assert.equal((await shop.create('o1', again)).status, 201)
  const answers = await Promise.all([
    shop.create('o1', again),
    shop.create('o1', again),
    shop.create('o1', again),
    shop.create('o2', { amount: 2000 }),
  ])
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 201],
  )
})

onOne('simulated money never reaches another merchant', async (service) => {
  const alice = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const bob = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  await service.context.transaction((tx) =>
    addRequisites(tx, [
      {
        merchantId: null,
        mode: 'sandbox',
        method: 'sbp',
        currency: 'rub',
        transferScope: null,
        bankIssuer: 'bank-a',
        holder: 'Ivan Petrov',
        number: newNumber('sbp'),
        limits: {},
      },
    ]),
  )
  await bob.create('bob', { amount: 7777.77 })
  await alice.create('alice', { amount: 7000 })
  await send(service, '/api/v1/sandbox/payments/byOrderId/alice/simulate', {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'paid', amount: 7777.77 }),
  })
  await service.runJobs()
  assert.equal(await bob.status('bob'), 'new')
  assert.equal(await alice.status('alice'), 'disput-paid')
})

onEngines('changes of one merchant at the same time are all kept', async (service) => {
  const shop = await openShop(service)
  const change = (wanted: Parameters<typeof updateMerchant>[2]) =>
    service.context.transaction((tx) => updateMerchant(tx, shop.merchantId, wanted))
  for (let round = 0; round < 5; round++) {
    await change({ status: 'active', settings: { maxOpenPayments: null } })
    await Promise.all([change({ status: 'suspended' }), change({ settings: { maxOpenPayments: round } })])
    const { before } = await change({})
    assert.equal(before.status, 'suspended')
    assert.equal(before.settings.maxOpenPayments, round)
  }
})
