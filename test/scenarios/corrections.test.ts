// What goes wrong with money, over HTTP: too much, taken back by the bank, booked by mistake; each ends in an even ledger.
import assert from 'node:assert/strict'
import { query, uuid } from 'payin-database'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { ledgerOf, newsOf, owedIn } from '../support/ledger.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

let orders = 0
/** A payment of 5000 rub (54.054054 USDT) by default, and the money that came for it in parts. */
const receive = async (service: TestService, shop: Shop, parts: readonly bigint[], fields: object = {}) => {
  const { body, status } = await shop.create(`order-${++orders}`, { ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  const requisiteId: string = body.card.id
  const transfers = []
  for (const minor of parts) {
    service.clock.advance(1000)
    transfers.push(await payIn(service, { requisiteId, minor }))
  }
  const payment = { merchantId: shop.merchantId, id: String(body.payment.id), requisiteId }
  return { ...payment, orderId: String(body.payment.orderId), transfers: transfers.map((each) => each.id) }
}

onEngines('an overpayment is assigned, refunded and written off, each decision once', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service, 'anna')
  const paid = await receive(service, shop, [5000_00n, 5000_00n])
  assert.deepEqual((await operator.get(`/overpayments?merchantId=${shop.merchantId}`)).body.overpayments, [
    {
      ...{ merchantId: shop.merchantId, merchantName: 'Test Shop', paymentId: paid.id, orderId: paid.orderId },
      ...{ currency: 'rub', amount: 5000, outcome: 'paid-again' },
      bookedAt: new Date(service.clock.now).toISOString(),
    },
  ])
  const decide = (body: object) =>
    operator.call('POST', `/overpayments/${shop.merchantId}/${paid.id}/decisions`, { reason: 'agreed', ...body })
  const assign = { reference: 'd-1', decision: 'assign', amount: 925 }
  const address = `/overpayments/${shop.merchantId}/${paid.id}/preview`
  const { body: preview } = await operator.call('POST', address, { reason: 'agreed', ...assign })
  assert.deepEqual(
    preview.entries.map(({ kind, credit, amount }: { kind: string; credit: string; amount: number }) => [
      ...[kind, credit.split(':')[0], amount],
    ]),
    [
      ['assign', 'fx', 925],
      ['assign', 'merchant', 9.9],
      ['assign', 'fees', 0.1],
    ],
  )
  const assigned = await decide(assign)
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  assert.deepEqual((await decide(assign)).body, assigned.body)
  assertProblem(await decide({ ...assign, amount: 926 }), 409, 'already_exists')
  assertProblem(await decide({ reference: 'd-2', decision: 'write-off', amount: 4075.01 }), 409, 'balance_insufficient')
  assertProblem(await decide({ reference: 'd-2', decision: 'refund', amount: 75 }), 400, 'validation_failed', [
    'requisiteId',
  ])
  const refund = { reference: 'd-2', decision: 'refund', amount: 75, requisiteId: paid.requisiteId }
  assert.equal((await decide(refund)).status, 200)
  const rivals = ['d-3', 'd-4', 'd-3', 'd-4', 'd-5']
  const rest = await Promise.all(rivals.map((reference) => decide({ reference, decision: 'write-off' })))
  const done = rest.filter((each) => each.status === 200)
  assert.equal(new Set(done.map((each) => each.body.id)).size, 1)
  assert.equal(done[0]?.body.amount, 4000)
  for (const each of rest) if (each.status !== 200) assertProblem(each, 409, 'balance_insufficient')
  assert.deepEqual(await ledgerOf(service, paid), [
    'bank:requisite → fx:rub 500000 rub',
    'bank:requisite → overpayment:payment 500000 rub',
    'fx:rub → fees 100000 USDT',
    'fx:rub → fees 540540 USDT',
    'fx:rub → merchant:merchant:available 53513514 USDT',
    'fx:rub → merchant:merchant:available 9900000 USDT',
    'overpayment:payment → bank:requisite 7500 rub',
    'overpayment:payment → fx:rub 92500 rub',
    'overpayment:payment → written-off 400000 rub',
  ])
  assert.equal(await shop.status(paid.orderId), 'paid')
  const { entries } = (await shop.get('/entries')).body
  assert.deepEqual(
    [entries[0].kind, entries[0].amount, entries[0].deducted, entries[0].reference],
    ['assign', 9.9, 0.1, 'd-1'],
  )
  assertProblem(await decide({ reference: 'd-6', decision: 'assign' }), 409, 'balance_insufficient')
})

onEngines('the bank takes a paid transfer back: reversing entries, the status stays', async (service) => {
  const shop = await openShop(service, { terms: { feeFixedMicro: 100_000n, feeMinMicro: 400_000n } })
  const operator = openOperator(service, 'anna')
  const paid = await receive(service, shop, [2000_00n, 3000_00n])
  const ack = await shop.post('/payments/byOrderId/ack', { orderId: paid.orderId })
  assert.equal(ack.status, 200)
  // 54.054054 gross: 1 %, rounded down, and 0.1 are 0.64054.
  assert.equal((await shop.get('/balance')).body.available, 53.413514)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, reference: 'all', destinationId }
  assert.equal((await operator.call('POST', '/settlements', wanted)).status, 201)

  const reverse = (id = paid.transfers[0]) =>
    operator.call('POST', `/transfers/${paid.requisiteId}/${id}/reverse`, { reason: 'fraud' })
  const twins = await Promise.all([reverse(), reverse()])
  assert.deepEqual(
    twins.map((each) => each.status),
    [200, 200],
    JSON.stringify(twins[0]?.body),
  )
  assert.deepEqual(twins[0]?.body, twins[1]?.body)
  assert.deepEqual([twins[0]?.body.parts[0].kind, typeof twins[0]?.body.reversedAt], ['payment', 'string'])
  // 3000 rub are worth 32.432432 gross: the fee is 0.424324 now.
  assert.equal((await shop.get('/balance')).body.available, -21.405406)
  const { status, body } = await shop.get(`/payments/byOrderId/${paid.orderId}`)
  assert.deepEqual([status, body.status], [200, 'paid'])
  assert.deepEqual((await shop.post('/payments/byOrderId/ack', { orderId: paid.orderId })).body, ack.body)
  assertProblem(
    await operator.call('POST', '/settlements', { ...wanted, reference: 'more' }),
    409,
    'balance_insufficient',
  )

  assert.equal((await reverse(paid.transfers[1])).status, 200)
  assert.deepEqual(await owedIn(service, shop.merchantId), ['available -53.413514 USDT', 'held 53.413514 USDT'])
  assert.deepEqual(await ledgerOf(service, paid), [
    'bank:requisite → fx:rub 300000 rub',
    'bank:requisite → suspense 200000 rub',
    'fees → fx:rub 216216 USDT',
    'fees → fx:rub 424324 USDT',
    'fx:rub → bank:requisite 200000 rub',
    'fx:rub → bank:requisite 300000 rub',
    'fx:rub → fees 640540 USDT',
    'fx:rub → merchant:merchant:available 53413514 USDT',
    'merchant:merchant:available → fx:rub 21405406 USDT',
    'merchant:merchant:available → fx:rub 32008108 USDT',
    'suspense → fx:rub 200000 rub',
  ])
  const news = await newsOf(service, shop.merchantId, 'payment.reversed')
  assert.deepEqual(
    news.map(({ data }) => [data['reversedAmount'], data['balanceChange']]),
    [
      [2000, { currency: 'USDT', amount: -21.405406 }],
      [3000, { currency: 'USDT', amount: -32.008108 }],
    ],
  )
  assertProblem(await reverse(unknownId), 404, 'resource_not_found')
})

onOne('the bank takes back what no credit has used: it leaves where it waited', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  const reverse = async (requisiteId: string, id = '') => {
    const { status, body } = await operator.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'error' })
    return status === 200
      ? body.parts.map((part: { kind: string; amount: number }) => [part.kind, part.amount])
      : body.code
  }
  const partly = await receive(service, shop, [2000_00n])
  assert.deepEqual(await reverse(partly.requisiteId, partly.transfers[0]), [['reversed', 2000]])
  assert.equal(await shop.status(partly.orderId), 'processing')
  await payIn(service, { requisiteId: partly.requisiteId, minor: 3000_00n })
  assert.equal(await shop.status(partly.orderId), 'processing')
  service.clock.advance(1000)
  await payIn(service, { requisiteId: partly.requisiteId, minor: 2000_00n })
  assert.equal(await shop.status(partly.orderId), 'paid')

  const twice = await receive(service, shop, [4000_00n, 4000_00n], { amount: 4000 })
  assert.deepEqual(await reverse(twice.requisiteId, twice.transfers[1]), [['reversed', 4000]])
  const spent = await receive(service, shop, [4100_00n, 4100_00n], { amount: 4100 })
  const decision = { reference: 'w', decision: 'write-off', amount: 1, reason: 'x' }
  await operator.call('POST', `/overpayments/${shop.merchantId}/${spent.id}/decisions`, decision)
  // Nobody has what was written off.
  assert.equal(await reverse(spent.requisiteId, spent.transfers[1]), 'second_person_required')
  await assertHealthy(service)

  const nobody = await payIn(service, {
    requisiteId: spent.requisiteId,
    minor: 777_77n,
    bookedAt: service.clock.now - 5 * day,
  })
  assert.equal(nobody.kind, 'suspense')
  assert.deepEqual(await reverse(spent.requisiteId, nobody.id), [['reversed', 777.77]])
  const { transfers } = (await operator.get('/transfers?unmatched=true')).body
  assert.ok(!transfers.some((each: { id: string }) => each.id === nobody.id))
})

onEngines(
  'above a bound a write-off needs two operators, and is owed again by its reversing entry',
  async (service) => {
    // What anna has written off in other tests no longer counts.
    service.clock.advance(day)
    const shop = await openShop(service)
    const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
    const [one, other] = [
      await receive(service, shop, [60_000_00n, 60_000_00n], { amount: 60_000 }),
      await receive(service, shop, [92_500_00n, 92_500_00n], { amount: 92_500 }),
    ]
    const keep = (payment: typeof one, reference: string, amount: number) =>
      anna.call('POST', `/overpayments/${shop.merchantId}/${payment.id}/decisions`, {
        ...{ reference, decision: 'write-off', amount, reason: 'nobody asked for it' },
      })
    assertProblem(await keep(other, 'all', 92_500.01), 409, 'balance_insufficient')
    assert.equal((await keep(one, 'part', 50_000)).status, 200)
    assert.equal((await keep(one, 'part', 50_000)).status, 200)
    // 540.54 USDT and 459.46 USDT are 1000 USDT.
    assertProblem(await keep(other, 'rest', 42_500.01), 403, 'second_person_required')
    assert.equal((await keep(other, 'rest', 42_500)).status, 200)
    assertProblem(await keep(other, 'more', 1), 403, 'second_person_required')
    assert.ok((await owedIn(service, shop.merchantId)).includes('written-off 92500.00 rub'))

    const path = '/ledger/adjustments'
    const accounts = { debitAccount: `overpayment:${other.id}`, creditAccount: 'written-off' }
    const rest = { merchantId: shop.merchantId, reason: 'agreed', currency: 'rub', amount: 50_000, ...accounts }
    for (const creditAccount of ['fees', 'fx:rub']) {
      const income = await anna.call('POST', path, { ...rest, reference: 'income', creditAccount })
      assertProblem(income, 400, 'validation_failed', ['debitAccount'])
    }
    const drafted = await anna.call('POST', path, { ...rest, reference: 'keep' })
    assert.equal(drafted.status, 200, JSON.stringify(drafted.body))
    const tooMuch = await anna.call('POST', path, { ...rest, reference: 'keep more', amount: 50_000.01 })
    const post = (id: string) => boris.call('POST', `${path}/${shop.merchantId}/${id}/post`)
    assertProblem(
      await anna.call('POST', `${path}/${shop.merchantId}/${drafted.body.id}/post`),
      403,
      'second_person_required',
    )
    assertProblem(await post(tooMuch.body.id), 409, 'balance_insufficient')
    assert.equal((await post(drafted.body.id)).status, 200)
    assert.ok((await owedIn(service, shop.merchantId)).includes('written-off 142500.00 rub'))
    await assertHealthy(service)
    const opposite = { debitAccount: rest.creditAccount, creditAccount: rest.debitAccount }
    const undo = await boris.call('POST', path, { ...rest, ...opposite, reference: 'asked', reason: 'the payer asked' })
    assert.equal((await anna.call('POST', `${path}/${shop.merchantId}/${undo.body.id}/post`)).status, 200)
    const owed = (await anna.get(`/overpayments?merchantId=${shop.merchantId}`)).body.overpayments
    assert.equal(owed.find((each: { paymentId: string }) => each.paymentId === other.id).amount, 50_000)
    await assertHealthy(service)
    service.clock.advance(day)
    assert.equal((await keep(other, 'next day', 1)).status, 200)
  },
)

onEngines('an adjustment needs two operators, and is corrected by the opposite one', async (service) => {
  const shop = await openShop(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const path = '/ledger/adjustments'
  const favour = {
    ...{ merchantId: shop.merchantId, reference: 'favour', reason: 'goodwill' },
    ...{ debitAccount: 'fees', creditAccount: 'merchant:available', currency: 'USDT', amount: 12.5 },
  }
  const submits = await Promise.all(Array.from({ length: 4 }, () => anna.call('POST', path, favour)))
  const [draft] = submits
  assert.ok(draft)
  for (const each of submits) {
    assert.equal(each.status, 200, JSON.stringify(each.body))
    assert.equal(each.body.id, draft.body.id)
  }
  assert.deepEqual((await anna.call('POST', path, favour)).body, draft.body)
  assertProblem(await anna.call('POST', path, { ...favour, amount: 1 }), 409, 'already_exists')
  const one = `${path}/${shop.merchantId}/${draft.body.id}`
  assertProblem(await anna.call('POST', `${one}/post`), 403, 'second_person_required')
  assert.deepEqual(await owedIn(service, shop.merchantId), [])
  const posted = await Promise.all([boris.call('POST', `${one}/post`), boris.call('POST', `${one}/post`)])
  assert.deepEqual(
    posted.map((each) => each.body.status),
    ['posted', 'posted'],
  )
  assert.deepEqual(await owedIn(service, shop.merchantId), ['available 12.500000 USDT', 'fees -12.500000 USDT'])
  assertProblem(await boris.call('POST', `${one}/reject`), 409, 'invalid_state')

  const opposite = { debitAccount: favour.creditAccount, creditAccount: favour.debitAccount }
  const undo = (await boris.call('POST', path, { ...favour, ...opposite, reference: 'undo' })).body
  assert.equal((await anna.call('POST', `${path}/${shop.merchantId}/${undo.id}/post`)).body.status, 'posted')
  assert.deepEqual(await owedIn(service, shop.merchantId), [])
  const wrong = { ...favour, reference: 'wrong' }
  for (const [field, account] of [
    ['debitAccount', 'merchant:available'],
    ['debitAccount', `bank:${shop.requisiteIds[0]}`],
    ['debitAccount', `bank:${unknownId}`],
  ] as const) {
    assertProblem(await anna.call('POST', path, { ...wrong, [field]: account }), 400, 'validation_failed')
  }
  assertProblem(await anna.call('POST', path, { ...wrong, debitAccount: 'suspense' }), 400, 'validation_failed')
})

onEngines('closing balances are compared with the ledger as it was when the day ended', async (service) => {
  const shop = await openShop(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  // Noon in the requisite's zone, three hours ahead of UTC.
  const noon = Math.ceil(service.clock.now / day) * day + 9 * hour
  service.clock.now = noon
  const today = new Date(noon).toISOString().slice(0, 10)
  const tomorrow = new Date(noon + day).toISOString().slice(0, 10)
  const first = await receive(service, shop, [5000_00n])
  const { requisiteId } = first
  const close = (date: string, balance: number, currency = 'rub') =>
    anna.call('PUT', `/requisites/${requisiteId}/closing-balances/${date}`, { balance, currency })
  const days = async () =>
    (await anna.get(`/ledger/reconciliation?requisiteId=${requisiteId}`)).body.days.map(
      (each: { day: string; closing: number; ledger: number; difference: number }) => [
        ...[each.day, each.closing, each.ledger, each.difference],
      ],
    )
  assert.equal((await close(today, 5000)).status, 200)
  assert.deepEqual(await days(), [[today, 5000, 5000, 0]])
  service.clock.now = noon + day
  await payIn(service, { requisiteId, minor: 5000_00n })
  // Reported late, booked yesterday.
  await payIn(service, { requisiteId, minor: 10_01n, bookedAt: noon + hour })
  const out = { reference: 'sold', debitAccount: 'fx:rub', creditAccount: `bank:${requisiteId}`, currency: 'rub' }
  const drafted = await anna.call('POST', '/ledger/adjustments', { ...out, amount: 3000, reason: 'exchange' })
  assert.equal(drafted.status, 200, JSON.stringify(drafted.body))
  assert.equal(
    (await boris.call('POST', `/ledger/adjustments/${drafted.body.book}/${drafted.body.id}/post`)).status,
    200,
  )
  assert.deepEqual(await days(), [[today, 5000, 5010.01, -10.01]])
  await close(today, 5010.01)
  await close(tomorrow, 7010)
  assert.deepEqual(await days(), [
    [tomorrow, 7010, 7010.01, -0.01],
    [today, 5010.01, 5010.01, 0],
  ])
  assertProblem(await close('2026-02-30', 1), 400, 'validation_failed', ['day'])
  assertProblem(await close('2999-01-01', 1), 400, 'validation_failed', ['day'])
  for (const distant of ['0000-01-01', '0001-01-01', '1999-12-31']) {
    assertProblem(await close(distant, 1), 400, 'validation_failed', ['day'])
    const read = await anna.get(`/ledger/reconciliation/${requisiteId}/${distant}`)
    assertProblem(read, 400, 'validation_failed', ['day'])
  }
  assertProblem(await close(today, 1, 'usd'), 400, 'validation_failed', ['currency'])
  assertProblem(await close(today, 1.001), 422, 'amount_precision', ['balance'])
})

onOne('fee plans are locked into a payment, and the books balance', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  const set = (terms: object) => operator.call('PATCH', `/merchants/${shop.merchantId}/terms/sbp`, terms)
  const earned = async () => (await shop.get('/balance')).body.available
  assertProblem(await set({ feeMinMicro: 2, feeMaxMicro: 1 }), 400, 'validation_failed', ['feeMinMicro'])
  const plan = { feePpm: 20_000, feeFixedMicro: 300_000, feeMinMicro: 500_000, feeMaxMicro: 2_000_000 }
  assert.equal((await set(plan)).status, 200)
  const locked = await shop.create('locked', { amount: 4625 })
  const kept = (await set({ feePpm: 0, feeMaxMicro: null, payoutPolicy: 'proven' })).body.terms
  assert.deepEqual([kept.feePpm, kept.feeFixedMicro, kept.payoutPolicy], [0, 300_000, 'proven'])
  assert.ok(kept.feeMaxMicro > 2_000_000)
  await payIn(service, { requisiteId: locked.body.card.id, minor: 4625_00n })
  // 50 USDT: 2 % and 0.3 are 1.3.
  assert.equal(await earned(), 48.7)
  await set(plan)
  await receive(service, shop, [462_50n], { amount: 462.5 })
  // 5 USDT: 0.4 is raised to 0.5.
  assert.equal(await earned(), 53.2)
  await receive(service, shop, [46250_00n], { amount: 46250 })
  // 500 USDT: 10.3 is lowered to 2.
  assert.equal(await earned(), 551.2)
  const trial = (await operator.get('/ledger/trial-balance')).body
  assert.equal(trial.balanced, true)
  assert.ok(trial.rows.some((row: { kind: string }) => row.kind === 'merchant:available'))
  const micro = (amounts: readonly string[]) => amounts.reduce((sum, each) => sum + Math.round(Number(each) * 1e6), 0)
  for (const { currency, debit, credit } of trial.totals) {
    const own = trial.rows.filter((row: { currency: string }) => row.currency === currency)
    assert.equal(debit, credit)
    assert.equal(micro([debit]), micro(own.map((row: { debit: string }) => row.debit)))
  }
  assert.equal(trial.totals.length, 2)
  const verified = (await operator.get('/doctor')).body
  assert.equal(verified.healthy, true, JSON.stringify(verified))
})

const forgetPlan = query('test_forget_fee_plan', {
  parameters: { merchantId: uuid, id: uuid },
  text: `update payments set terms_id = null, terms = (select locked_terms.terms - 'feeFixedMicro' - 'feeMinMicro' - 'feeMaxMicro'
      from locked_terms where locked_terms.id = payments.terms_id)
    where merchant_id = :merchantId and id = :id`,
})

onOne('a payment from before there were fee plans is credited and reversed as it was promised', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('old')
  await service.context.query(forgetPlan, { merchantId: shop.merchantId, id: body.payment.id })
  const { id } = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.deepEqual((await owedIn(service, shop.merchantId)).slice(0, 3), [
    'available 53.513514 USDT',
    'bank -5000.00 rub',
    'fees 0.540540 USDT',
  ])
  await assertHealthy(service)
  await openOperator(service).call('POST', `/transfers/${body.card.id}/${id}/reverse`, { reason: 'x' })
  assert.deepEqual(await owedIn(service, shop.merchantId), [])
})

onEngines(
  'a closed payment that money opens again shares its requisite with the payment that got it meanwhile',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const operator = openOperator(service, 'anna')
    const former = await receive(service, shop, [])
    service.clock.advance(31 * minute)
    await service.runJobs()
    const later = await receive(service, shop, [], { amount: 6000 })
    assert.equal(later.requisiteId, former.requisiteId)
    // Too little for either to be meant.
    const { id } = await payIn(service, { requisiteId: former.requisiteId, minor: 100_00n })
    const suggested = await operator.get(`/transfers/${former.requisiteId}/${id}`)
    assert.equal(suggested.status, 200, JSON.stringify(suggested.body))
    const assign = { shares: [{ merchantId: shop.merchantId, paymentId: former.id, amount: 100 }] }
    const assigned = await operator.call('POST', `/transfers/${former.requisiteId}/${id}/assign`, assign)
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
    assert.deepEqual([await shop.status(former.orderId), await shop.status(later.orderId)], ['processing', 'new'])
    await payIn(service, { requisiteId: later.requisiteId, minor: 6000_00n })
    assert.equal(await shop.status(later.orderId), 'paid')
  },
)

onEngines('a merchant that owes more than agreed creates no payments until its balance is even', async (service) => {
  const shop = await openShop(service, { settings: { maxDebt: 50 } })
  const operator = openOperator(service)
  const paid = await receive(service, shop, [5000_00n])
  const destinationId = await openDestination(service, shop.merchantId)
  const payout = { merchantId: shop.merchantId, reference: 'all', destinationId }
  assert.equal((await operator.call('POST', '/settlements', payout)).status, 201)
  const reverse = { reason: 'fraud' }
  await operator.call('POST', `/transfers/${paid.requisiteId}/${paid.transfers[0]}/reverse`, reverse)
  assert.equal((await shop.get('/balance')).body.available, -53.513514)
  assertProblem(await shop.create('in debt'), 403, 'debt_too_large')
  assert.equal((await shop.create(paid.orderId)).status, 200)
  const agree = (maxDebt: number | null) =>
    operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings: { maxDebt } })
  await agree(54)
  assert.equal((await shop.create('agreed')).status, 201)
  await agree(0)
  assertProblem(await shop.create('none agreed'), 403, 'debt_too_large')
  await agree(null)
  assert.equal((await shop.create('no limit')).status, 201)
  await agree(0)
  const { settlements } = (await operator.get(`/settlements?merchantId=${shop.merchantId}`)).body
  await operator.call('POST', `/settlements/${shop.merchantId}/${settlements[0].id}/fail`, { reason: 'taken back' })
  assert.equal((await shop.create('in debt')).status, 201)
})
