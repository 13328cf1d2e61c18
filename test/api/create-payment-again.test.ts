// Idempotency of a create (docs/domain.md §3.2): the same request again, another request under the same orderId.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../../src/rules/time.ts'
import { setLimits, updateMerchant } from '../../src/engine/merchants/merchant.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { updateRequisite } from '../../src/engine/requisites/update-requisite.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn } from '../support/shop.ts'

const { onEngines, onOne, opened } = shareEngines()

const assertReplayed = (answer: Answer, body: unknown): void => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(answer.body, body)
}

/** The body of a create once its payment has another status. */
const withStatus = (answer: Answer, status: string) => ({
  ...answer.body,
  payment: { ...answer.body.payment, status },
})

onEngines('200: the same request again gets the same body, and no second payment', async (service) => {
  const shop = await openShop(service)
  const fields = { type: 'staged', locale: 'en', userId: 'user-1', bankIssuer: 'bank-a', sbpEnabled: true }
  const first = await shop.create('again', fields)
  assert.equal(first.status, 201)
  for (let time = 0; time < 3; time++) {
    service.clock.advance(minute)
    assertReplayed(await shop.create('again', fields), first.body)
  }
  assert.equal((await shop.get('/payments')).body.payments.length, 1)
})

onEngines(
  'metadata is kept with its payment and notified, and the body of the contract is as without',
  async (service) => {
    const shop = await openShop(service)
    const metadata = { cart: '8213', 'a.b-c_d': 'кот "quoted" \\ {}, null', empty: '' }
    const plain = await shop.create('plain')
    const noted = await shop.create('noted', { metadata })
    assert.equal(noted.status, 201, JSON.stringify(noted.body))
    assert.deepEqual(Object.keys(noted.body.payment), Object.keys(plain.body.payment))
    assertReplayed(await shop.create('noted', { metadata: { cart: '1' } }), noted.body)
    assertReplayed(await shop.create('noted'), noted.body)
    assertReplayed(await shop.create('plain', { metadata }), plain.body)
    const listed = (await shop.get('/payments')).body.payments
    const found = Object.fromEntries(listed.map((each: { orderId: string }) => [each.orderId, each]))
    assert.deepEqual(found['noted'].metadata, metadata)
    assert.ok(!('metadata' in found['plain']))
    assert.deepEqual((await shop.get('/payments/byOrderId/noted/timeline')).body.metadata, metadata)
    assert.deepEqual(Object.keys((await shop.get('/payments/byOrderId/noted')).body).toSorted(), [
      ...['amount', 'currency', 'id', 'orderId', 'status'],
    ])
    await payIn(service, { requisiteId: noted.body.card.id, minor: 5000_00n })
    await queueDeliveries(service.context)
    const { events } = (await shop.get('/events')).body
    const notified = events.filter(({ data }: { data: { orderId: string } }) => data.orderId === 'noted')
    assert.deepEqual(
      notified.map(({ type, data }: { type: string; data: object }) => [type, 'metadata' in data && data.metadata]),
      [['payment.paid', metadata]],
    )
  },
)

test('400: metadata of other forms is refused, with what is wrong', async () => {
  const shop = await openShop(opened())
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, 'x']))
  for (const [metadata, field, message] of [
    [many, 'metadata', 'must have at most 20 fields.'],
    [{ 'a b': 'x' }, 'metadata', 'has a name that is not 1–40 letters'],
    [{ ['a'.repeat(41)]: 'x' }, 'metadata', 'has a name that is not 1–40 letters'],
    [{ a: 'x'.repeat(501) }, 'metadata.a', 'must have at most 500 characters.'],
    [{ a: 'line\nbreak' }, 'metadata.a', 'must be up to 500 printable characters.'],
    [{ a: 1 }, 'metadata.a', 'must be a text, in quotes.'],
    ['text', 'metadata', 'must be an object.'],
  ] as const) {
    const answer = await shop.create('refused', { metadata })
    assertProblem(answer, 400, 'validation_failed')
    const [error] = answer.body.errors
    assert.equal(error.field, field)
    assert.ok(error.message.startsWith(message), error.message)
  }
  const most = Object.fromEntries(
    Object.keys(many)
      .slice(1)
      .map((name) => [name, 'ш'.repeat(500)]),
  )
  assert.equal((await shop.create('most', { metadata: most })).status, 201)
  assert.equal((await shop.create('none', { metadata: {} })).status, 201)
})

test('200: the same request written in other words is the same', async () => {
  const shop = await openShop(opened())
  const first = await shop.create('words', { amount: 100 })
  for (const amount of ['100', '1e2', '100.00', '1.0E+2', '1000e-1']) {
    const body = `{"amount": ${amount}, "orderId":"w\\u006frds", "method":"sbp","currency":"rub","type":"direct"}`
    assertReplayed(await shop.post('/payments', body), first.body)
  }
  const enabled = await shop.create('enabled', { sbpEnabled: true })
  assertReplayed(await shop.create('enabled', { sbpEnabled: true, method: undefined }), enabled.body)
  const card = await shop.create('card', { method: 'card-to-card' })
  assertReplayed(await shop.create('card', { method: 'card-to-card', sbpEnabled: false }), card.body)
})

test('200: the same request gets its payment whatever the status is by now', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8 })
  const start = async (orderId: string): Promise<Answer> => shop.create(orderId)
  const paid = await start('paid')
  await payIn(service, { requisiteId: paid.body.card.id, minor: 5000_00n })
  const over = await start('over')
  await payIn(service, { requisiteId: over.body.card.id, minor: 5500_00n })
  const partly = await start('partly')
  await payIn(service, { requisiteId: partly.body.card.id, minor: 2000_00n })
  const canceled = await start('canceled')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  const expired = await start('expired')
  assertReplayed(await shop.create('paid'), withStatus(paid, 'paid'))
  assertReplayed(await shop.create('over'), withStatus(over, 'disput-paid'))
  assertReplayed(await shop.create('partly'), withStatus(partly, 'processing'))
  assertReplayed(await shop.create('canceled'), withStatus(canceled, 'canceled'))
  service.clock.advance(hour)
  await service.runJobs()
  assertReplayed(await shop.create('expired'), withStatus(expired, 'expired'))
  service.clock.advance(40 * day)
  assertReplayed(await shop.create('paid'), withStatus(paid, 'paid'))
})

test('200: the same request gets its payment after limits, rate, hosts, requisites and the room for payments are gone', async () => {
  const service = opened()
  const { context } = service
  const shop = await openShop(service, { perMethod: 1, settings: { returnHosts: ['shop.example.com'] } })
  const fields = { returnUrl: 'https://shop.example.com/back', bankIssuer: 'bank-a' }
  const first = await shop.create('changed', fields)
  const again = async (): Promise<void> => assertReplayed(await shop.create('changed', fields), first.body)
  await context.transaction((tx) =>
    setRate(tx, { currency: 'rub', price: 200_00000000n, source: 'test', validUntil: tx.now + minute }),
  )
  await again()
  service.clock.advance(2 * minute)
  assertProblem(await shop.create('no-rate'), 503, 'rate_unavailable')
  await again()
  await context.transaction((tx) => setLimits(tx, shop.merchantId, { currency: 'rub', min: 1_00n, max: 2_00n }))
  await again()
  await context.transaction((tx) =>
    updateMerchant(tx, shop.merchantId, { settings: { returnHosts: [], maxOpenPayments: 1 } }),
  )
  await again()
  await context.transaction(async (tx) => {
    for (const id of shop.requisiteIds) await updateRequisite(tx, id, { status: 'retired' })
  })
  await again()
})

const differences: readonly (readonly [fields: Record<string, unknown>, names: readonly string[]])[] = [
  [{ type: 'staged' }, ['type']],
  [{ amount: 5000.01 }, ['amount']],
  [{ amount: 0.01 }, ['amount']],
  [{ amount: 4_999_999 }, ['amount']],
  [{ currency: 'usd' }, ['currency']],
  [{ method: 'account-to-account' }, ['method']],
  [{ method: 'by-phone', transferScope: 'international' }, ['method', 'transferScope']],
  [{ sbpEnabled: true }, ['sbpEnabled']],
  [{ bankIssuer: 'bank-a' }, ['bankIssuer']],
  [{ userId: 'user-1' }, ['userId']],
  [{ returnUrl: 'https://shop.example.com/' }, ['returnUrl']],
  [{ locale: 'ru' }, ['locale']],
  [{ type: 'staged', amount: 100, locale: 'en' }, ['type', 'amount', 'locale']],
]

for (const [fields, names] of differences) {
  test(`409: refuses ${JSON.stringify(fields)} under the orderId of another request, naming ${names.join(', ')}`, async () => {
    const service = opened()
    const shop = await openShop(service, { settings: { returnHosts: ['shop.example.com'] } })
    await service.context.transaction(async (tx) => {
      await setLimits(tx, null, { currency: 'usd', min: 1_00n, max: 10_000_00n })
      await setRate(tx, { currency: 'usd', price: 1_00000000n, source: 'test', validUntil: null })
    })
    const first = await shop.create('conflict')
    const refused = await shop.create('conflict', fields)
    assertProblem(refused, 409, 'order_conflict', names)
    assert.equal(refused.headers.get('retry-after'), null)
    // Neither the refused request nor its answer tells anything of the payment that is there.
    assert.ok(!JSON.stringify(refused.body).includes(first.body.payment.id))
    assertReplayed(await shop.create('conflict'), first.body)
  })
}

test('409: a field that was given is missed when it is left out', async () => {
  const shop = await openShop(opened())
  await shop.create('given', { userId: 'user-1', locale: 'ru', bankIssuer: 'bank-a' })
  assertProblem(await shop.create('given'), 409, 'order_conflict', ['bankIssuer', 'userId', 'locale'])
})

test('409: the userId that the service made is not one that the merchant gave', async () => {
  const shop = await openShop(opened())
  const { body } = await shop.create('made')
  assertProblem(await shop.create('made', { userId: body.payment.userId }), 409, 'order_conflict', ['userId'])
})

onOne('201: orderIds that differ in a byte are different orders', async (service) => {
  const orderIds = [
    'a',
    'A',
    'а',
    'a ',
    ' a',
    'a.',
    '\u00e9',
    'e\u0301',
    'ß',
    'ss',
    'ﬁ',
    'fi',
    '1',
    '01',
    '１',
    'İ',
    'i',
    'ı',
    'null',
  ]
  const shop = await openShop(service, { perMethod: orderIds.length })
  const ids = new Set<string>()
  for (const orderId of orderIds) {
    const { status, body } = await shop.create(orderId)
    assert.equal(status, 201, orderId)
    assert.equal(body.payment.orderId, orderId)
    ids.add(body.payment.id)
  }
  assert.equal(ids.size, orderIds.length)
})

test('201: two merchants may use one orderId', async () => {
  const first = await openShop(opened())
  const second = await openShop(opened())
  const one = await first.create('shared')
  const other = await second.create('shared', { amount: 777, type: 'staged' })
  assert.deepEqual([one.status, other.status], [201, 201])
  assert.notEqual(one.body.payment.id, other.body.payment.id)
  assert.equal((await first.get('/payments/byOrderId/shared')).body.amount, 5000)
  assert.equal((await second.get('/payments/byOrderId/shared')).body.amount, 777)
})

test('201: a refused create does not burn its orderId', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 1, settings: { maxOpenPayments: 2 } })
  assert.equal((await shop.create('holder', { amount: 700 })).status, 201)
  const refusals: readonly (readonly [fields: Record<string, unknown>, code: string])[] = [
    [{ amount: 1 }, 'amount_below_min'],
    [{ amount: 9_000_000 }, 'amount_above_max'],
    [{ amount: 100.001 }, 'amount_precision'],
    [{ currency: 'xyz' }, 'currency_not_supported'],
    [{ bankIssuer: 'nobody' }, 'bank_issuer_unknown'],
    [{ bankIssuer: 'bank-b' }, 'requisites_unavailable'],
    [{ amount: 700 }, 'requisites_unavailable'],
    [{ unknown: true }, 'validation_failed'],
  ]
  for (const [fields, code] of refusals) assert.equal((await shop.create('kept', fields)).body.code, code)
  assertProblem(await shop.get('/payments/byOrderId/kept'), 404, 'payment_not_found')
  assert.equal((await shop.create('second', { method: 'card-to-card' })).status, 201)
  assertProblem(await shop.create('kept'), 429, 'too_many_open_payments')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'second' })
  assert.equal((await shop.create('kept')).status, 201)
})

const countPayments = async (service: TestService, token: string): Promise<number> => {
  const response = await fetch(`${service.url}/api/v1/merchant/payments?limit=100`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { payments: unknown[] }).payments.length
}

onEngines('1000 identical creates at once make one payment and answer alike', async (service) => {
  const shop = await openShop(service)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => shop.create('race', { userId: 'user-1' })))
  const created = answers.filter((answer) => answer.status === 201)
  assert.equal(created.length, 1)
  for (const answer of answers) {
    if (answer !== created[0]) assertReplayed(answer, created[0]?.body)
  }
  assert.equal(await countPayments(service, shop.token), 1)
  // None of the losers has kept a slot: the other three requisites are free for the same amount.
  const others = await Promise.all(['b', 'c', 'd', 'e'].map((orderId) => shop.create(orderId)))
  assert.deepEqual(
    others.map((answer) => answer.status).toSorted((a, b) => a - b),
    [201, 201, 201, 409],
  )
})

onEngines(
  '100 different creates at once under one orderId make one payment, and the others are refused',
  async (service) => {
    const shop = await openShop(service)
    const amounts = Array.from({ length: 100 }, (_, index) => 1000 + (index % 2))
    const answers = await Promise.all(amounts.map((amount) => shop.create('mixed', { amount })))
    const [winner, ...more] = answers.filter((answer) => answer.status === 201)
    assert.ok(winner)
    assert.deepEqual(more, [])
    for (const [index, answer] of answers.entries()) {
      if (answer === winner) continue
      if (amounts[index] === winner.body.payment.amount) assertReplayed(answer, winner.body)
      else assertProblem(answer, 409, 'order_conflict', ['amount'])
    }
    assert.equal(await countPayments(service, shop.token), 1)
  },
)
