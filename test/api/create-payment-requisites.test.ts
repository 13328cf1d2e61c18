// Which requisite a create gets, and when there is none (docs/domain.md §3.5, §3.6).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentMethod } from '../../src/rules/values/payment-method.ts'
import type { RequisiteLimits } from '../../src/rules/requisites/requisite.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { updateRequisite } from '../../src/engine/requisites/update-requisite.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, newNumber, openShop, payIn, type Shop } from '../support/shop.ts'

const { onEngines, onOne, opened } = shareEngines()

const addRequisite = async (
  service: TestService,
  wanted: { merchantId: string | null; method?: PaymentMethod; limits?: Partial<RequisiteLimits>; bankIssuer?: string },
): Promise<string> => {
  const { merchantId, method = 'sbp', limits = {}, bankIssuer = 'bank-a' } = wanted
  const [id] = await service.context.transaction((tx) =>
    addRequisites(tx, [
      {
        merchantId,
        mode: 'live',
        method,
        currency: 'rub',
        transferScope: null,
        bankIssuer,
        holder: 'Ivan Petrov',
        number: newNumber(method),
        limits,
      },
    ]),
  )
  return id ?? ''
}

// Default terms: 30 minutes to pay, 15 of grace, a late window of an hour, one hour of cool-down.
const lateEnd = 30 * minute + 15 * minute + hour

const assertNone = (answer: Answer): void => {
  assertProblem(answer, 409, 'requisites_unavailable')
}

const createdOf = (answers: readonly Answer[]): Answer[] => {
  for (const answer of answers) if (answer.status !== 201) assertNone(answer)
  return answers.filter((answer) => answer.status === 201)
}

onEngines(
  '200 equal creates at once on 50 requisites: each gets its own slot, the others are refused',
  async (service) => {
    const shop = await openShop(service, { perMethod: 50 })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => shop.create(`equal-${index}`)))
    const created = createdOf(answers)
    assert.equal(new Set(created.map(({ body }) => body.card.id)).size, created.length)
    assert.equal(created.length, 50)
  },
)

test('409: a direct payment whose amount is held everywhere is refused with the cause and the time', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 2 })
  await shop.create('first', { amount: 990 })
  service.clock.advance(minute)
  await shop.create('second', { amount: 990 })
  const refused = await shop.create('third', { amount: 990 })
  assertNone(refused)
  assert.equal(refused.body.reason, 'slot-taken')
  assert.match(
    refused.body.detail,
    /^All 2 receiving accounts that fit already hold a payment of exactly 990.00 rub\. /,
  )
  const seconds = Number(refused.headers.get('retry-after'))
  assert.equal(seconds * 1000, lateEnd - minute)
  service.clock.advance(seconds * 1000 - 1)
  assertNone(await shop.create('third', { amount: 990 }))
  service.clock.advance(1)
  assert.equal((await shop.create('third', { amount: 990 })).status, 201)
})

test('409: no account of the kind: nobody knows when there is one', async () => {
  const refused = await (await openShop(opened(), { perMethod: 0 })).create('none')
  assertNone(refused)
  assert.equal(refused.body.reason, 'no-account')
  assert.equal(refused.headers.get('retry-after'), null)
})

onEngines(
  '409: the slot of an unpaid payment is held through the late window, and free right after it',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const holder = await shop.create('holder')
    assertNone(await shop.create('next'))
    assert.equal((await shop.create('other-amount', { amount: 5000.01 })).status, 201)
    service.clock.advance(31 * minute)
    await service.runJobs()
    assert.equal(await shop.status('holder'), 'expired')
    assertNone(await shop.create('next'))
    service.clock.advance(lateEnd - 31 * minute - 1)
    assertNone(await shop.create('next'))
    service.clock.advance(1)
    const next = await shop.create('next')
    assert.equal(next.status, 201)
    assert.equal(next.body.card.id, holder.body.card.id)
    await service.runJobs()
  },
)

onOne('409: the slot of a paid payment is held for its cool-down, and free right after it', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { body } = await shop.create('paid')
  service.clock.advance(10 * minute)
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal(await shop.status('paid'), 'paid')
  assertNone(await shop.create('next'))
  service.clock.advance(hour - 1)
  assertNone(await shop.create('next'))
  service.clock.advance(1)
  assert.equal((await shop.create('next')).status, 201)
})

onOne(
  '201: the slot of a staged payment that is canceled before anybody saw its requisite is free at once',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    await shop.create('staged', { type: 'staged' })
    assertNone(await shop.create('next'))
    assert.equal((await shop.post('/payments/byOrderId/cancel', { orderId: 'staged' })).status, 200)
    assert.equal((await shop.create('next')).status, 201)
  },
)

test('409: the slot of a direct payment that is canceled is held on, because its requisite was shown', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 1 })
  await shop.create('direct')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'direct' })
  service.clock.advance(lateEnd - 1)
  assertNone(await shop.create('next'))
  service.clock.advance(1)
  assert.equal((await shop.create('next')).status, 201)
})

test("409: windows are the merchant's own", async () => {
  const service = opened()
  const terms = { timeToPayMs: 5 * minute, graceMs: minute, lateWindowMs: 2 * minute, coolDownMs: 0 }
  const shop = await openShop(service, { perMethod: 1, terms })
  const { body } = await shop.create('unpaid')
  service.clock.advance(8 * minute - 1)
  assertNone(await shop.create('next'))
  service.clock.advance(1)
  assert.equal((await shop.create('next')).status, 201)
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal((await shop.create('after-paid')).status, 201)
})

onOne('409: a requisite with windows of its own keeps them, the others those of the merchant', async (service) => {
  const shop = await openShop(service, { perMethod: 0, terms: { lateWindowMs: day } })
  const limits = { lateWindowMs: hour, coolDownMs: 5 * minute }
  await addRequisite(service, { merchantId: shop.merchantId, limits })
  await addRequisite(service, { merchantId: shop.merchantId, method: 'card-to-card' })
  const instant = await shop.create('instant')
  await shop.create('ordinary', { method: 'card-to-card' })
  service.clock.advance(30 * minute + 15 * minute + hour - 1)
  await service.runJobs()
  assertNone(await shop.create('next'))
  service.clock.advance(1)
  const next = await shop.create('next')
  assert.equal(next.status, 201)
  assertNone(await shop.create('next-ordinary', { method: 'card-to-card' }))
  await payIn(service, { requisiteId: instant.body.card.id, minor: 5000_00n })
  assert.deepEqual([await shop.status('instant'), await shop.status('next')], ['expired', 'paid'])
  service.clock.advance(5 * minute - 1)
  assertNone(await shop.create('after-paid'))
  service.clock.advance(1)
  assert.equal((await shop.create('after-paid')).status, 201)
})

test("201: the merchant's own requisites come before the pool, and another merchant's never come", async () => {
  const service = opened()
  await openShop(service)
  const shop = await openShop(service, { perMethod: 1 })
  const pool = await addRequisite(service, { merchantId: null })
  try {
    const own = await shop.create('own')
    assert.ok(shop.requisiteIds.includes(own.body.card.id))
    const shared = await shop.create('shared')
    assert.equal(shared.body.card.id, pool)
    assertNone(await shop.create('none'))
  } finally {
    await service.context.transaction((tx) => updateRequisite(tx, pool, { status: 'retired' }))
  }
})

test('409: paused and retired requisites are not handed out', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 0 })
  const id = await addRequisite(service, { merchantId: shop.merchantId })
  const set = (status: 'active' | 'paused' | 'retired') =>
    service.context.transaction((tx) => updateRequisite(tx, id, { status }))
  await set('paused')
  assertNone(await shop.create('while-paused'))
  await set('active')
  assert.equal((await shop.create('while-paused')).status, 201)
  await set('retired')
  assertNone(await shop.create('retired', { amount: 5001 }))
})

test('201: equal requisites are used in turn', async () => {
  const shop = await openShop(opened(), { perMethod: 4 })
  const used: string[] = []
  for (let index = 0; index < 8; index++)
    used.push((await shop.create(`turn-${index}`, { amount: 600 + index })).body.card.id)
  assert.equal(new Set(used.slice(0, 4)).size, 4)
  assert.deepEqual(used.slice(4), used.slice(0, 4))
})

test('409: a requisite is handed out in its working hours only, also over midnight', async () => {
  const service = opened()
  // 2026-11-23 in UTC+3 starts at 21:00 UTC.
  const midnight = Date.parse('2026-11-22T21:00:00.000Z')
  service.clock.now = Math.max(service.clock.now, midnight)
  const today = midnight + Math.ceil((service.clock.now - midnight) / day) * day
  const at = async (shop: Shop, minuteOfDay: number): Promise<number> => {
    service.clock.now = today + minuteOfDay * minute
    return (await shop.create(`at-${minuteOfDay}`, { amount: 1000 + minuteOfDay })).status
  }
  const byDay = await openShop(service, { perMethod: 1, limits: { workingMinutes: [540, 1260] } })
  assert.deepEqual(
    [await at(byDay, 539), await at(byDay, 540), await at(byDay, 1259), await at(byDay, 1260)],
    [409, 201, 201, 409],
  )
  const byNight = await openShop(service, { perMethod: 1, limits: { workingMinutes: [1260, 540] } })
  assert.deepEqual([await at(byNight, 1259), await at(byNight, 1260)], [409, 201])
  service.clock.advance(day)
  service.clock.now = today + day + 539 * minute
  assert.equal((await byNight.create('before')).status, 201)
  service.clock.now = today + day + 540 * minute
  assert.equal((await byNight.create('after', { amount: 5001 })).status, 409)
})

test("409: a requisite's smallest and largest amount are kept", async () => {
  const shop = await openShop(opened(), { limits: { minAmount: 500_00n, maxAmount: 600_00n } })
  for (const [amount, status] of [
    [499.99, 409],
    [500, 201],
    [600, 201],
    [600.01, 409],
  ]) {
    assert.equal((await shop.create(`amount-${amount}`, { amount })).status, status)
  }
})

type LimitRow = { readonly limits: Partial<RequisiteLimits>; readonly most: number; readonly title: string }

const usageLimits: readonly LimitRow[] = [
  { title: 'open payments', limits: { openPayments: 5 }, most: 10 },
  // Unpaid payments never use up more than half of what is left of these.
  { title: 'payments of a day, which unpaid ones do not reach', limits: { dayCount: 4 }, most: 50 },
  { title: 'the sum of a day, which unpaid ones do not reach', limits: { dayAmount: 7_000_00n }, most: 50 },
  { title: 'payments of a day of none', limits: { dayCount: 0 }, most: 0 },
  { title: 'the sum of a day of less than twice a payment', limits: { dayAmount: 1_500_00n }, most: 2 },
]

for (const { title, limits, most } of usageLimits) {
  onEngines(`50 creates at once keep the limit on ${title} of each requisite`, async (service) => {
    const shop = await openShop(service, { perMethod: 2, limits })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => shop.create(`limit-${index}`, { amount: 1000 + index / 100 })),
    )
    const created = createdOf(answers)
    assert.equal(created.length, most)
    const perRequisite = Map.groupBy(created, ({ body }) => body.card.id as string)
    assert.deepEqual(
      [...perRequisite.values()].map((each) => each.length),
      most === 0 ? [] : [most / 2, most / 2],
    )
  })
}

onEngines('creates by every method at once never end in anything but 201 or a refusal', async (service) => {
  const shop = await openShop(service, { perMethod: 2, limits: { openPayments: 3 } })
  const methods = ['card-to-card', 'sbp', 'account-to-account']
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, index) =>
      shop.create(`methods-${index}`, { method: methods[index % 3], amount: 1000 + index / 100 }),
    ),
  )
  assert.equal(createdOf(answers).length, 18)
})

test('201: room comes back when a limited payment expires, and on the next day', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 1, limits: { openPayments: 1, dayCount: 2 } })
  const { body } = await shop.create('paid')
  assertNone(await shop.create('next', { amount: 5001 }))
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal((await shop.create('next', { amount: 5001 })).status, 201)
  assertNone(await shop.create('third', { amount: 5002 }))
  await payIn(service, { requisiteId: body.card.id, minor: 5001_00n })
  const refused = await shop.create('third', { amount: 5002 })
  assertNone(refused)
  assert.equal(refused.body.reason, 'day-limit')
  service.clock.advance(day)
  await service.runJobs()
  assert.equal((await shop.create('third', { amount: 5002 })).status, 201)
})

onEngines('429: 50 creates at once keep maxOpenPayments', async (service) => {
  const shop = await openShop(service, { perMethod: 50, settings: { maxOpenPayments: 10 } })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => shop.create(`open-${index}`)))
  const refused = answers.filter((answer) => answer.status !== 201)
  for (const answer of refused) assertProblem(answer, 429, 'too_many_open_payments')
  assert.equal(answers.length - refused.length, 10)
})

test('201: room for open payments comes back when one is paid, canceled or expired', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8, settings: { maxOpenPayments: 1 } })
  const { body } = await shop.create('paid')
  const refused = await shop.create('next')
  assertProblem(refused, 429, 'too_many_open_payments')
  // The time to pay of the only open payment.
  assert.equal(refused.headers.get('retry-after'), String(30 * 60))
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  assert.equal((await shop.create('next')).status, 201)
  await shop.post('/payments/byOrderId/cancel', { orderId: 'next' })
  assert.equal((await shop.create('expires')).status, 201)
  assertProblem(await shop.create('last'), 429, 'too_many_open_payments')
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal((await shop.create('last')).status, 201)
})
