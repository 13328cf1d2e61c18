// The simulated bank (docs/domain.md §10): events on demand, and amounts that tell a story by their last two digits.
import assert from 'node:assert/strict'
import { destinationRules } from '../../src/rules/money/destination.ts'
import { test } from 'node:test'
import type { SimulatedEvent } from '../../src/rules/sandbox/simulation.ts'
import { minute, second } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, send, type Shop } from '../support/shop.ts'

const { opened, onEngines, onOne } = shareEngines()

const simulate = (service: TestService, shop: Shop, orderId: string, body: unknown): Promise<Answer> =>
  send(service, `/api/v1/sandbox/payments/byOrderId/${encodeURIComponent(orderId)}/simulate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const openSandbox = (service: TestService): Promise<Shop> => openShop(service, { mode: 'sandbox', perMethod: 8 })

/** Lets time pass and the simulated bank do what is due. */
const pass = async (service: TestService, ms: number): Promise<void> => {
  service.clock.advance(ms)
  await service.runJobs()
}

type Outcome = readonly [status: string, reason: string, received: number, finalAmount?: number]

const assertOutcome = async (shop: Shop, orderId: string, expected: Outcome): Promise<void> => {
  const { body } = await shop.get('/payments?limit=100')
  const found = body.payments.find((payment: { orderId: string }) => payment.orderId === orderId)
  const { status, statusReason, receivedAmount, finalAmount } = found
  assert.deepEqual(
    [status, statusReason, receivedAmount, ...(finalAmount === undefined ? [] : [finalAmount])],
    expected,
    orderId,
  )
}

const events: readonly (readonly [SimulatedEvent, amount: number | undefined, Outcome])[] = [
  ['paid', undefined, ['paid', 'exact', 5000]],
  ['paid', 4000, ['processing', 'partial', 4000]],
  ['partial', undefined, ['processing', 'partial', 2500]],
  ['partial', 3456.78, ['processing', 'partial', 3456.78]],
  // As real money would: it is too far from the amount.
  ['partial', 1234.56, ['new', 'created', 0]],
  ['underpaid', undefined, ['disput-paid', 'underpaid', 4500, 4500]],
  ['underpaid', 2200, ['disput-paid', 'underpaid', 2200, 2200]],
  ['overpaid', undefined, ['disput-paid', 'overpaid', 5500, 5500]],
  ['overpaid', 6000.01, ['disput-paid', 'overpaid', 6000.01, 6000.01]],
  ['late', undefined, ['paid', 'late', 5000]],
  ['expired', undefined, ['expired', 'timeout', 0]],
  ['duplicate', undefined, ['paid', 'exact', 5000]],
  ['reversed', undefined, ['paid', 'exact', 5000]],
  ['reversed', 1000, ['paid', 'exact', 5000]],
  ['dispute-opened', undefined, ['disput', 'claim', 0]],
  ['dispute-accepted', undefined, ['disput-paid', 'accepted', 0, 5000]],
  ['dispute-accepted', 4321.5, ['disput-paid', 'accepted', 0, 4321.5]],
  ['dispute-rejected', undefined, ['expired', 'rejected', 0]],
  ['failed', undefined, ['failed', 'requisite-lost', 0]],
  ['ack-overdue', undefined, ['paid', 'exact', 5000]],
  ['settled', undefined, ['paid', 'exact', 5000]],
  ['refunded', undefined, ['paid', 'exact', 5000]],
  ['refund-failed', 1000, ['paid', 'exact', 5000]],
]

onOne('202: every event leads to its outcome, with the usual money or the money that is named', async (service) => {
  for (const [event, amount, outcome] of events) {
    const shop = await openSandbox(service)
    const { body } = await shop.create('order')
    const answer = await simulate(service, shop, 'order', { event, ...(amount === undefined ? {} : { amount }) })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    assert.deepEqual(answer.body, { id: body.payment.id, orderId: 'order', status: 'new', event })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    await pass(service, 2 * second)
    await assertOutcome(shop, 'order', outcome)
  }
})

/** What became of a payment that was paid, and then of what was simulated. */
const afterPaid: readonly (readonly [SimulatedEvent, amount: number | undefined, Outcome])[] = [
  ['reversed', undefined, ['paid', 'exact', 5000]],
  ['dispute-opened', undefined, ['disput', 'correction', 5000]],
  ['dispute-accepted', 4000, ['disput-paid', 'accepted', 4000, 4000]],
  // More than the money that came.
  ['dispute-accepted', 6000, ['disput-paid', 'accepted', 5000, 6000]],
  ['dispute-rejected', undefined, ['paid', 'rejected', 5000]],
  // Only what is new can fail.
  ['failed', undefined, ['paid', 'exact', 5000]],
]

for (const [event, amount, outcome] of afterPaid) {
  test(`202: ${event} of a paid payment ends as ${outcome.join(', ')}`, async () => {
    const service = opened()
    const shop = await openSandbox(service)
    await shop.create('order')
    await simulate(service, shop, 'order', { event: 'paid' })
    await pass(service, second)
    const answer = await simulate(service, shop, 'order', { event, ...(amount === undefined ? {} : { amount }) })
    assert.deepEqual([answer.status, answer.body.status], [202, 'paid'])
    await pass(service, 2 * second)
    await assertOutcome(shop, 'order', outcome)
  })
}

/** The kinds of notifications about a payment, the first one first. */
const notified = async (shop: Shop): Promise<string[]> =>
  (await shop.get('/events')).body.events.map(({ type }: { type: string }) => type)

test('202: the reminder of a credit comes at once, again with each call, and never after the acknowledgement', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  for (const overdue of [1, 2, 3, 4]) {
    await simulate(service, shop, 'order', { event: 'ack-overdue' })
    await pass(service, 2 * second)
    // After the third one, which was the last, none comes of its own accord.
    if (overdue === 3) await pass(service, 6 * minute)
    assert.deepEqual(await notified(shop), ['payment.paid', ...Array<string>(overdue).fill('payment.ack-overdue')])
  }
  await shop.create('other')
  await simulate(service, shop, 'other', { event: 'paid' })
  await pass(service, second)
  await shop.post('/payments/byOrderId/ack', { orderId: 'other' })
  await simulate(service, shop, 'other', { event: 'ack-overdue' })
  await pass(service, 2 * second)
  assert.deepEqual((await notified(shop)).slice(5), ['payment.paid'])
})

test('202: two operators pay out the balance, and where there is none nothing happens', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'settled' })
  await pass(service, 2 * second)
  assert.deepEqual(await notified(shop), ['payment.paid', 'settlement.approved', 'settlement.paid'])
  const { available, held } = (await shop.get('/balance')).body
  assert.deepEqual([available, held], [0, 0])
  await simulate(service, shop, 'order', { event: 'settled' })
  await pass(service, 2 * second)
  const { settlements } = (await shop.get('/settlements')).body
  assert.deepEqual(
    settlements.map(({ status, destination }: { status: string; destination: string }) => [status, destination]),
    [['paid', 'Simulated wallet: T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb (USDT on TRON)']],
  )
})

test('202: the refunds of a payment reach the payer, or do not, with a notification of each step', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  // Without a refund that is open, half is refunded.
  await simulate(service, shop, 'order', { event: 'refunded' })
  await pass(service, 2 * second)
  const steps = ['refund.approved', 'refund.sent', 'refund.done']
  assert.deepEqual(await notified(shop), ['payment.paid', ...steps])
  const listed = async () =>
    (await shop.get('/refunds')).body.refunds.map(
      ({ reference, amount, status, failure }: Record<'reference' | 'amount' | 'status' | 'failure', string>) =>
        [reference.replace(/-.*/u, ''), amount, status, failure].join(' '),
    )
  assert.deepEqual(await listed(), ['simulated 2500 done '])
  for (const reference of ['one', 'two'])
    await shop.post('/payments/byOrderId/order/refunds', { reference, amount: 100, payTo: 'Ivanov, 4276' })
  const { available } = (await shop.get('/balance')).body
  await simulate(service, shop, 'order', { event: 'refund-failed', amount: 7 })
  await pass(service, second)
  assert.deepEqual(await listed(), [
    ...['two 100 failed Simulated.', 'one 100 failed Simulated.', 'simulated 2500 done '],
  ])
  assert.ok((await shop.get('/balance')).body.available > available)
  const failed = [...steps.slice(0, 2), 'refund.failed']
  assert.deepEqual((await notified(shop)).slice(4), [...failed, ...failed])
  // More than is left of the payment changes nothing.
  await simulate(service, shop, 'order', { event: 'refunded', amount: 5000 })
  await pass(service, second)
  assert.equal((await listed()).length, 3)
})

test('202: what the merchant has asked for is paid out, or fails if its destination is retired', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'paid' })
  await pass(service, 2 * second)
  const statuses: string[] = []
  for (const kind of ['tron', 'ethereum'] as const) {
    const wanted = { kind, address: destinationRules[kind].example, label: kind }
    const { body: destination } = await shop.post('/destinations', wanted)
    assert.equal(destination.status, 'ready')
    const { body } = await shop.post('/settlements', { reference: kind, amount: 1, destinationId: destination.id })
    if (kind === 'tron') await shop.post(`/destinations/${destination.id}/retire`, {})
    statuses.push(body.id)
  }
  await simulate(service, shop, 'order', { event: 'settled' })
  await pass(service, 2 * second)
  const read = async (id: string) => (await shop.get(`/settlements/${id}`)).body.status
  assert.deepEqual(await Promise.all(statuses.map(read)), ['failed', 'paid'])
})

test('202: what the bank takes back is gone from the balance, once however often it is simulated', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'reversed' })
  await pass(service, 2 * second)
  await simulate(service, shop, 'order', { event: 'reversed' })
  await pass(service, 2 * second)
  assert.deepEqual(await notified(shop), ['payment.paid', 'payment.reversed'])
  const { body } = await shop.get('/balance')
  assert.equal(body.available, 0, JSON.stringify(body))
})

test('202: a dispute is opened, and then decided with another amount', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('order')
  await simulate(service, shop, 'order', { event: 'dispute-opened', amount: 4900 })
  await pass(service, second)
  const { body } = await shop.get('/payments/byOrderId/order/dispute')
  assert.deepEqual([body.state, body.amount, body.claimant], ['open', 4900, 'payer'])
  await simulate(service, shop, 'order', { event: 'dispute-accepted', amount: 4800.5 })
  await pass(service, second)
  await assertOutcome(shop, 'order', ['disput-paid', 'accepted', 0, 4800.5])
  assert.deepEqual(await notified(shop), ['payment.expired', 'payment.disput', 'payment.disput-paid'])
})

test('202: what is not possible changes nothing, and the steps of others are played', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  for (const orderId of ['reversed', 'other']) await shop.create(orderId)
  await simulate(service, shop, 'reversed', { event: 'reversed' })
  await pass(service, 2 * second)
  // The bank has nothing of it left to be corrected.
  await simulate(service, shop, 'reversed', { event: 'dispute-opened' })
  await simulate(service, shop, 'other', { event: 'paid' })
  await pass(service, second)
  assert.deepEqual([await shop.status('reversed'), await shop.status('other')], ['paid', 'paid'])
})

onEngines('202: an event waits for its delay', async (service) => {
  const shop = await openSandbox(service)
  await shop.create('delayed')
  await simulate(service, shop, 'delayed', { event: 'paid', delayMs: 5 * minute })
  await pass(service, 5 * minute - 1)
  assert.equal(await shop.status('delayed'), 'new')
  await pass(service, 1)
  assert.equal(await shop.status('delayed'), 'paid')
})

test('202: parts that add up pay, and a step is played once however often the bank runs', async () => {
  const service = opened()
  const shop = await openSandbox(service)
  await shop.create('parts')
  for (const amount of [2000, 3000]) {
    await simulate(service, shop, 'parts', { event: 'partial', amount })
    await pass(service, second)
    await service.runJobs()
  }
  await assertOutcome(shop, 'parts', ['paid', 'exact', 5000])
  const again = await simulate(service, shop, 'parts', { event: 'duplicate' })
  assert.deepEqual([again.status, again.body.status], [202, 'paid'])
  await pass(service, 2 * second)
  await assertOutcome(shop, 'parts', ['paid', 'exact', 5000])
})

const stories: readonly (readonly [
  amount: number,
  steps: readonly (readonly [afterMs: number, status: string])[],
  Outcome,
])[] = [
  [
    500.01,
    [
      [1999, 'new'],
      [1, 'paid'],
    ],
    ['paid', 'exact', 500.01],
  ],
  [
    500.02,
    [
      [1999, 'new'],
      [1, 'processing'],
      [1999, 'processing'],
      [1, 'paid'],
    ],
    ['paid', 'exact', 500.02],
  ],
  [
    500.03,
    [
      [1999, 'new'],
      [2, 'disput-paid'],
    ],
    ['disput-paid', 'underpaid', 450.02, 450.02],
  ],
  [
    500.04,
    [
      [1999, 'new'],
      [1, 'disput-paid'],
    ],
    ['disput-paid', 'overpaid', 550.04, 550.04],
  ],
  [
    500.05,
    [
      [9999, 'new'],
      [1, 'expired'],
      [60_000, 'expired'],
    ],
    ['expired', 'timeout', 0],
  ],
  [
    500.06,
    [
      [9999, 'new'],
      [1, 'expired'],
      [1999, 'expired'],
      [1, 'paid'],
    ],
    ['paid', 'late', 500.06],
  ],
]

for (const [amount, steps, outcome] of stories) {
  onEngines(`201: ${amount} ends as ${outcome[0]} without a call`, async (service) => {
    const shop = await openSandbox(service)
    assert.equal((await shop.create('story', { amount })).status, 201)
    for (const [afterMs, status] of steps) {
      await pass(service, afterMs)
      assert.equal(await shop.status('story'), status, `after ${afterMs} ms more`)
    }
    await assertOutcome(shop, 'story', outcome)
  })
}

test('409: an amount that ends in .07 finds no requisite', async () => {
  const shop = await openSandbox(opened())
  assertProblem(await shop.create('none', { amount: 500.07 }), 409, 'requisites_unavailable')
  assert.equal((await shop.create('none', { amount: 500.1 })).status, 201)
})

test('201: the last two digits of a live payment tell no story', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8 })
  for (const digits of [1, 2, 3, 4, 5, 6, 7]) {
    const { status, body } = await shop.create(`live-${digits}`, { amount: 500 + digits / 100 })
    assert.equal(status, 201)
    assert.equal(Date.parse(body.payment.expiredAt), service.clock.now + 30 * minute)
  }
  await pass(service, minute)
  for (const digits of [1, 2, 3, 4, 5, 6, 7]) assert.equal(await shop.status(`live-${digits}`), 'new')
})

test('403: refuses live merchants, whether the payment is there or not', async () => {
  const service = opened()
  const shop = await openShop(service)
  await shop.create('order')
  for (const orderId of ['order', 'nobody']) {
    assertProblem(await simulate(service, shop, orderId, { event: 'paid' }), 403, 'sandbox_only')
  }
  await pass(service, minute)
  assert.equal(await shop.status('order'), 'new')
})

test('403: refuses a token without the scope', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', scopes: ['payments:read', 'payments:write'] })
  await shop.create('order')
  assertProblem(await simulate(opened(), shop, 'order', { event: 'paid' }), 403, 'scope_missing')
})

test('404: refuses an orderId that nobody used', async () => {
  const shop = await openSandbox(opened())
  assertProblem(await simulate(opened(), shop, 'nobody', { event: 'paid' }), 404, 'payment_not_found')
})

for (const [body, status, code, fields] of [
  [{}, 400, 'validation_failed', ['event']],
  [{ event: 'refund' }, 400, 'validation_failed', ['event']],
  [{ event: 'paid', amount: 0 }, 400, 'validation_failed', ['amount']],
  [{ event: 'paid', amount: -5 }, 400, 'validation_failed', ['amount']],
  [{ event: 'paid', amount: '5' }, 400, 'validation_failed', ['amount']],
  [{ event: 'paid', delayMs: -1 }, 400, 'validation_failed', ['delayMs']],
  [{ event: 'paid', delayMs: 1.5 }, 400, 'validation_failed', ['delayMs']],
  [{ event: 'paid', delayMs: 86_400_001 }, 400, 'validation_failed', ['delayMs']],
  [{ event: 'paid', when: 'now' }, 400, 'validation_failed', ['when']],
  [{ event: 'paid', amount: 1.001 }, 422, 'amount_precision', ['amount']],
  [{ event: 'paid', amount: 1e300 }, 422, 'amount_above_max', ['amount']],
  [{ event: 'paid', amount: 1_000_000_000 }, 422, 'amount_above_max', ['amount']],
] as const) {
  test(`${status}: refuses ${JSON.stringify(body)}`, async () => {
    const shop = await openSandbox(opened())
    await shop.create('order')
    assertProblem(await simulate(opened(), shop, 'order', body), status, code, fields)
  })
}
