// The log of merchants' requests (docs/domain.md §4.5).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '../../src/rules/members/access.ts'
import { day, minute, second } from '../../src/rules/time.ts'
import { issueToken } from '../../src/engine/merchants/tokens.ts'
import { forgetRequests } from '../../src/engine/request-log/note-request.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'

const { onEngines, opened } = shareEngines()

type Logged = {
  readonly id: string
  readonly operation: string
  readonly status: number
  readonly code?: string
  readonly path: string
  readonly times: number
}

const logOf = async (shop: Shop, query = ''): Promise<Logged[]> => (await shop.get(`/requests${query}`)).body.requests

onEngines('a request is in the log with its redacted bodies, and nobody else reads it', async (service) => {
  const shop = await openShop(service)
  const created = await shop.create('logged', { userId: '79991234567' })
  const conflict = await shop.create('logged', { amount: 6000 })
  const missing = await shop.get('/payments/byOrderId/79991234567')
  const requests = await logOf(shop)
  assert.deepEqual(
    requests.map(({ operation, status, code, times }) => [operation, status, code, times]),
    [
      ['getPayment', 404, 'payment_not_found', 1],
      ['createPayment', 409, 'order_conflict', 1],
      ['createPayment', 201, undefined, 1],
    ],
  )
  assert.equal(requests[0]?.path, '/api/v1/merchant/payments/byOrderId/•••• 4567')
  assert.equal(requests[0]?.id, missing.body.requestId)
  assert.equal(requests[1]?.id, conflict.headers.get('payin-request-id'))
  const id = created.headers.get('payin-request-id') ?? ''
  const { body } = await shop.get(`/requests/${id}`)
  assert.equal(JSON.parse(body.requestBody).userId, '•••• 4567')
  const answer = JSON.parse(body.answerBody)
  assert.equal(answer.payment.id, created.body.payment.id)
  assert.equal(answer.redirectUrl, '…')
  assert.equal(answer.card.phone, `•••• ${created.body.card.phone.slice(-4)}`)
  for (const secret of [shop.token, created.body.redirectUrl, created.body.card.phone, '79991234567'])
    assert.ok(!JSON.stringify([requests, body]).includes(secret))
  assert.equal((await logOf(shop, '?outcome=failed')).length, 2)
  const first = await shop.get('/requests?limit=2')
  const rest = await logOf(shop, `?cursor=${first.body.nextCursor}`)
  assert.deepEqual(
    [...first.body.requests, ...rest].map((each: Logged) => each.id),
    requests.map((each) => each.id),
  )
  const other = await openShop(service)
  assert.deepEqual(await logOf(other), [])
  assertProblem(await other.get(`/requests/${id}`), 404, 'resource_not_found')
  const operator = openOperator(service)
  const seen = await operator.get(`/merchants/${shop.merchantId}/requests?outcome=failed`)
  assert.deepEqual(seen.body.requests, await logOf(shop, '?outcome=failed'))
  assert.deepEqual((await operator.get(`/merchants/${shop.merchantId}/requests/${id}`)).body, body)
  assertProblem(await operator.get(`/merchants/${other.merchantId}/requests/${id}`), 404, 'resource_not_found')
  assertProblem(await operator.get(`/merchants/${id}/requests`), 404, 'resource_not_found')
})

onEngines('the log is not filled by those who read it, nor by listeners, unless they fail', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const { body } = await shop.post('/listeners', {})
  for (const id of [body.id, service.context.newId()]) await shop.post(`/listeners/${id}/deliveries`, {})
  await shop.get(`/requests/${service.context.newId()}`)
  await logOf(shop)
  assert.deepEqual(
    (await logOf(shop)).map(({ operation, status }) => [operation, status]),
    [
      ['getRequest', 404],
      ['takeDeliveries', 404],
      ['createListener', 201],
    ],
  )
})

test('bodies are only for tokens that may read what the request was about', async () => {
  const service = opened()
  const shop = await openShop(service)
  await shop.create('seen')
  await shop.get('/balance')
  await shop.post('/endpoints', { url: 'https://shop.example.com/hook' })
  const [endpoint, balance, created] = await logOf(shop)
  const withScopes = async (...scopes: Scope[]) => {
    const issued = await service.context.transaction((tx) =>
      issueToken(tx, { merchantId: shop.merchantId, name: scopes.join(), scopes, allowList: [], expiresAt: null }),
    )
    const read = async (id = '') => {
      const headers = { authorization: `Bearer ${issued.token}` }
      const { body } = await send(service, `/api/v1/merchant/requests/${id}`, { headers })
      return 'requestBody' in body || 'answerBody' in body
    }
    return Promise.all([read(created?.id), read(balance?.id), read(endpoint?.id)])
  }
  assert.deepEqual(await withScopes('payments:read'), [true, false, false])
  assert.deepEqual(await withScopes('payments:read', 'balance:read'), [true, true, false])
  assert.deepEqual(await withScopes('payments:read', 'notifications:read'), [true, false, true])
})

test('polls that succeed are one row a minute with their number, and those that fail are kept', async () => {
  const service = opened()
  const shop = await openShop(service)
  await shop.create('polled')
  for (let time = 0; time < 5; time++) await shop.status('polled')
  for (let time = 0; time < 3; time++) await shop.get('/payments/byOrderId/none/status')
  const polls = async () =>
    (await logOf(shop))
      .filter(({ operation }) => operation === 'getPaymentStatus')
      .map(({ status, times }) => [status, times])
  const failed = [
    [404, 1],
    [404, 1],
    [404, 1],
  ]
  assert.deepEqual(await polls(), [...failed, [200, 1]])
  service.clock.advance(minute)
  assert.deepEqual(await polls(), [...failed, [200, 4], [200, 1]])
})

test('a flood of failures is counted, and each of its rows says for how many it stands', async () => {
  const service = opened()
  const shop = await openShop(service)
  for (let time = 0; time < 130; time++) await shop.post('/payments', {})
  const before = await logOf(shop, '?limit=100')
  assert.equal(before.length, 100)
  service.clock.advance(second)
  const [last] = await logOf(shop)
  assert.deepEqual([last?.code, last?.times], ['validation_failed', 30])
})

test('requests without a known token, and those of 14 days ago, are in no log', async () => {
  const service = opened()
  const shop = await openShop(service)
  await shop.post('/payments', {}, { authorization: 'Bearer payin_live_unknown' })
  assert.deepEqual(await logOf(shop), [])
  await shop.create('old')
  assert.equal((await logOf(shop)).length, 1)
  service.clock.advance(14 * day + second)
  await shop.create('new')
  assert.equal((await logOf(shop)).length, 2)
  await forgetRequests(service.context)
  assert.equal((await logOf(shop)).length, 1)
})
