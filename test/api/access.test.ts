// Access (docs/domain.md §5, §11): tokens, scopes, addresses, and the boundaries between merchants.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Scope, scopes as allScopes } from '../../src/rules/members/access.ts'
import { openCatalog } from '../../src/engine/catalog.ts'
import { minute } from '../../src/rules/time.ts'
import { authenticateToken } from '../../src/engine/merchants/authenticate-token.ts'
import { merchantDirectory } from '../../src/engine/merchants/merchant-directory.ts'
import { endToken, type IssuedToken, issueToken } from '../../src/engine/merchants/tokens.ts'
import { updateMerchant } from '../../src/engine/merchants/merchant.ts'
import { generateAccessToken } from '../../src/secrets/access-token.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, send, type Shop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

const issue = (
  service: TestService,
  shop: Shop,
  wanted: { scopes?: readonly Scope[]; allowList?: readonly string[]; expiresAt?: number } = {},
): Promise<IssuedToken> => {
  const { scopes = ['payments:read'], allowList = [], expiresAt = null } = wanted
  return service.context.transaction((tx) =>
    issueToken(tx, { merchantId: shop.merchantId, name: 'test', scopes, allowList, expiresAt }),
  )
}

const ask = (service: TestService, token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(service, '/api/v1/merchant/payments/currencies', { headers: { ...headers, authorization: `Bearer ${token}` } })

type Operation = readonly [
  name: string,
  scope: Scope,
  call: (service: TestService, token: string, orderId: string) => Promise<Answer>,
]

const call =
  (method: 'GET' | 'POST', path: string, body?: (orderId: string) => unknown): Operation[2] =>
  (service, token, orderId) =>
    send(service, `/api/v1${path.replace('{orderId}', encodeURIComponent(orderId))}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body(orderId)) } : {}),
    })

/** Every operation on one payment. */
const byOrder: readonly Operation[] = [
  ['status', 'payments:read', call('GET', '/merchant/payments/byOrderId/{orderId}/status')],
  ['waiting for the status', 'payments:read', call('GET', '/merchant/payments/byOrderId/{orderId}/status?wait=5')],
  ['detail', 'payments:read', call('GET', '/merchant/payments/byOrderId/{orderId}')],
  ['ack', 'payments:write', call('POST', '/merchant/payments/byOrderId/ack', (orderId) => ({ orderId }))],
  [
    'guarded ack',
    'payments:write',
    call('POST', '/merchant/payments/byOrderId/ack', (orderId) => ({ orderId, status: 'paid' })),
  ],
  ['cancel', 'payments:write', call('POST', '/merchant/payments/byOrderId/cancel', (orderId) => ({ orderId }))],
  [
    'simulate',
    'sandbox:simulate',
    call('POST', '/sandbox/payments/byOrderId/{orderId}/simulate', () => ({ event: 'paid' })),
  ],
]

const others: readonly Operation[] = [
  ['currencies', 'payments:read', call('GET', '/merchant/payments/currencies')],
  ['bank issuers', 'payments:read', call('GET', '/merchant/payments/bankIssuers')],
  ['list', 'payments:read', call('GET', '/merchant/payments')],
  ['events', 'notifications:read', call('GET', '/merchant/events')],
  ['endpoints', 'notifications:read', call('GET', '/merchant/endpoints')],
  [
    'new endpoint',
    'notifications:write',
    call('POST', '/merchant/endpoints', () => ({ url: 'https://shop.example.com/payin' })),
  ],
  ['balance', 'balance:read', call('GET', '/merchant/balance')],
  ['entries', 'balance:read', call('GET', '/merchant/entries')],
  ['settlements', 'balance:read', call('GET', '/merchant/settlements')],
  [
    'create',
    'payments:write',
    call('POST', '/merchant/payments', (orderId) => ({
      type: 'direct',
      amount: 5000,
      orderId,
      currency: 'rub',
      method: 'sbp',
    })),
  ],
]

for (const [name, , run] of byOrder) {
  onEngines(`404: ${name} of another merchant's order is the same answer as of an unknown one`, async (service) => {
    const owner = await openShop(service, { mode: 'sandbox' })
    const stranger = await openShop(service, { mode: 'sandbox' })
    const { body } = await owner.create('theirs')
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    const foreign = await run(service, stranger.token, 'theirs')
    const unknown = await run(service, stranger.token, 'nobody')
    assertProblem(foreign, 404, 'payment_not_found')
    const { requestId: one, ...foreignBody } = foreign.body
    const { requestId: two, ...unknownBody } = unknown.body
    assert.deepEqual(foreignBody, unknownBody)
    assert.notEqual(one, two)
    const headersOf = (answer: Answer): string[] => [...answer.headers.keys()].toSorted()
    assert.deepEqual(headersOf(foreign), headersOf(unknown))
    // The payment is unchanged.
    await service.runJobs()
    assert.equal(await owner.status('theirs'), 'paid')
    assert.equal((await owner.get('/payments?acknowledged=false')).body.payments.length, 1)
  })
}

test('200: a list has no payments of other merchants', async () => {
  const owner = await openShop(opened())
  const stranger = await openShop(opened())
  await owner.create('theirs')
  assert.deepEqual((await stranger.get('/payments')).body.payments, [])
})

for (const [name, scope, run] of [...byOrder, ...others]) {
  test(`403: ${name} needs the scope ${scope}, and no other one does`, async () => {
    const service = opened()
    const shop = await openShop(service, { mode: 'sandbox' })
    await shop.create('order')
    const without = allScopes.filter((each) => each !== scope)
    const refused = await run(service, (await issue(service, shop, { scopes: without })).token, 'order')
    assertProblem(refused, 403, 'scope_missing')
    assert.match(refused.body.detail, new RegExp(scope))
    const taken = await run(service, (await issue(service, shop, { scopes: [scope] })).token, 'order')
    assert.notEqual(taken.status, 403)
  })
}

test('401: every operation requires a token first, whatever else is wrong', async () => {
  const service = opened()
  for (const [, , run] of [...byOrder, ...others]) {
    assertProblem(await run(service, 'nonsense', 'order'), 401, 'token_invalid')
  }
  const answer = await send(service, '/api/v1/merchant/payments', {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  })
  assertProblem(answer, 401, 'token_missing')
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="payin"')
})

test('401: refuses a token with a wrong checksum, another prefix, or one that was never issued, all alike', async () => {
  const service = opened()
  const live = await openShop(service)
  const sandbox = await openShop(service, { mode: 'sandbox' })
  assert.match(live.token, /^payin_live_/)
  assert.match(sandbox.token, /^payin_test_/)
  const flip = (token: string, at: number): string =>
    token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  const details = new Set<string>()
  for (const token of [
    flip(live.token, live.token.length - 1),
    flip(live.token, 20),
    live.token.replace('payin_live_', 'payin_test_'),
    sandbox.token.replace('payin_test_', 'payin_live_'),
    live.token.replace('payin_live_', 'payin_ops_'),
    live.token.replace('payin_', 'Payin_'),
    live.token.slice(0, -1),
    `${live.token}A`,
    generateAccessToken('live').token,
    generateAccessToken('test').token,
    generateAccessToken('ops').token,
    service.operatorToken,
  ]) {
    const answer = await ask(service, token)
    assertProblem(answer, 401, 'token_invalid')
    details.add(answer.body.detail)
  }
  assert.equal(details.size, 1)
})

test('the token of a merchant that another process has just added is accepted at once', async () => {
  const service = opened()
  // The clock of the test does not move, so a process that has just looked believes what it knows.
  const another = { ...service.context, catalog: openCatalog(service.context, service.context.clock) }
  await another.catalog.get(merchantDirectory)
  const { merchantId, token } = await openShop(service)
  assert.equal((await another.catalog.get(merchantDirectory)).has(merchantId), false)
  assert.equal((await authenticateToken(another, token)).merchantId, merchantId)
})

test("401: a merchant's token is not an operator token", async () => {
  const service = opened()
  const shop = await openShop(service)
  assertProblem(await openOperator({ ...service, operatorToken: shop.token }).get('/merchants'), 401, 'token_invalid')
})

onEngines('401: a token ends at its time, to the millisecond', async (service) => {
  const shop = await openShop(service)
  const { token } = await issue(service, shop, { expiresAt: service.clock.now + minute })
  service.clock.advance(minute - 1)
  assert.equal((await ask(service, token)).status, 200)
  service.clock.advance(1)
  const answer = await ask(service, token)
  assertProblem(answer, 401, 'token_expired')
  assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  assert.equal((await ask(service, shop.token)).status, 200)
})

onEngines('401: a revoked token ends at once, a replaced one after its overlap', async (service) => {
  const shop = await openShop(service)
  const revoked = await issue(service, shop)
  const replaced = await issue(service, shop)
  await service.context.transaction(async (tx) => {
    await endToken(tx, revoked.id, 0)
    await endToken(tx, replaced.id, minute)
  })
  assertProblem(await ask(service, revoked.token), 401, 'token_revoked')
  assert.equal((await ask(service, replaced.token)).status, 200)
  service.clock.advance(minute)
  assertProblem(await ask(service, replaced.token), 401, 'token_expired')
  assertProblem(await ask(service, revoked.token), 401, 'token_revoked')
})

test('403: a suspended merchant is refused everything until it is active again', async () => {
  const service = opened()
  const shop = await openShop(service, { mode: 'sandbox' })
  await shop.create('order')
  const set = (status: 'active' | 'suspended') =>
    service.context.transaction((tx) => updateMerchant(tx, shop.merchantId, { status }))
  await set('suspended')
  for (const [, , run] of [...byOrder, ...others]) {
    assertProblem(await run(service, shop.token, 'order'), 403, 'merchant_suspended')
  }
  await set('active')
  assert.equal(await shop.status('order'), 'new')
})

for (const [list, allowed] of [
  [['127.0.0.1'], true],
  [['127.0.0.2'], false],
  [['127.0.0.0/8'], true],
  [['126.0.0.0/8'], false],
  [['127.0.0.0/30'], true],
  [['127.0.0.4/30'], false],
  [['10.0.0.0/8', '127.0.0.1/32'], true],
  [['0.0.0.0/0'], true],
  [['2001:db8::/32'], false],
] as const) {
  test(`${allowed ? 200 : 403}: the allow-list ${list.join(', ')} ${allowed ? 'lets in' : 'keeps out'} 127.0.0.1`, async () => {
    const service = opened()
    const { token } = await issue(service, await openShop(service, { perMethod: 0 }), { allowList: list })
    const answer = await ask(service, token)
    if (allowed) assert.equal(answer.status, 200)
    else assertProblem(answer, 403, 'address_not_allowed')
    // Only a trusted proxy may say where a request comes from.
    const forged = {
      'x-forwarded-for': '10.1.2.3, 127.0.0.2, 2001:db8::1',
      forwarded: 'for=10.1.2.3',
      'x-real-ip': '10.1.2.3',
    }
    assert.equal((await ask(service, token, forged)).status, answer.status)
    assert.match(service.logs.join(''), /untrusted peer/)
  })
}

test('the allow-list checks the address that a trusted proxy reports, IPv4 and IPv6', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_TRUST_PROXY: '127.0.0.1' })
  try {
    const shop = await openShop(service, { perMethod: 0 })
    const { token } = await issue(service, shop, { allowList: ['203.0.113.0/24', '2001:db8:1::/48', '2001:db8:2::7'] })
    for (const [address, status] of [
      ['203.0.113.7', 200],
      ['::ffff:203.0.113.7', 200],
      ['203.0.114.7', 403],
      ['2001:db8:1::5', 200],
      ['2001:0DB8:0001:0000::5', 200],
      ['2001:db8:2::7', 200],
      ['2001:db8:2::8', 403],
      ['127.0.0.1', 403],
      // Everything left of the last hop was written by the client.
      ['203.0.113.7, 198.51.100.9', 403],
      ['nonsense', 403],
      ['', 403],
    ] as const) {
      const answer = await ask(service, token, { 'x-forwarded-for': address })
      assert.equal(answer.status, status, address)
    }
    // Also where the client is on the machine of the proxy, as in a check by hand.
    assert.doesNotMatch(service.logs.join(''), /untrusted peer/)
  } finally {
    await service.stop()
  }
})
