// A merchant's report of a day or a month: its sums are those of the ledger, whatever has happened.
import assert from 'node:assert/strict'
import { parseDecimal } from '../../src/rules/values/currency.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

type Row = Readonly<Record<string, string>>

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** A report as its rows by the line that they are. */
const reportOf = async (service: TestService, merchantId: string, period: string, balance: string) => {
  const path = `/merchants/${merchantId}/report?period=${period}&balance=${balance}&format=csv`
  const { status, body } = await openOperator(service).get(path)
  assert.equal(status, 200, JSON.stringify(body))
  const [header = '', ...lines] = String(body).trimEnd().split('\r\n')
  const names = header.split(',')
  const rows = lines.map((line): Row => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])))
  const decimals = balance === 'USDT' ? 6 : 2
  const sum = (line: string, name: string): bigint =>
    rows
      .filter((row) => row['line'] === line)
      .reduce((total, row) => total + (parseDecimal(row[name] || '0', decimals) as bigint), 0n)
  return { rows, sum }
}

const lines = ['payments', 'overpayments', 'refunds', 'reversals', 'settlements', 'released', 'adjustments'] as const

/** What may happen in a day of a shop. */
const happen = async (service: TestService, shop: Shop, random: Random, number: number): Promise<void> => {
  const anna = openOperator(service, 'anna')
  const orderId = `ord-${shop.merchantId.slice(-4)}-${number}`
  const { status, body } = await shop.create(orderId, { amount: 1000 + random(3000) })
  assert.equal(status, 201, JSON.stringify(body))
  const requisiteId: string = body.card.id
  const minor = BigInt(Math.round(body.payment.amount * 100))
  service.clock.advance(1000)
  const paid = await payIn(service, { requisiteId, minor })
  assert.equal(await shop.status(orderId), 'paid')
  service.clock.advance(1000)
  const what = random(6)
  if (what === 0) {
    const bookedAt = new Date(service.clock.now).toISOString()
    for (const by of ['anna', 'boris'] as const) {
      const reversed = await openOperator(service, by).call('POST', `/transfers/${requisiteId}/${paid.id}/reverse`, {
        ...{ reason: 'the bank', bookedAt },
      })
      assert.ok(reversed.status < 300 || by === 'boris', JSON.stringify(reversed.body))
    }
  }
  if (what === 1 || what === 2) {
    const asked = await shop.post(`/payments/byOrderId/${orderId}/refunds`, { reference: `f-${number}`, amount: 100.5 })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    if (what === 2) {
      const refused = await anna.call('POST', `/refunds/${shop.merchantId}/${asked.body.id}/refuse`, { reason: 'no' })
      assert.equal(refused.status, 200, JSON.stringify(refused.body))
    }
  }
  if (what === 5) {
    await payIn(service, { requisiteId, minor })
    const path = `/overpayments/${shop.merchantId}/${body.payment.id}/decisions`
    const decided = await anna.call('POST', path, {
      reference: `o-${number}`,
      decision: 'assign',
      amount: 500,
      reason: 'agreed',
    })
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
  }
  if (what === 3) {
    const currency =
      (await shop.get('/balance')).body.currency === 'RUB' ? 'rub' : (await shop.get('/balance')).body.currency
    const destinationId = await openDestination(
      service,
      shop.merchantId,
      ...(currency === 'USDT' ? [] : (['Account', 'ru-account'] as const)),
    )
    const drafted = await anna.call('POST', '/settlements', {
      ...{ merchantId: shop.merchantId, reference: `s-${number}`, destinationId, amount: 5, currency },
    })
    assert.ok(drafted.status < 300, JSON.stringify(drafted.body))
    const one = `/settlements/${shop.merchantId}/${drafted.body.id}`
    const isPaid = random(2) === 0
    for (const [step, given] of isPaid
      ? ([['approve'], ['pay', { externalReference: `tx-${number}` }]] as const)
      : ([['fail', { reason: 'wrong' }]] as const)) {
      const done = await openOperator(service, 'boris').call('POST', `${one}/${step}`, given)
      assert.equal(done.status, 200, JSON.stringify(done.body))
    }
  }
  if (what === 4) {
    const drafted = await anna.call('POST', '/ledger/adjustments', {
      ...{ merchantId: shop.merchantId, reference: `a-${number}`, currency: 'USDT', amount: 0.25, reason: 'agreed' },
      ...{ debitAccount: 'fees', creditAccount: 'merchant:available' },
    })
    assert.ok(drafted.status < 300, JSON.stringify(drafted.body))
    const posted = await openOperator(service, 'boris').call(
      'POST',
      `/ledger/adjustments/${shop.merchantId}/${drafted.body.id}/post`,
    )
    assert.equal(posted.status, 200, JSON.stringify(posted.body))
  }
}

onBothEngines('days add up to the month, balances to the ledger, and fees to the trial balance', async (service) => {
  const operator = openOperator(service)
  // Three days of one month, whatever day it is.
  const now = new Date(service.clock.now)
  service.clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 3, 9) - service.clock.now)
  const random = randomFrom(4)
  const terms = { feePpm: 12_345 }
  const shops = [
    await openShop(service, { name: 'Shop & <Co>', terms }),
    await openShop(service, { name: 'Roubles', terms, settings: { quoteCurrency: 'rub' } }),
  ]
  const days: string[] = []
  for (let at = 0; at < 3; at++) {
    days.push(isoDay(service.clock.now))
    for (let number = 0; number < 8; number++)
      for (const shop of shops) await happen(service, shop, random, at * 100 + number)
    if (at === 1) {
      const changed = await operator.call('PATCH', `/merchants/${shops[1]?.merchantId}`, {
        settings: { quoteCurrency: 'USDT' },
      })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
    }
    service.clock.advance(day)
  }
  const fees = new Map<string, bigint>()
  const seen = new Set<string>()
  for (const { merchantId } of shops)
    for (const currency of ['USDT', 'rub']) {
      const month = await reportOf(service, merchantId, (days[0] ?? '').slice(0, 7), currency)
      let balance = 0n
      const total = new Map<string, bigint>()
      for (const each of days) {
        const { sum } = await reportOf(service, merchantId, each, currency)
        assert.equal(sum('opening', 'balance'), balance)
        for (const line of lines) {
          if (sum(line, 'change') !== 0n) seen.add(line)
          assert.equal(sum(line, 'gross') - sum(line, 'fee'), sum(line, 'change'))
          balance += sum(line, 'change')
          for (const name of ['gross', 'fee', 'change'])
            total.set(`${line} ${name}`, (total.get(`${line} ${name}`) ?? 0n) + sum(line, name))
        }
        assert.equal(sum('closing', 'balance'), balance)
      }
      for (const line of lines)
        for (const name of ['gross', 'fee', 'change'])
          assert.equal(month.sum(line, name), total.get(`${line} ${name}`), `${line} ${name}`)
      assert.deepEqual([month.sum('opening', 'balance'), month.sum('closing', 'balance')], [0n, balance])
      const { balances } = (await operator.get(`/ledger/balances?merchantId=${merchantId}`)).body
      const held = (name: string): bigint =>
        parseDecimal(
          balances.find(
            (each: { account: string; currency: string }) =>
              each.account === `merchant:${merchantId}:${name}` && each.currency === currency,
          )?.balance ?? '0',
          currency === 'USDT' ? 6 : 2,
        ) as bigint
      assert.deepEqual([-balance, -month.sum('paid-out', 'gross')], [held('available'), held('paid-out')])
      fees.set(currency, (fees.get(currency) ?? 0n) + lines.reduce((sum, line) => sum + month.sum(line, 'fee'), 0n))
    }
  assert.deepEqual([...seen].toSorted(), lines.toSorted(), 'not everything has happened')
  const { rows } = (await operator.get('/ledger/trial-balance')).body
  for (const [currency, sum] of fees) {
    const { credit = '0', debit = '0' } =
      rows.find((row: { kind: string; currency: string }) => row.kind === 'fees' && row.currency === currency) ?? {}
    const decimals = currency === 'USDT' ? 6 : 2
    assert.equal((parseDecimal(credit, decimals) as bigint) - (parseDecimal(debit, decimals) as bigint), sum, currency)
  }
})

onOneEngine('a report is a page in both languages, and says where it ends while its period lasts', async (service) => {
  const shop = await openShop(service, { name: 'Shop & <b>Co</b>', terms: { feePpm: 10_000 } })
  const { body } = await shop.create('ord-1', { amount: 5000 })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  const at = service.clock.now
  service.clock.advance(5 * minute)
  const [today, month] = [isoDay(at), isoDay(at).slice(0, 7)]
  const page = await shop.get(`/report?period=${today}&language=ru`)
  assert.equal(page.status, 200, page.body)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.body, /<html lang="ru">/)
  assert.match(page.body, /Shop &amp; &lt;b&gt;Co&lt;\/b&gt;/)
  assert.match(page.body, /Период не закончился/)
  // 5000 roubles are 54.054054 USDT, less 1 %.
  assert.match(page.body, /53,513514/)
  assert.match(page.body, /5\u00a0000,00/)
  assert.match(page.headers.get('content-security-policy') ?? '', /style-src 'sha256-/)
  const csv = await shop.get(`/report?period=${month}&format=csv`)
  assert.match(csv.body, /^payments,1,USDT,,,54\.054054,0\.540540,53\.513514,\r$/m)
  assert.match(csv.body, /^payments-asked,1,rub,5000\.00,5000\.00,,,,\r$/m)
  for (const [period, code] of [
    ['2026-13', 'validation_failed'],
    ['2026-02-30', 'validation_failed'],
    ['2999-01', 'validation_failed'],
    ['today', 'validation_failed'],
  ] as const)
    assertProblem(await shop.get(`/report?period=${period}`), 400, code)
  service.clock.advance(2 * day + hour)
  assert.doesNotMatch((await shop.get(`/report?period=${today}`)).body, /has not ended/)
})
