// Merchants that are credited in another currency than USDT: from the first payment to a settled month.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { readUse } from '../../src/engine/attention/read.ts'
import { findings } from '../../src/engine/attention/findings.ts'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { withDefaults } from '../../src/rules/notices/alert.ts'
import { paymentMethods } from '../../src/rules/values/payment-method.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt } from '../support/disputes.ts'
import { ledgerOf, newsOf, owedIn } from '../support/ledger.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, payIn, send, type Shop } from '../support/shop.ts'
import { commandsOf } from '../support/sandbox-shop.ts'
import { mt940Of } from '../support/statement-files.ts'

const inRoubles = { settings: { quoteCurrency: 'rub' }, hasRate: false } as const

const iso = (at: number): string => new Date(at).toISOString()

/** A payment of these roubles, and the money that comes for it in parts. */
const receive = async (service: TestService, shop: Shop, orderId: string, amount: number, ...parts: number[]) => {
  const { body, status } = await shop.create(orderId, { amount })
  assert.equal(status, 201, JSON.stringify(body))
  const requisiteId: string = body.card.id
  const transfers: string[] = []
  for (const part of parts) {
    service.clock.advance(1000)
    transfers.push((await payIn(service, { requisiteId, minor: BigInt(part) * 100n })).id)
  }
  return { merchantId: shop.merchantId, id: String(body.payment.id), requisiteId, transfers, answer: body.payment }
}

/** Lines of a statement of account: kind, order or reference, change, balance. */
const linesOf = (csv: string): string[] =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','))
    .map(([, , kind, orderId, reference, amount, deducted, balance, currency]) =>
      [kind, orderId || reference, amount, deducted, balance, currency].filter(Boolean).join(' '),
    )

onBothEngines('a shop in roubles needs no rate, from its first payment to a settled month', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service, 'live', {
    ...inRoubles,
    perMethod: 8,
    terms: { feePpm: 12_500, feeFixedMicro: 1_505_000n },
  })
  const { shop, requisiteId } = bank
  const { merchantId } = shop
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const from = iso(service.clock.now)
  assert.deepEqual((await anna.get('/rates')).body.rates, [])

  const exact = await receive(service, shop, 'exact', 5000.37)
  assert.deepEqual(exact.answer.rate, { RUB: { price: 1, createdAt: iso(service.clock.now) } })
  assert.deepEqual([exact.answer.total, exact.answer.currency], [{ currency: 'RUB', amount: 5000.37 }, 'rub'])
  const paid = await payIn(service, { requisiteId: exact.requisiteId, minor: 5000_37n })
  assert.equal(paid.outcome, 'exact')
  // 1.25 % of 5000.37 are 62.504625, and 1.505 more are 64.009625.
  const credited = [
    'bank:requisite → suspense 500037 rub',
    'suspense → fees 6400 rub',
    'suspense → merchant:merchant:available 493637 rub',
  ]
  assert.deepEqual(await ledgerOf(service, exact), credited)
  const balance = { currency: 'rub', held: 0, paidOut: 0 }
  assert.deepEqual((await shop.get('/balance')).body, { ...balance, available: 4936.37 })
  const timeline = (await shop.get('/payments/byOrderId/exact/timeline')).body
  assert.deepEqual(timeline.total, { currency: 'RUB', amount: 5000.37 })

  const decide = async (payment: { id: string }, body: object) => {
    const path = `/overpayments/${merchantId}/${payment.id}/decisions`
    const answer = await anna.call('POST', path, { reason: 'agreed', ...body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const under = await receive(service, shop, 'under', 1000, 600, 300)
  const over = await receive(service, shop, 'over', 2000, 2100)
  const twice = await receive(service, shop, 'twice', 3000, 3000, 3000)
  await decide(twice, { reference: 'assigned', decision: 'assign', amount: 1000 })
  await decide(twice, { reference: 'refunded', decision: 'refund', amount: 500, requisiteId: twice.requisiteId })
  // Without a rate nobody knows whether it is within the bound of one person.
  const keeping = { reference: 'kept', decision: 'write-off', reason: 'agreed', amount: 10 }
  assertProblem(
    await anna.call('POST', `/overpayments/${merchantId}/${twice.id}/decisions`, keeping),
    403,
    'second_person_required',
  )
  const adjustment = {
    ...{ merchantId, reference: 'kept', currency: 'rub', amount: 10, reason: 'agreed' },
    ...{ debitAccount: `overpayment:${twice.id}`, creditAccount: 'written-off' },
  }
  const drafted = await anna.call('POST', '/ledger/adjustments', adjustment)
  const posted = await boris.call('POST', `/ledger/adjustments/${merchantId}/${drafted.body.id}/post`)
  assert.equal(posted.body.status, 'posted', JSON.stringify(posted.body))
  service.clock.advance(hour)
  await service.runJobs()
  assert.deepEqual([await shop.status('under'), await shop.status('over')], ['disput-paid', 'disput-paid'])
  assert.deepEqual(await ledgerOf(service, under), [
    'bank:requisite → suspense 30000 rub',
    'bank:requisite → suspense 60000 rub',
    'suspense → fees 1275 rub',
    'suspense → merchant:merchant:available 88725 rub',
  ])

  // The bank takes back a part, then more than what is left is worth.
  const reverse = (payment: typeof over, index: number) =>
    anna.call('POST', `/transfers/${payment.requisiteId}/${payment.transfers[index]}/reverse`, { reason: 'fraud' })
  assert.equal((await reverse(under, 1)).status, 200)
  assert.deepEqual((await newsOf(service, merchantId, 'payment.reversed')).at(-1)?.data['balanceChange'], {
    currency: 'rub',
    amount: -296.25,
  })
  assert.deepEqual((await ledgerOf(service, under)).slice(2), [
    'fees → bank:requisite 375 rub',
    'merchant:merchant:available → bank:requisite 29625 rub',
    'suspense → fees 1275 rub',
    'suspense → merchant:merchant:available 88725 rub',
  ])
  assert.equal((await reverse(over, 0)).status, 200)

  const destinationId = await openDestination(service, merchantId, 'Shop account', 'ru-account')
  const wallet = await openDestination(service, merchantId)
  const draft = { merchantId, reference: 'month', destinationId }
  const refused = await anna.call('POST', '/settlements', { ...draft, destinationId: wallet })
  assertProblem(refused, 409, 'invalid_state')
  assert.equal(refused.body.detail, 'The destination Main wallet is no account in RUB.')
  assertProblem(await anna.call('POST', '/settlements', { ...draft, amount: 0.001 }), 422, 'amount_precision', [
    'amount',
  ])
  const made = await anna.call('POST', '/settlements', draft)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, amount } = made.body
  assert.deepEqual([made.body.currency, made.body.secondPerson], ['rub', true])
  const settlement = `/settlements/${merchantId}/${id}`
  assertProblem(await anna.call('POST', `${settlement}/approve`), 403, 'second_person_required')
  assert.equal((await boris.call('POST', `${settlement}/approve`)).body.status, 'approved')
  assert.equal((await anna.call('POST', `${settlement}/pay`, { externalReference: 'order 17' })).body.status, 'paid')
  const news = await newsOf(service, merchantId, 'settlement.paid')
  assert.deepEqual([news[0]?.data['currency'], news[0]?.data['amount']], ['rub', amount])

  // The bank's debit proves the payout, and no exchange ever had the money.
  await bank.bringAgreed(mt940Of, [{ minor: -BigInt(Math.round(amount * 100)), payer: 'Shop' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&state=unexplained`)).body.outgoing
  const book = { purpose: 'settlement', reason: 'paid out', merchantId, settlementId: id }
  for (const by of [anna, boris])
    assert.equal((await by.call('POST', `/outgoing/${requisiteId}/${sent.id}/book`, book)).status, 200)
  const rows = (await anna.get('/ledger/trial-balance')).body.rows as { kind: string; currency: string }[]
  assert.deepEqual([...new Set(rows.map(({ currency }) => currency))], ['rub'])
  assert.ok(rows.every(({ kind }) => kind !== 'fx'))
  assert.ok(rows.some(({ kind }) => kind === 'payouts'))
  await assertHealthy(service)
  for (const by of [anna, boris])
    assert.equal((await by.call('POST', `/outgoing/${requisiteId}/${sent.id}/unbook`, { reason: 'again' })).status, 200)

  service.clock.advance(hour)
  const csv = await shop.get(`/statement?from=${from}&to=${iso(service.clock.now)}`)
  assert.equal(csv.status, 200, JSON.stringify(csv.body))
  const lines = linesOf(csv.body)
  assert.deepEqual(lines, [
    'opening 0.00 rub',
    'credit exact 4936.37 64.00 4936.37 rub',
    'credit over 2072.25 27.75 7008.62 rub',
    'credit twice 2961.00 39.00 9969.62 rub',
    'assign twice 986.00 14.00 10955.62 rub',
    'credit under 887.25 12.75 11842.87 rub',
    'return under -296.25 -3.75 11546.62 rub',
    'return over -2072.25 -27.75 9474.37 rub',
    'hold month -9474.37 0.00 0.00 rub',
    'closing 0.00 rub',
  ])
  assert.equal(amount, 9474.37)
  const camt = await shop.get(`/statement?from=${from}&to=${iso(service.clock.now)}&format=camt.053`)
  assert.match(camt.body, /<Ccy>RUB<\/Ccy>/)
  assert.match(camt.body, /<Amt Ccy="RUB">4936\.37<\/Amt>/)
  assert.equal((await shop.get('/entries')).body.entries[0].currency, 'rub')
  assert.deepEqual(
    (await anna.get('/overview')).body.waiting.map(({ kind }: { kind: string }) => kind).includes('stale-rates'),
    false,
  )
})

onBothEngines('disputes and corrections in roubles give what was decided, less the fee', async (service) => {
  const court = await openCourt(service, { ...inRoubles, perMethod: 4 })
  const { shop } = court
  const late = await court.create('late')
  await court.expire()
  service.clock.advance(day)
  await payIn(service, { requisiteId: late.requisiteId, minor: 4800_00n })
  const claim = await court.claim('late')
  const [transfer] = await court.inbox()
  const transfers = [{ requisiteId: transfer?.requisiteId, id: transfer?.id }]
  const accepted = await court.step('decision', claim.body.id, { decision: 'accept', transfers })
  assert.equal(accepted.body.state, 'accepted', JSON.stringify(accepted.body))
  assert.deepEqual(await court.ledger(late), [
    'bank:requisite → suspense 480000 rub',
    'suspense → fees 4800 rub',
    'suspense → merchant:merchant:available 475200 rub',
  ])

  const paid = await court.create('paid', { amount: 1000 })
  await payIn(service, { requisiteId: paid.requisiteId, minor: 1000_00n })
  const { id } = (await court.correct(paid, 1200)).body
  const confirmed = await court.step('confirm', id, { amount: 1200 }, court.boris)
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  assert.deepEqual((await owedIn(service, shop.merchantId)).slice(0, 1), ['available 4752.00 rub'])
  const rejected = await court.step('decision', id, { decision: 'reject', note: 'it was right' })
  assert.equal(rejected.body.state, 'rejected', JSON.stringify(rejected.body))
  assert.deepEqual(
    await owedIn(service, shop.merchantId),
    ['available 5742.00 rub', 'bank -4800.00 rub', 'bank -1000.00 rub', 'fees 58.00 rub'].toSorted(),
  )
})

onBothEngines(
  'a merchant that changes its quote currency keeps both balances, each settled in its own',
  async (service) => {
    const shop = await openShop(service)
    const { merchantId } = shop
    const anna = openOperator(service, 'anna')
    const before = await receive(service, shop, 'before', 5000)
    const change = (quoteCurrency: string) =>
      anna.call('PATCH', `/merchants/${merchantId}`, { settings: { quoteCurrency } })
    assertProblem(await change('xyz'), 400, 'validation_failed', ['settings.quoteCurrency'])
    assert.equal((await change('rub')).body.settings.quoteCurrency, 'rub')
    assert.deepEqual((await anna.lastAudit()).action, 'merchant.update')
    const after = await receive(service, shop, 'after', 1000)
    assert.deepEqual([before.answer.total.currency, after.answer.total.currency], ['USDT', 'RUB'])
    assert.deepEqual((await shop.create('before')).body.payment, before.answer)
    await payIn(service, { requisiteId: before.requisiteId, minor: 5000_00n })
    await payIn(service, { requisiteId: after.requisiteId, minor: 1000_00n })
    const usdt = { currency: 'USDT', available: 53.513514, held: 0, paidOut: 0 }
    const rub = { currency: 'rub', available: 990, held: 0, paidOut: 0 }
    assert.deepEqual((await shop.get('/balance')).body, { ...rub, others: [usdt] })
    service.clock.advance(minute)

    const wallet = await openDestination(service, merchantId)
    const account = await openDestination(service, merchantId, 'Account', 'ru-account')
    const settle = async (reference: string, body: object) => {
      const draft = await anna.call('POST', '/settlements', { merchantId, reference, ...body })
      assert.equal(draft.status, 201, JSON.stringify(draft.body))
      const entries = (await anna.get(`/settlements/${merchantId}/${draft.body.id}/entries`)).body.entries
      const of = entries.map((each: { orderId: string; currency: string }) => `${each.orderId} ${each.currency}`)
      await anna.call('POST', `/settlements/${merchantId}/${draft.body.id}/approve`)
      await anna.call('POST', `/settlements/${merchantId}/${draft.body.id}/pay`, { externalReference: reference })
      return [draft.body.currency, draft.body.amount, ...of]
    }
    assert.deepEqual(await settle('roubles', { destinationId: account }), ['rub', 990, 'after rub'])
    assert.deepEqual(await settle('usdt', { destinationId: wallet, currency: 'USDT' }), [
      'USDT',
      53.513514,
      'before USDT',
    ])
    assert.deepEqual((await shop.get('/balance')).body, {
      ...{ ...rub, available: 0, paidOut: 990 },
      others: [{ ...usdt, available: 0, paidOut: 53.513514 }],
    })
    service.clock.advance(hour)
    const span = `from=${iso(service.clock.now - day)}&to=${iso(service.clock.now)}`
    const names = (csv: string): string[] => linesOf(csv).map((line) => line.split(' ').slice(0, 2).join(' '))
    const own = ['opening 0.00', 'credit after', 'hold roubles', 'closing 0.00']
    assert.deepEqual(names((await shop.get(`/statement?${span}`)).body), own)
    assert.deepEqual(names((await shop.get(`/statement?${span}&balance=USDT`)).body), [
      ...['opening 0.000000', 'credit before', 'hold usdt', 'closing 0.000000'],
    ])
  },
)

onBothEngines(
  'another currency is credited by the rates of both, and not at all if one is missing',
  async (service) => {
    const shop = await openShop(service, { settings: { quoteCurrency: 'uzs' } })
    assertProblem(await shop.create('none'), 503, 'rate_unavailable')
    await service.context.transaction((tx) =>
      setRate(tx, { currency: 'uzs', price: 12_600_00000000n, source: 'test', validUntil: null }),
    )
    const paid = await receive(service, shop, 'cross', 5000, 5000)
    // 92.5 ÷ 12600 is 0.0073412698…, rounded up.
    assert.equal(paid.answer.rate.UZS.price, 0.00734127)
    assert.deepEqual(paid.answer.total, { currency: 'UZS', amount: 681_081.06 })
    assert.deepEqual(await ledgerOf(service, paid), [
      'bank:requisite → fx:rub 500000 rub',
      'fx:rub → fees 681081 uzs',
      'fx:rub → merchant:merchant:available 67427025 uzs',
    ])
    // Late money is worth the worse of both rates: that of now.
    await service.context.transaction((tx) =>
      setRate(tx, { currency: 'uzs', price: 11_000_00000000n, source: 'test', validUntil: null }),
    )
    const late = await receive(service, shop, 'late', 1000)
    await service.context.transaction((tx) =>
      setRate(tx, { currency: 'uzs', price: 10_000_00000000n, source: 'test', validUntil: null }),
    )
    service.clock.advance(hour)
    await service.runJobs()
    await payIn(service, { requisiteId: late.requisiteId, minor: 1000_00n })
    assert.deepEqual(
      (await ledgerOf(service, late)).slice(1),
      // 1000 ÷ 0.00925 are 108108.10 soms.
      ['fx:rub → fees 108108 uzs', 'fx:rub → merchant:merchant:available 10702702 uzs'],
    )
    await service.context.transaction(async (tx) => {
      await setLimits(tx, null, { currency: 'jpy', min: 1n, max: 100_000n })
      await addRequisites(tx, [
        {
          ...{ merchantId: shop.merchantId, mode: 'live', method: 'account-to-account', currency: 'jpy' },
          ...{
            transferScope: null,
            bankIssuer: 'bank-a',
            holder: 'Ivan Petrov',
            number: '40702810200000000001',
            limits: {},
          },
        },
      ])
    })
    assertProblem(await shop.create('yen', { currency: 'jpy', method: 'account-to-account' }), 503, 'rate_unavailable')
  },
)

onBothEngines(
  'whoever works alone opens a shop in roubles by commands, without a rate, and pays it out',
  async (service) => {
    const run = commandsOf(service)
    for (const line of [
      'banks set --code sberbank --name Sberbank --country RU',
      'limits set rub --min 100 --max 300000',
      'merchants create --name Shop --mode live --quote-currency rub',
      'requisites add --method sbp --currency rub --bank sberbank --holder Holder --number 79161234567',
    ])
      await run(line)
    const { token } = JSON.parse(await run('--json tokens issue Shop --name server')) as { token: string }
    const created = await send(service, '/api/v1/merchant/payments', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'direct', amount: 200_000, orderId: 'one', currency: 'rub', method: 'sbp' }),
    })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    await run('transfers record --requisite 4567 --amount 200000 --currency rub --reference BANKREF-1')
    await run('destinations propose Shop ru-account 40702810200000000001/044525225 --label Account')
    await run('destinations approve Account --merchant Shop')
    await run('settlements create Shop --reference 2026-01 --to Account')
    await run('settlements approve 2026-01 --merchant Shop')
    assert.match(await run('settlements pay 2026-01 --merchant Shop --reference 17'), /198000\.00 rub/)
    assert.match(await run('balances --merchant Shop'), /paid-out\s+-198000\.00 rub/)
    const waiting = (await openOperator(service).get('/overview')).body.waiting as { kind: string }[]
    assert.ok(!waiting.some(({ kind }) => kind === 'stale-rates'))
  },
  { PAYIN_OPERATOR_TOKENS: '', PAYIN_DESTINATION_COOLING_HOURS: '0', PAYIN_LONE_REPORTS_ABOVE: '' },
)

onOneEngine('a simulated shop in roubles is paid out to a simulated account', async (service) => {
  const shop = await openShop(service, { ...inRoubles, mode: 'sandbox' })
  await shop.create('paid')
  await shop.simulate('paid', { event: 'settled' })
  for (let times = 0; times < 5; times++) {
    service.clock.advance(minute)
    await service.runJobs()
  }
  const { settlements } = (await shop.get('/settlements')).body
  assert.deepEqual(
    settlements.map(({ status, amount, currency }: { status: string; amount: number; currency: string }) => [
      ...[status, amount, currency],
    ]),
    [['paid', 4950, 'rub']],
  )
})

onOneEngine('nobody is asked for a rate that no payment needs', async (service) => {
  const operator = openOperator(service)
  const kinds = async (): Promise<string[]> =>
    (await operator.get('/overview')).body.waiting.map(({ kind }: { kind: string }) => kind)
  const shop = await openShop(service, inRoubles)
  const ended = service.clock.now + hour
  await service.context.transaction((tx) =>
    setRate(tx, { currency: 'rub', price: 92_50000000n, source: 'test', validUntil: ended }),
  )
  service.clock.advance(2 * day)
  assert.deepEqual([await kinds(), (await readUse(service.context)).isNeeded('rub')], [[], false])
  await operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings: { quoteCurrency: 'USDT' } })
  assert.deepEqual([await kinds(), (await readUse(service.context)).isNeeded('rub')], [['stale-rates'], true])
})

onOneEngine('a debt in the former currency comes before payouts and payments in the new one', async (service) => {
  const shop = await openShop(service, { settings: { maxDebt: 50 } })
  const { merchantId } = shop
  const operator = openOperator(service)
  const before = await receive(service, shop, 'before', 5000, 5000)
  const change = (settings: object) => operator.call('PATCH', `/merchants/${merchantId}`, { settings })
  assertProblem(await change({ quoteCurrency: 'rub' }), 400, 'validation_failed', ['settings.maxDebt'])
  assert.equal((await change({ quoteCurrency: 'rub', maxDebt: 5000 })).status, 200)
  await receive(service, shop, 'after', 1000, 1000)
  const wallet = await openDestination(service, merchantId)
  const account = await openDestination(service, merchantId, 'Account', 'ru-account')
  const draft = (reference: string, body: object) =>
    operator.call('POST', '/settlements', { merchantId, reference, ...body })
  assert.equal((await draft('usdt', { destinationId: wallet, currency: 'USDT' })).status, 201)
  const [id = ''] = before.transfers
  const path = `/transfers/${before.requisiteId}/${id}/reverse`
  const reversed = await operator.call('POST', path, { reason: 'bank' })
  assert.equal(reversed.status, 200, JSON.stringify(reversed.body))
  assertProblem(await draft('roubles', { destinationId: account }), 409, 'balance_insufficient')
  assertProblem(await shop.create('more'), 403, 'debt_too_large')
  // Without a limit no debt is too large.
  assert.equal((await change({ maxDebt: null })).status, 200)
  assert.equal((await shop.create('unlimited')).status, 201)
})

onOneEngine('a quotient that is larger than a price may be is no rate', async (service) => {
  const shop = await openShop(service, { settings: { quoteCurrency: 'eur' } })
  const set = (price: bigint) =>
    service.context.transaction((tx) => setRate(tx, { currency: 'eur', price, source: 'test', validUntil: null }))
  await set(90000000n)
  const twice = await receive(service, shop, 'before', 5000, 5000, 5000)
  await set(1n)
  assertProblem(await shop.create('after'), 503, 'rate_unavailable')
  // What exceeds the payment is worth the rate that the payment has.
  const wish = { amount: 500, reason: 'more goods', reference: 'more', decision: 'assign' }
  const path = `/overpayments/${shop.merchantId}/${twice.id}/decisions`
  const decided = await openOperator(service).call('POST', path, wish)
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
})

onOneEngine('fees that were agreed in one currency are not taken in another one', async (service) => {
  const shop = await openShop(service, { terms: { feeFixedMicro: 100_000n } })
  const operator = openOperator(service)
  const path = `/merchants/${shop.merchantId}`
  const change = () => operator.call('PATCH', path, { settings: { quoteCurrency: 'rub' } })
  assertProblem(await change(), 409, 'invalid_state')
  for (const method of paymentMethods)
    assert.equal((await operator.call('PATCH', `${path}/terms/${method}`, { feeFixedMicro: null })).status, 200)
  assert.equal((await change()).status, 200)
})

onOneEngine('the rate of a currency in which merchants are credited is watched', async (service) => {
  await openShop(service, { settings: { quoteCurrency: 'uzs' } })
  const set = (price: bigint, validUntil: number | null = null) =>
    service.context.transaction((tx) => setRate(tx, { currency: 'uzs', price, source: 'test', validUntil }))
  const found = async () => {
    const rule = withDefaults('rate-stale', {})
    return (await findings['rate-stale'](service.context, rule, service.clock.now)).map(({ subject }) => subject)
  }
  await set(12_000_00000000n)
  service.clock.advance(25 * hour)
  await set(24_000_00000000n, service.clock.now + hour)
  assert.ok((await found()).includes('rate-band:uzs'))
  service.clock.advance(2 * hour)
  assert.ok((await found()).includes('rate:uzs'))
})
