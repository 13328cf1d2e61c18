// One test per code of docs/errors.md: when it occurs, and that its answer is complete (RFC 9457).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from 'payin-database'
import { demoRateSource } from '../../src/rules/money/rate.ts'
import type { RefusalCode } from '../../src/rules/refusal.ts'
import { minute, second } from '../../src/rules/time.ts'
import { answerClientError } from '../../src/http/server/answer-requests.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { endToken, issueToken } from '../../src/engine/merchants/tokens.ts'
import { setLimits, updateMerchant } from '../../src/engine/merchants/merchant.ts'
import { catalogMaxAgeMs } from '../../src/engine/catalog.ts'
import { createPayment } from '../../src/engine/payments/create-payments.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { errorsLogged, shareService } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, send, type Shop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'
import { clonePostgres } from '../support/templates.ts'

const opened = shareService()

/** Codes that cannot occur yet. */
const unreachable: Readonly<Partial<Record<RefusalCode, string>>> = {
  session_missing: 'needs a session of the console: test/members/sign-in.test.ts',
  second_factor_missing: 'needs a session of the console: test/members/sign-in.test.ts',
  verification_required: 'needs a session of the console: test/members/sign-in.test.ts',
}

const provoked = new Set<RefusalCode>()

/** Declares the test of a code; `fields` are those that the answer names. */
const refuses = (
  code: RefusalCode,
  status: number,
  title: string,
  provoke: (shop: Shop, service: TestService) => Promise<Answer>,
  fields?: readonly string[],
): void => {
  provoked.add(code)
  test(`${status}: ${code} for ${title}`, async () => {
    const service = opened()
    const answer = await provoke(await openShop(service), service)
    assertProblem(answer, status, code, fields)
    const { status: expected, title: name, retry } = errorCodes[code]
    assert.deepEqual([expected, name], [status, answer.body.title])
    assert.equal(answer.headers.get('retry-after') !== null, retry === 'after Retry-After')
  })
}

const status = (service: TestService, authorization: string | undefined): Promise<Answer> =>
  send(
    service,
    '/api/v1/merchant/payments/currencies',
    authorization === undefined ? {} : { headers: { authorization } },
  )

refuses('balance_insufficient', 409, 'a settlement without a balance', async ({ merchantId }, service) => {
  const wanted = { merchantId, reference: 'nothing', destinationId: await openDestination(service, merchantId) }
  return openOperator(service).call('POST', '/settlements', wanted)
})

refuses('signature_invalid', 401, 'a push that no source has signed', (_shop, service) =>
  send(service, `/api/v1/feeds/${unknownId}/transfers`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'payin-timestamp': String(Math.floor(service.clock.now / second)),
      'payin-signature': `v1=${'0'.repeat(64)}`,
    },
    body: JSON.stringify({
      transfers: [
        {
          ...{ requisiteId: unknownId, amount: 1, currency: 'rub', bankReference: 'x' },
          bookedAt: new Date(service.clock.now).toISOString(),
        },
      ],
    }),
  }),
)

refuses('statement_refused', 422, 'a file that is not a statement', (_shop, service) =>
  uploadFile(service, 'no statement'),
)

refuses('second_person_required', 403, 'an adjustment that its author posts', async ({ merchantId }, service) => {
  const operator = openOperator(service)
  const accounts = { debitAccount: 'fees', creditAccount: 'merchant:available', currency: 'USDT' }
  const wanted = { merchantId, reference: 'mine', ...accounts, amount: 1, reason: 'x' }
  const { body } = await operator.call('POST', '/ledger/adjustments', wanted)
  return operator.call('POST', `/ledger/adjustments/${body.book}/${body.id}/post`)
})

refuses('malformed_json', 400, 'a body that ends too early', (shop) => shop.post('/payments', '{"type":'))
refuses('malformed_json', 400, 'an empty body', (shop) => shop.post('/payments', ''))
refuses('validation_failed', 400, 'missing fields', (shop) => shop.post('/payments', {}), [
  'type',
  'amount',
  'orderId',
  'currency',
  'method',
])
refuses(
  'validation_failed',
  400,
  'wrong fields, all at once, unknown ones with their names',
  (shop) =>
    shop.create('', { type: 'x', amount: '5', currency: 'RUB', sbpEnabled: 1, colour: 'red', 'a.b': 1, locale: 'de' }),
  ['type', 'amount', 'orderId', 'currency', 'sbpEnabled', 'colour', 'a.b', 'locale'],
)
refuses('validation_failed', 400, 'a body that is not an object', (shop) => shop.post('/payments', '[]'))
refuses('token_missing', 401, 'a request without Authorization', (_shop, service) => status(service, undefined))
refuses('token_invalid', 401, 'a token that was never issued', (shop, service) =>
  status(service, `Bearer ${shop.token.slice(0, -1)}${shop.token.endsWith('A') ? 'B' : 'A'}`),
)
refuses('token_expired', 401, 'a token whose time is over', async (shop, service) => {
  const expiresAt = service.clock.now + minute
  const { token } = await service.context.transaction((tx) =>
    issueToken(tx, { merchantId: shop.merchantId, name: 'short', scopes: ['payments:read'], allowList: [], expiresAt }),
  )
  assert.equal((await status(service, `Bearer ${token}`)).status, 200)
  service.clock.advance(minute)
  return status(service, `Bearer ${token}`)
})
refuses('token_revoked', 401, 'a token that was revoked', async (shop, service) => {
  const { token } = await service.context.transaction(async (tx) => {
    const { merchantId } = shop
    const issued = await issueToken(tx, {
      merchantId,
      name: 'x',
      scopes: ['payments:read'],
      allowList: [],
      expiresAt: null,
    })
    await endToken(tx, issued.id, 0)
    return issued
  })
  return status(service, `Bearer ${token}`)
})
refuses('role_missing', 403, "an operation that is not for the operator's role", async (_shop, service) =>
  openOperator(service, 'vera').call('POST', '/merchants', { name: 'x', mode: 'live' }),
)
refuses('scope_missing', 403, 'a token that lacks the scope', async (_shop, service) => {
  const reader = await openShop(service, { scopes: ['payments:read'] })
  return reader.create('order')
})
refuses('sandbox_only', 403, 'a simulation for a live merchant', (shop, service) =>
  send(service, '/api/v1/sandbox/payments/byOrderId/order/simulate', {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: '{"event":"paid"}',
  }),
)
refuses('address_not_allowed', 403, 'an address that is not in the allow-list', async (_shop, service) => {
  const elsewhere = await openShop(service, { allowList: ['203.0.113.7'] })
  return elsewhere.get('/payments/currencies')
})
refuses('merchant_suspended', 403, 'a suspended merchant', async (shop, service) => {
  await service.context.transaction((tx) => updateMerchant(tx, shop.merchantId, { status: 'suspended' }))
  return shop.get('/payments/currencies')
})
refuses('browser_not_allowed', 403, 'a request that a browser marks as its own', (shop) =>
  shop.get('/payments/currencies', { origin: 'https://shop.example.com' }),
)
refuses('payment_not_found', 404, 'an orderId that nobody used', (shop) => shop.get('/payments/byOrderId/nobody'))
refuses('route_not_found', 404, 'an address that does not exist', (shop) => shop.get('/payments/byOrderId/a/b'))
refuses('resource_not_found', 404, 'an id that nothing has', (_shop, service) =>
  openOperator(service).get(`/merchants/${unknownId}`),
)
refuses('method_not_allowed', 405, 'a method that the address does not know', async (shop, service) => {
  const answer = await send(service, '/api/v1/merchant/payments', { method: 'DELETE' })
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
  const byOrder = await shop.post('/payments/byOrderId/order/status', {})
  assert.equal(byOrder.headers.get('allow'), 'GET, HEAD')
  assertProblem(byOrder, 405, 'method_not_allowed')
  return answer
})
refuses(
  'order_conflict',
  409,
  'another request under the same orderId',
  async (shop) => {
    await shop.create('taken')
    return shop.create('taken', { amount: 5001, userId: 'user-1' })
  },
  ['amount', 'userId'],
)
refuses('payment_not_paid', 409, 'the acknowledgement of a payment that is not paid', async (shop) => {
  await shop.create('new')
  return shop.post('/payments/byOrderId/ack', { orderId: 'new' })
})
refuses('status_changed', 409, 'an acknowledgement of another status', async (shop, service) => {
  const { body } = await shop.create('paid')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  return shop.post('/payments/byOrderId/ack', { orderId: 'paid', status: 'disput-paid' })
})
refuses('invalid_state', 409, 'canceling a payment that is paid', async (shop, service) => {
  const { body } = await shop.create('paid')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  return shop.post('/payments/byOrderId/cancel', { orderId: 'paid' })
})
refuses('dispute_exists', 409, 'a second claim about a payment', async (shop) => {
  await shop.create('disputed')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'disputed' })
  assert.equal((await shop.post('/payments/byOrderId/disputed/dispute', { amount: 5000 })).status, 201)
  return shop.post('/payments/byOrderId/disputed/dispute', { amount: 5000 })
})
refuses('ambiguous', 409, 'a name that two merchants have', async (_shop, service) => {
  await openShop(service, { name: 'Twins', perMethod: 0 })
  await openShop(service, { name: 'Twins', perMethod: 0 })
  const answer = await openOperator(service).get('/resolve?kind=merchant&text=Twins')
  assert.equal(answer.body['candidates'].length, 2)
  return answer
})
refuses('already_exists', 409, 'a requisite whose number is there', async (_shop, service) => {
  const operator = openOperator(service)
  const requisites = [
    { method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: '79990000001' },
  ]
  const added = await operator.call('POST', '/requisites', { requisites })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const [id] = added.body.ids
  await operator.call('PATCH', `/requisites/${id}`, { status: 'retired' })
  return operator.call('POST', '/requisites', { requisites })
})
refuses('rate_outside_band', 409, 'a rate far from the last one', async (_shop, service) =>
  openOperator(service).call('PUT', '/rates/rub', { price: 200 }),
)
refuses('requisites_unavailable', 409, 'a payment for which no requisite is free', async (_shop, service) => {
  const small = await openShop(service, { perMethod: 1 })
  await small.create('first')
  return small.create('order')
})
refuses('payload_too_large', 413, 'a body over 64 KiB', (shop) =>
  shop.post('/payments', JSON.stringify({ type: 'x'.repeat(64 * 1024) })),
)
refuses('headers_too_large', 431, 'headers over 16 KiB', async (shop, service) => {
  const headers = ['Host: payin.test', `Authorization: Bearer ${shop.token}`, `X-Long: ${'x'.repeat(17_000)}`]
  const { answers, closed } = await sendRaw(service, rawRequest('GET', '/api/v1/merchant/payments/currencies', headers))
  assert.ok(closed)
  assert.equal(answers.length, 1)
  return answers[0] as Answer
})
refuses('unsupported_media_type', 415, 'a body that is not JSON', (shop) =>
  shop.post('/payments', 'type=direct', { 'content-type': 'application/x-www-form-urlencoded' }),
)
refuses('unsupported_media_type', 415, 'JSON in another charset', (shop) =>
  shop.post('/payments', '{}', { 'content-type': 'application/json; charset=windows-1251' }),
)
refuses('amount_below_min', 422, 'an amount one minor unit below min', (shop) => shop.create('a', { amount: 99.99 }), [
  'amount',
])
refuses(
  'amount_above_max',
  422,
  'an amount one minor unit above max',
  (shop) => shop.create('a', { amount: 300_000.01 }),
  ['amount'],
)
refuses('amount_precision', 422, 'an amount with three decimals', (shop) => shop.create('a', { amount: 100.001 }), [
  'amount',
])
refuses('currency_not_supported', 422, 'a currency without limits', (shop) => shop.create('a', { currency: 'xxx' }), [
  'currency',
])
refuses('bank_issuer_unknown', 422, 'a bank that is not listed', (shop) => shop.create('a', { bankIssuer: 'nobank' }), [
  'bankIssuer',
])
refuses('transfer_scope_required', 422, 'by-phone without it', (shop) => shop.create('a', { method: 'by-phone' }), [
  'transferScope',
])
refuses(
  'transfer_scope_not_allowed',
  422,
  'another method with it',
  (shop) => shop.create('a', { transferScope: 'international' }),
  ['transferScope'],
)
refuses(
  'amount_below_min',
  422,
  'several fields that break rules, all at once, with the code of the first',
  (shop) => shop.create('a', { amount: 1, transferScope: 'international', bankIssuer: 'nobank' }),
  ['amount', 'transferScope', 'bankIssuer'],
)
refuses('debt_too_large', 403, 'a merchant whose balance is below what was agreed', async (_shop, service) => {
  const indebted = await openShop(service, { settings: { maxDebt: 0 } })
  const { body } = await indebted.create('first')
  const { id } = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  const operator = openOperator(service)
  const { merchantId } = indebted
  const destinationId = await openDestination(service, merchantId)
  await operator.call('POST', '/settlements', { merchantId, reference: 'all', destinationId })
  await operator.call('POST', `/transfers/${body.card.id}/${id}/reverse`, { reason: 'fraud' })
  return indebted.create('second')
})
refuses('too_many_open_payments', 429, 'one open payment more than is allowed', async (_shop, service) => {
  const small = await openShop(service, { settings: { maxOpenPayments: 1 } })
  assert.equal((await small.create('first')).status, 201)
  return small.create('second')
})
refuses('rate_unavailable', 503, 'a currency that has no rate', async (shop, service) => {
  await service.context.transaction((tx) => setLimits(tx, null, { currency: 'cny', min: 1_00n, max: 1000_00n }))
  return shop.create('a', { currency: 'cny', amount: 100 })
})
refuses('rate_unavailable', 503, 'a rate that is older than its maximum age', async (shop, service) => {
  await service.context.transaction((tx) =>
    setRate(tx, { currency: 'rub', price: 92_50000000n, source: 'test', validUntil: tx.now + second }),
  )
  service.clock.advance(second)
  return shop.create('a')
})

refuses(
  'rate_unavailable',
  503,
  'a live merchant while a currency has only the made-up rate of the demo',
  async (shop, service) => {
    await service.context.transaction(async (tx) => {
      await setLimits(tx, null, { currency: 'cny', min: 1_00n, max: 1000_00n })
      await setRate(tx, {
        currency: 'cny',
        price: 12_00000000n,
        source: demoRateSource,
        validUntil: null,
      })
    })
    return shop.create('a', { currency: 'cny', amount: 100 })
  },
)

test('what was refused says what to send instead', async () => {
  const service = opened()
  const shop = await openShop(service)
  const bank = 'bankIssuer is not the code of a known bank; GET /api/v1/merchant/payments/bankIssuers lists them.'
  const hosts = 'returnUrl must be a URL on a host that the operator has registered for you: shop.example.com.'
  const returning = await openShop(service, { settings: { returnHosts: ['shop.example.com'] } })
  for (const [answer, detail] of [
    [await shop.create('a', { amount: '1500' }), 'amount must be a number, without quotes.'],
    [await shop.create('a', { bankIssuer: 'nobank' }), bank],
    [await returning.create('a', { returnUrl: 'https://other.example.com/' }), hosts],
    [await shop.create('a', { returnUrl: 'https://other.example.com/' }), /registered for you: none yet\.$/],
    [await shop.post('/payments', ''), 'The body is empty.'],
    [await shop.post('/payments', '{"amount":1,}'), 'The body is not well-formed JSON: error at position 12.'],
    [await shop.post('/payments', '{"amount":'), 'The body is not well-formed JSON: it ends too early.'],
    [await status(service, 'Bearer payin_test_x'), /^There is no such access token\. Check /],
  ] as const) {
    if (typeof detail === 'string') assert.equal(answer.body.detail, detail)
    else assert.match(answer.body.detail, detail)
  }
})

provoked.add('rate_limited')
test('429: rate_limited for more requests in a second than the settings allow, counted per token', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_RATE_LIMIT: '5' })
  try {
    const shop = await openShop(service)
    const other = await openShop(service)
    const answers = await Promise.all(Array.from({ length: 30 }, () => shop.get('/payments/currencies')))
    const refused = answers.filter((answer) => answer.status !== 200)
    for (const answer of refused) assertProblem(answer, 429, 'rate_limited')
    // A new second may have begun in between.
    assert.ok(refused.length >= 20, `${refused.length} of 30 were refused`)
    for (const { headers } of refused) assert.equal(headers.get('retry-after'), '1')
    const { headers, ...answered } = await other.get('/payments/currencies')
    assert.equal(answered.status, 200)
    assert.equal(headers.get('ratelimit-policy'), '"token";q=5;w=1')
    assert.match(headers.get('ratelimit') ?? '', /^"token";r=[0-4];t=1$/)
    for (const [name, value] of [
      ['limit', /^5$/],
      ['remaining', /^[0-4]$/],
      ['reset', /^1$/],
    ] as const)
      assert.match(headers.get(`ratelimit-${name}`) ?? '', value)
  } finally {
    await service.stop()
  }
})

const hidePayments = query('test_hide_payments', {
  text: 'alter table payments rename to hidden',
})

provoked.add('internal_error')
test('500: internal_error for an unforeseen error, of which it reveals nothing', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    await service.context.query(hidePayments, {})
    for (const answer of [await shop.create('a'), await shop.get('/payments/byOrderId/a')]) {
      assertProblem(answer, 500, 'internal_error')
      assert.doesNotMatch(JSON.stringify(answer.body), /payments|select|insert|relation|42P01|\bat |\.ts/i)
    }
    // The log has the same requestId and the whole error.
    assert.equal(errorsLogged(service).length, 2)
    assert.match(errorsLogged(service)[0] ?? '', /relation .*payments.* does not exist/)
  } finally {
    await service.stop()
  }
})

const server = process.env['TEST_DATABASE_URL']
provoked.add('database_unavailable')
test('503: database_unavailable while PostgreSQL cannot be reached, and normal answers when it is back', {
  skip: server ? false : 'no PostgreSQL on this machine',
}, async () => {
  const postgres = await clonePostgres(server ?? '')
  const proxy = await openDatabaseProxy(postgres.url)
  // The embedded folder only holds generated secrets: the address of the database wins.
  const service = await openTestService('embedded', { DATABASE_URL: proxy.url })
  try {
    assert.equal(service.context.engine, 'postgres')
    const shop = await openShop(service)
    assert.equal((await shop.create('before')).status, 201)
    await proxy.cut()
    // Until then tokens and limits are known from memory.
    service.clock.advance(catalogMaxAgeMs)
    for (const answer of await Promise.all([
      shop.create('during'),
      shop.get('/payments/byOrderId/before'),
      shop.get('/payments/byOrderId/before/status'),
      shop.get('/payments'),
      shop.post('/payments/byOrderId/ack', { orderId: 'before' }),
      shop.post('/payments/byOrderId/cancel', { orderId: 'before' }),
      shop.get('/payments/currencies'),
      openOperator(service).get('/payments'),
      // Not a file that ends in the middle.
      openOperator(service).get('/payments.csv'),
    ])) {
      assertProblem(answer, 503, 'database_unavailable')
    }
    assert.equal((await send(service, '/healthz')).status, 200)
    assert.equal((await send(service, '/readyz')).status, 503)
    await proxy.restore()
    assert.equal((await shop.create('during')).status, 201)
    assert.equal((await send(service, '/readyz')).status, 200)
    assert.equal(await shop.status('before'), 'new')
    assert.deepEqual(errorsLogged(service), [])
    await assertHealthy(service)
  } finally {
    await proxy.restore().catch(() => undefined)
    await service.stop()
    await proxy.cut()
    await postgres.drop()
  }
})

provoked.add('expectation_failed')
test('417: expectation_failed for an Expect that is not known', async () => {
  const { token } = await openShop(opened())
  const headers = ['Host: payin.test', `Authorization: Bearer ${token}`, 'Expect: 200-ok']
  const { answers } = await sendRaw(opened(), rawRequest('GET', '/api/v1/merchant/payments/currencies', headers))
  assert.ok(answers[0])
  assertProblem(answers[0], 417, 'expectation_failed')
})

provoked.add('request_timeout')
test('408: request_timeout for what does not come in time, on the bare connection', async () => {
  const said: string[] = []
  const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  answerClientError(error, { endWith: (text) => void said.push(text) }, unknownId)
  assert.match(said.join(''), /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
})

provoked.add('overloaded')
test('503: overloaded when too many creates wait, at once and with nothing lost', async () => {
  const service = await openTestService('embedded')
  try {
    const shop = await openShop(service)
    // Tokens, limits and requisites are in memory before the one session of the embedded engine is held.
    assert.equal((await shop.create('first')).status, 201)
    let release = (): void => undefined
    const held = service.context.transaction(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    const createMany = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const request = { type: 'direct', currency: 'rub', method: 'sbp' } as const
        const fields = { orderId: `waiting-${from + index}`, amount: String(1000 + from + index) }
        return createPayment(service.context, { merchantId: shop.merchantId, request: { ...request, ...fields } })
      })
    // As many as may wait; a batch of 500 starts and makes room for as many again.
    const waiting = createMany(0, 5000)
    await new Promise((resolve) => setImmediate(resolve))
    waiting.push(...createMany(5000, 500))
    assertProblem(await shop.create('one-too-many'), 503, 'overloaded')
    release()
    await held
    const results = await Promise.all(waiting)
    assert.ok(results.every((result) => result.kind === 'created'))
    await assertHealthy(service)
  } finally {
    await service.stop()
  }
})

test('every code of the table has a test here, or a reason why it has none', () => {
  const codes = Object.keys(errorCodes) as RefusalCode[]
  const missing = codes.filter((code) => !provoked.has(code) && unreachable[code] === undefined)
  assert.deepEqual(missing, [])
  assert.deepEqual(
    codes.filter((code) => provoked.has(code) && unreachable[code] !== undefined),
    [],
  )
})
