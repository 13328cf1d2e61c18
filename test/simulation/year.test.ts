// A year of business, made up by a seed (a month on the embedded engine; PAYIN_TEST_DAYS says otherwise): payers, a bank that
// keeps its own books, pushes what comes in and gives files by day of all that moves, operators, settlements, restarts. On every
// day the bank's books are those of the ledger, without adjustments, and at the end everybody's are, to the minor unit and
// the millionth.
import assert from 'node:assert/strict'
import { currencyDecimals } from '../../src/domain/currency.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { day, hour, minute } from '../../src/domain/time.ts'
import { openOperator } from '../support/operator.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { openYearBank, outgoingTexts } from '../support/year-bank.ts'

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
const startYear = async (service: TestService, shop: Shop, seen: Map<string, number>) => {
  const random = randomFrom(seed)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const arrived: { requisiteId: string; id: string; minor: bigint }[] = []
  const open: string[] = []
  /** Payments whose payers are sent what they are owed before anybody records it. */
  const returned = new Set<string>()
  let names = 0
  const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)
  const bank = await openYearBank(service, anna, shop.requisiteIds, note)
  const [savings = ''] = shop.requisiteIds.slice(-1)
  /** Accounts that payers have paid to. */
  const used = new Set<string>()
  const anyAccount = (): string | undefined => [...used][random(used.size || 1)]

  const arrive = async (requisiteId: string, minor: bigint): Promise<void> => {
    const sender = `+7999${String(1_000_000 + names)}`
    const sent = { requisiteId, minor, sender, reference: `push-${++names}`, channel: 'feed:year' }
    const { id, outcome } = await payIn(service, sent)
    bank.book(requisiteId, minor, { payerAccount: sender })
    used.add(requisiteId)
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
    if (kind === 3 || kind > 7) await arrive(requisiteId, minor)
    if (kind === 4) await arrive(requisiteId, BigInt(1 + random(500_00)))
  }

  const reverse = async (): Promise<void> => {
    const [transfer] = arrived.splice(random(arrived.length || 1), 1)
    if (!transfer) return
    const { requisiteId, id, minor } = transfer
    const { status, body } = await anna.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'bank' })
    if (status === 200) bank.book(requisiteId, -minor, { text: 'Отзыв' })
    note(`reverse ${status === 200 ? body.parts[0].kind : body.code}`)
  }

  const decide = async (): Promise<void> => {
    const { overpayments } = (await anna.get(`/overpayments?merchantId=${shop.merchantId}&limit=20`)).body
    const found = overpayments.find((each: { paymentId: string }) => !returned.has(each.paymentId))
    if (!found) return
    const { paymentId, amount, orderId } = found
    const decision = ['assign', 'refund', 'write-off', 'return'][++names % 4]
    const requisiteId = shop.requisiteIds[0] as string
    const minor = -BigInt(Math.round(amount * 100))
    if (decision === 'return') {
      returned.add(paymentId)
      return bank.book(requisiteId, minor, { text: `Возврат ${orderId}` })
    }
    const refund = decision === 'refund' ? { requisiteId } : {}
    const body = { reference: `decision-${++names}`, decision, reason: 'agreed', ...refund }
    const { status } = await anna.call('POST', `/overpayments/${shop.merchantId}/${paymentId}/decisions`, body)
    assert.equal(status, 200)
    if (decision === 'refund') bank.book(requisiteId, minor, { text: 'Возврат' })
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

  /** The bank takes its fee, rent is paid, USDT are bought for settlements, money goes to the savings account. */
  const spend = (): void => {
    const requisiteId = anyAccount()
    if (requisiteId === undefined) return
    const minor = BigInt(10_00 + random(50_000_00))
    const purpose = (['fee', 'other', 'settlement', 'own-account'] as const)[++names % 4] ?? 'fee'
    bank.book(requisiteId, -minor, { text: outgoingTexts[purpose] })
    if (purpose === 'own-account') bank.book(savings, minor, { text: outgoingTexts[purpose] })
  }

  const bringFiles = async (): Promise<void> => {
    const requisiteId = anyAccount()
    if (requisiteId !== undefined && random(3) > 0) await bank.bring(requisiteId)
    if (random(7) === 0) await bank.bring(savings)
    if (random(3) === 0) await bank.explain()
  }

  return {
    bank,
    day: async (): Promise<void> => {
      for (let times = 1 + random(3); times > 0; times--) await pay()
      if (random(4) === 0) await reverse()
      if (random(3) > 0) await decide()
      if (random(5) === 0) await settle()
      if (random(3) === 0) spend()
      await bringFiles()
      await bank.close()
    },
    /** All files of the year are imported, and all outgoing money is explained. */
    end: async (): Promise<void> => {
      for (const requisiteId of shop.requisiteIds) await bank.bring(requisiteId)
      assert.equal(await bank.explain(), 0)
      // The files list what was pushed, and nobody is asked about it.
      const { transfers } = (await anna.get('/transfers?unmatched=true&limit=500')).body
      assert.deepEqual(
        transfers.filter((each: { duplicateOf?: string }) => each.duplicateOf !== undefined),
        [],
      )
    },
  }
}

onBothEngines(`a year of business from seed ${seed}: bank, ledger and merchant agree`, async (service) => {
  const days = Number(givenDays ?? daysOn[service.engine])
  const terms = { feePpm: 12_500, feeFixedMicro: 50_000n, feeMinMicro: 150_000n, feeMaxMicro: 1_500_000n }
  const shop = await openShop(service, { terms, perMethod: 3 })
  const seen = new Map<string, number>()
  const year = await startYear(service, shop, seen)
  // Nine in the morning in the zone of the requisites.
  service.clock.now = Math.ceil(service.clock.now / day) * day + 6 * hour
  const startedAt = service.clock.now
  for (let count = 0; count < days; count++) {
    service.clock.now = startedAt + count * day
    if (count % 30 === 10) await service.restart()
    await service.runJobs()
    await year.day()
  }
  await year.end()
  const operator = openOperator(service)
  for (const requisiteId of shop.requisiteIds) {
    const answer = await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}&limit=500`)
    const differing = answer.body.days.filter((each: { difference: number }) => each.difference !== 0)
    assert.deepEqual(differing, [], `seed ${seed}`)
    if (year.bank.isUsed(requisiteId)) assert.equal(answer.body.days[0].ledger, rub(year.bank.books.get(requisiteId)))
  }
  service.clock.advance(hour)
  const balance = (await shop.get('/balance')).body
  const span = `from=${new Date(startedAt - day).toISOString()}&to=${new Date(service.clock.now + hour).toISOString()}`
  const csv = (await shop.get(`/statement?${span}`)).body as string
  const closing = csv.split('\r\n').at(-2)?.split(',')
  assert.deepEqual([closing?.[2], Number(closing?.[7])], ['closing', balance.available])
  const trial = (await operator.get('/ledger/trial-balance')).body
  assert.equal(trial.balanced, true)
  const outgoing = ['fee', 'other', 'settlement', 'own-account', 'refund'].map((purpose) => `outgoing ${purpose}`)
  const files = ['1c', 'csv', 'camt'].map((format) => `file ${format}`)
  const others = ['exact', 'paid-again', 'reverse payment', 'settle 201', 'pay', 'assign', 'refund']
  for (const what of [...others, ...outgoing, ...files]) {
    assert.ok((seen.get(what) ?? 0) > 0, `${what} never happened: ${JSON.stringify([...seen])}`)
  }
})
