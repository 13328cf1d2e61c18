// A year of business, made up by a seed (a month on the embedded engine; PAYIN_TEST_DAYS says otherwise): payers, a bank that keeps its own
// books, two operators, settlements. On every day the bank's books are those of the ledger, and at the end everybody's
// are, to the minor unit and the millionth.
import assert from 'node:assert/strict'
import { currencyDecimals } from '../../src/domain/currency.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { day, hour, minute } from '../../src/domain/time.ts'
import { openOperator } from '../support/operator.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const seed = Number(process.env['PAYIN_TEST_SEED'] ?? 20_260_131)
/** Days of business on each engine; the embedded one takes three times as long for them. */
const daysOn = { postgres: 365, embedded: 30 }
const givenDays = process.env['PAYIN_TEST_DAYS']

/** Numbers that look random and are the same for the same seed (mulberry32). */
const randomFrom = (start: number) => {
  let state = start
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const rub = (minor: bigint): number => Number(formatDecimal(minor, currencyDecimals('rub')))

/** One merchant, the bank and the operators; `seen` counts what happened. */
const startYear = (service: TestService, shop: Shop, seen: Map<string, number>) => {
  const random = randomFrom(seed)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const books = new Map<string, bigint>()
  const arrived: { requisiteId: string; id: string; minor: bigint }[] = []
  const open: string[] = []
  let names = 0
  const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)
  const book = (requisiteId: string, change: bigint): unknown =>
    books.set(requisiteId, (books.get(requisiteId) ?? 0n) + change)

  const arrive = async (requisiteId: string, minor: bigint): Promise<void> => {
    const { id, outcome } = await payIn(service, { requisiteId, minor, reference: `bank-${++names}` })
    book(requisiteId, minor)
    arrived.push({ requisiteId, id, minor })
    note(outcome)
  }

  const pay = async (): Promise<void> => {
    const minor = BigInt(100_00 + random(20_000_00))
    const created = await shop.create(`order-${++names}`, { amount: rub(minor) })
    if (created.status !== 201) return void note('refused')
    const { id: requisiteId } = created.body.card
    service.clock.advance(minute)
    const kind = random(10)
    if (kind === 0) return
    await arrive(requisiteId, kind === 1 ? minor - 1n : kind === 2 ? minor + 5n : minor)
    if (kind === 3) await arrive(requisiteId, minor)
    if (kind === 4) await arrive(requisiteId, BigInt(1 + random(500_00)))
  }

  const reverse = async (): Promise<void> => {
    const [transfer] = arrived.splice(random(arrived.length || 1), 1)
    if (!transfer) return
    const { requisiteId, id, minor } = transfer
    const { status, body } = await anna.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'bank' })
    if (status === 200) book(requisiteId, -minor)
    note(`reverse ${status === 200 ? body.parts[0].kind : body.code}`)
  }

  const decide = async (): Promise<void> => {
    const { overpayments } = (await anna.get(`/overpayments?merchantId=${shop.merchantId}&limit=1`)).body
    if (overpayments.length === 0) return
    const { paymentId, amount } = overpayments[0]
    const decision = ['assign', 'refund', 'write-off'][random(3)]
    const requisiteId = shop.requisiteIds[0] as string
    const refund = decision === 'refund' ? { requisiteId } : {}
    const body = { reference: `decision-${++names}`, decision, reason: 'agreed', ...refund }
    const { status } = await anna.call('POST', `/overpayments/${shop.merchantId}/${paymentId}/decisions`, body)
    assert.equal(status, 200)
    if (decision === 'refund') book(requisiteId, -BigInt(Math.round(amount * 100)))
    note(`${decision}`)
  }

  const settle = async (): Promise<void> => {
    const draft = { merchantId: shop.merchantId, reference: `settlement-${++names}`, destination: 'x' }
    const { status, body } = await anna.call('POST', '/settlements', draft)
    if (status === 201) open.push(body.id)
    note(`settle ${status}`)
    if (open.length < 2) return
    const path = `/settlements/${shop.merchantId}/${open.shift()}`
    assert.equal((await boris.call('POST', `${path}/approve`)).status, 200)
    const end = random(3) === 0 ? 'fail' : 'pay'
    const details = end === 'pay' ? { externalReference: `tx-${names}` } : { reason: 'returned' }
    assert.equal((await anna.call('POST', `${path}/${end}`, details)).status, 200)
    note(end)
  }

  const sell = async (): Promise<void> => {
    const requisiteId = shop.requisiteIds[random(shop.requisiteIds.length)] as string
    const minor = books.get(requisiteId) ?? 0n
    if (minor <= 0n) return
    const accounts = { debitAccount: 'fx:rub', creditAccount: `bank:${requisiteId}`, currency: 'rub' }
    const wanted = { reference: `sale-${++names}`, ...accounts, amount: rub(minor), reason: 'sold' }
    const { body } = await anna.call('POST', '/ledger/adjustments', wanted)
    const posted = await boris.call('POST', `/ledger/adjustments/${body.book}/${body.id}/post`)
    assert.equal(posted.status, 200, JSON.stringify(posted.body))
    book(requisiteId, -minor)
    note('sell')
  }

  const close = async (): Promise<void> => {
    const date = new Date(service.clock.now).toISOString().slice(0, 10)
    for (const [requisiteId, minor] of books) {
      const path = `/requisites/${requisiteId}/closing-balances/${date}`
      const { status } = await anna.call('PUT', path, { balance: rub(minor), currency: 'rub' })
      assert.equal(status, 200)
    }
  }

  return {
    books,
    day: async (): Promise<void> => {
      for (let times = 1 + random(3); times > 0; times--) await pay()
      if (random(4) === 0) await reverse()
      if (random(3) === 0) await decide()
      if (random(5) === 0) await settle()
      if (random(9) === 0) await sell()
      await close()
    },
  }
}

onBothEngines(`a year of business from seed ${seed}: bank, ledger and merchant agree`, async (service) => {
  const days = Number(givenDays ?? daysOn[service.engine])
  const terms = { feePpm: 12_500, feeFixedMicro: 50_000n, feeMinMicro: 150_000n, feeMaxMicro: 1_500_000n }
  const shop = await openShop(service, { terms, perMethod: 3 })
  const seen = new Map<string, number>()
  const year = startYear(service, shop, seen)
  // Nine in the morning in the zone of the requisites.
  service.clock.now = Math.ceil(service.clock.now / day) * day + 6 * hour
  const startedAt = service.clock.now
  for (let count = 0; count < days; count++) {
    service.clock.now = startedAt + count * day
    await service.runJobs()
    await year.day()
  }
  const operator = openOperator(service)
  for (const requisiteId of year.books.keys()) {
    const answer = await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}&limit=500`)
    const differing = answer.body.days.filter((each: { difference: number }) => each.difference !== 0)
    assert.deepEqual(differing, [], `seed ${seed}`)
  }
  service.clock.advance(hour)
  const balance = (await shop.get('/balance')).body
  const span = `from=${new Date(startedAt - day).toISOString()}&to=${new Date(service.clock.now + hour).toISOString()}`
  const csv = (await shop.get(`/statement?${span}`)).body as string
  const closing = csv.split('\r\n').at(-2)?.split(',')
  assert.deepEqual([closing?.[2], Number(closing?.[7])], ['closing', balance.available])
  const trial = (await operator.get('/ledger/trial-balance')).body
  assert.equal(trial.balanced, true)
  for (const what of ['exact', 'paid-again', 'reverse payment', 'settle 201', 'pay', 'sell', 'assign', 'refund']) {
    assert.ok((seen.get(what) ?? 0) > 0, `${what} never happened: ${JSON.stringify([...seen])}`)
  }
})
