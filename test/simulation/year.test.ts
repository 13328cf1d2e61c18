// Months of business, a year in `npm run test:torture`, made up by a seed: payers of two shops, a bank that pushes what
// comes in to a signed feed and gives files by day of all that moves, operators, settlements, rates that move, restarts. It
// keeps books of its own (test/support/year-books.ts). Every evening the ledger has what they have, account by account, to
// the kopeck and the millionth of a USDT, and `reconcile` finds no difference but what no file has reported.
import assert from 'node:assert/strict'
import { currencyDecimals } from '../../src/rules/values/currency.ts'
import { day, hour } from '../../src/rules/time.ts'
import { openOperator } from '../support/operator.ts'
import { openApprovedFeed } from '../support/push.ts'
import { randomFrom } from '../support/random.ts'
import { actingJobs, onBothEngines, type TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { countOf, seedOf } from '../support/torture.ts'
import { openYearBank, spendings } from '../support/year-bank.ts'
import { openYearBooks, type YearPayment, type YearPlan } from '../support/year-books.ts'
import { openYearDesk, openYearPayers, type YearShop, type YearWorld } from '../support/year-business.ts'

const seed = seedOf(20_260_131)
/** Days of business on each engine; the embedded one takes three times as long for them. */
const daysOn = { postgres: countOf(120), embedded: countOf(50) }
/** How often the doctor comes, in days of business. */
const doctorEvery = 50

const openYearShop = async (
  service: TestService,
  name: string,
  perMethod: number,
  plan: YearPlan,
  toleranceMinor: bigint,
): Promise<YearShop> => ({
  shop: await openShop(service, { name, perMethod, terms: { ...plan, toleranceMinor, lateWindowMs: day } }),
  plan,
  toleranceMinor,
})

/** What never happened would prove nothing. */
const expectedKinds = [
  ...['exact', 'unpaid', 'within the tolerance', 'under', 'over', 'twice', 'in parts', 'late', 'with a stray'],
  ...['push recorded', 'push already-known', 'assigned by hand', 'ignored', 'rate'],
  ...['reversed by hand', 'reversed by the feed', 'reversed credited', 'reversed owed'],
  ...['decision assign', 'decision refund', 'decision write-off', 'outgoing refund'],
  ...spendings.map((purpose) => `outgoing ${purpose}`),
  ...['settle 201', 'settlement pay', 'settlement fail'],
  ...['1c', 'csv', 'camt', 'mt940'].map((format) => `file ${format}`),
  ...['file is late', 'closing of a file', 'restart', 'acknowledged'],
]

const startYear = async (service: TestService, note: (what: string) => unknown) => {
  const random = randomFrom(seed)
  const plans: readonly YearPlan[] = [
    { feePpm: 12_500, feeFixedMicro: 50_000n, feeMinMicro: 150_000n, feeMaxMicro: 1_500_000n },
    { feePpm: 30_000, feeFixedMicro: 0n, feeMinMicro: 0n, feeMaxMicro: 999_999_999n },
  ]
  const shops = [
    await openYearShop(service, 'Books', 2, plans[0] as YearPlan, 3n),
    await openYearShop(service, 'Shoes', 1, plans[1] as YearPlan, 100n),
  ]
  const requisiteIds = shops.flatMap(({ shop }) => shop.requisiteIds)
  const books = openYearBooks()
  const bank = await openYearBank(service, openOperator(service, 'anna'), books, requisiteIds, note)
  const feed = await openApprovedFeed(service, 'year', requisiteIds)
  const world: YearWorld = { service, shops, bank, books, feed, random, note }
  const payers = openYearPayers(world)
  const desk = openYearDesk(world, payers)
  const operator = openOperator(service)
  /** Pays for nothing and is paid by nobody but the other accounts. */
  const savings = requisiteIds.at(-1) ?? ''

  const spend = (): void => {
    const used = bank.used().filter((each) => each !== savings)
    const from = used[random(used.length || 1)]
    const purpose = spendings[random(spendings.length)] ?? 'fee'
    if (from !== undefined) bank.spend(from, BigInt(10_00 + random(50_000_00)), purpose, savings)
  }

  /** The bank gives files of what only they report; now and then it cannot, and sometimes of accounts with nothing new. */
  const bringFiles = async (restart: boolean): Promise<void> => {
    const used = bank.used()
    const others = random(4) === 0 ? used.slice(random(used.length)).slice(0, 1) : []
    for (const requisiteId of new Set([...bank.unreported(), ...others])) {
      if (!restart && random(10) === 0) note('file is late')
      else await bank.bring(requisiteId, restart)
    }
  }

  /** The ledger has what the year's own books have, account by account. */
  const compareBooks = async (): Promise<void> => {
    const { balances } = (await operator.get('/ledger/balances')).body
    const held = balances
      .map(({ account, currency, balance }: { account: string; currency: string; balance: string }) => {
        const decimals = currencyDecimals(currency)
        return [`${account} ${currency}`, BigInt(Math.round(Number(balance) * 10 ** decimals))] as const
      })
      .filter(([, balance]: readonly [string, bigint]) => balance !== 0n)
      .map((pair: readonly [string, bigint]) => pair.join(' '))
      .toSorted()
    assert.deepEqual(held, books.list(), `seed ${seed}, ${new Date(service.clock.now).toISOString()}`)
  }

  /** Accounts that moved are closed, and differ by what no file has reported. */
  const reconcile = async (): Promise<void> => {
    const closings = await bank.close()
    if (closings === 0) return
    const { days } = (await operator.get(`/ledger/reconciliation?limit=${closings}`)).body
    const today = new Date(service.clock.now).toISOString().slice(0, 10)
    for (const { requisiteId, day: closed, difference, ledger } of days) {
      assert.equal(closed, today)
      const { balance, unreported } = bank.holds(requisiteId)
      assert.deepEqual([ledger, difference], [Number((balance - unreported).toFixed(2)), unreported], `seed ${seed}`)
    }
  }

  /** All invariants hold. */
  const assertSound = async (path: string): Promise<void> => {
    const { checks } = (await operator.get(path)).body
    assert.deepEqual(
      checks.filter(({ broken }: { broken: number }) => broken > 0),
      [],
    )
  }

  return {
    ...{ bank, books, shops, requisiteIds, payments: payers.payments },
    day: async (count: number): Promise<void> => {
      const restart = count % 90 === 45
      const isSunday = count % 7 === 0
      if (restart) note('restart')
      if (random(3) === 0) await payers.moveRate()
      await payers.day()
      // Before the times to pay are over, so that parts come together.
      if (payers.mayWait()) await payers.sortInbox()
      if (random(4) === 0) await payers.takeMoneyBack()
      if (random(3) > 0) await desk.decide()
      if (random(3) === 0) spend()
      // In the evening all times to pay are over.
      service.clock.now = Math.floor(service.clock.now / day) * day + 18 * hour
      // The other jobs do nothing about money here, and find a week's work at once.
      for (const job of actingJobs) if (job.name === 'expire-payments' || isSunday) await job.run(service.context)
      if (isSunday) await payers.acknowledge()
      if (random(6) === 0) await desk.settle()
      await bringFiles(restart)
      if (random(5) === 0) await bank.explain()
      await reconcile()
      if (count % doctorEvery === 0) await assertSound('/doctor')
      await compareBooks()
    },
    /** All files of the year are imported, and all outgoing money is explained. */
    end: async (): Promise<void> => {
      for (const requisiteId of requisiteIds) await bank.bring(requisiteId)
      assert.equal(await bank.explain(), 0)
      await payers.sortInbox()
      await compareBooks()
      await assertSound('/doctor?full=true')
    },
  }
}

/** A merchant reads of each payment what its payer did. */
const compareStatuses = async ({ shop }: YearShop, payments: readonly YearPayment[]): Promise<void> => {
  const read = new Map<string, unknown[]>()
  for (let cursor = ''; cursor !== 'end'; ) {
    const page = (await shop.get(`/payments?limit=100${cursor && `&cursor=${cursor}`}`)).body
    for (const { orderId, status, finalAmount = null } of page.payments) read.set(orderId, [status, finalAmount])
    cursor = page.nextCursor ?? 'end'
  }
  const own = payments.filter(({ merchantId }) => merchantId === shop.merchantId)
  const expected = own.map(({ orderId, status, final }) => [
    orderId,
    [status, final === null ? null : Number(final) / 100],
  ])
  assert.deepEqual(Object.fromEntries(read), Object.fromEntries(expected))
}

onBothEngines(`months of business from seed ${seed}: bank, ledger and merchants agree every day`, async (service) => {
  const days = daysOn[service.engine]
  const seen = new Map<string, number>()
  const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)
  // Nine in the morning in the zone of the requisites.
  service.clock.now = Math.ceil(service.clock.now / day) * day + 6 * hour
  const startedAt = service.clock.now
  const year = await startYear(service, note)
  for (let count = 0; count < days; count++) {
    service.clock.now = startedAt + count * day
    await year.day(count)
  }
  await year.end()
  const operator = openOperator(service)
  for (const requisiteId of year.bank.used()) {
    const answer = await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}&limit=500`)
    const differing = answer.body.days.filter((each: { difference: number }) => each.difference !== 0)
    assert.deepEqual(differing, [], `seed ${seed}`)
  }
  assert.equal((await operator.get('/ledger/trial-balance')).body.balanced, true)
  service.clock.advance(hour)
  const span = `from=${new Date(startedAt - day).toISOString()}&to=${new Date(service.clock.now + hour).toISOString()}`
  for (const each of year.shops) {
    const { shop } = each
    const available = Number(-year.books.balanceOf(`merchant:${shop.merchantId}:available`, 'USDT')) / 1e6
    assert.equal((await shop.get('/balance')).body.available, available)
    const csv = (await shop.get(`/statement?${span}`)).body as string
    const closing = csv.split('\r\n').at(-2)?.split(',')
    assert.deepEqual([closing?.[2], Number(closing?.[7])], ['closing', available])
    await compareStatuses(each, year.payments)
  }
  for (const what of expectedKinds) {
    assert.ok((seen.get(what) ?? 0) > 0, `${what} never happened: ${JSON.stringify([...seen])}`)
  }
})
