// Endpoints in the merchant API, the operator API and the log of what operators do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxEndpoints } from '../../src/rules/notices/endpoint.ts'
import { day, hour, second } from '../../src/rules/time.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openReceiver, verify } from '../support/receiver.ts'
import { shareService } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const opened = shareService({ environment: notified })
const url = 'https://shop.example.com/payin?shop=1'

test('201: an endpoint is added, listed, changed, disabled, enabled and removed; its secret is shown once', async () => {
  const shop = await openShop(opened(), { perMethod: 0 })
  const created = await shop.post('/endpoints', { url, description: 'Сервер', kinds: ['payment.paid'] })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { secret, ...endpoint } = created.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(endpoint, {
    id: endpoint.id,
    merchantId: shop.merchantId,
    url,
    description: 'Сервер',
    kinds: ['payment.paid'],
    enabled: true,
    createdAt: new Date(opened().clock.now).toISOString(),
  })
  assert.deepEqual((await shop.get('/endpoints')).body, { endpoints: [endpoint] })
  const path = `/endpoints/${endpoint.id}`
  const disabled = (await shop.patch(path, { enabled: false })).body
  assert.deepEqual([disabled.enabled, disabled.disabledReason], [false, 'merchant'])
  assertProblem(await shop.post(`${path}/test`, {}), 409, 'invalid_state')
  assertProblem(await shop.post(`${path}/redeliver`, { since: endpoint.createdAt }), 409, 'invalid_state')
  const changed = await shop.patch(path, { enabled: true, kinds: [], url: 'https://other.example.com' })
  assert.deepEqual(changed.body, { ...endpoint, kinds: [], url: 'https://other.example.com/' })
  assert.deepEqual((await shop.remove(path)).body, { id: endpoint.id })
  assertProblem(await shop.get(path), 404, 'resource_not_found')
  assert.deepEqual((await shop.get('/endpoints')).body, { endpoints: [] })
  assert.ok(opened().logs.every((line) => !line.includes(secret)))
})

const wrongUrls = [
  'http://shop.example.com/',
  'ftp://shop.example.com/',
  'https://user:secret@shop.example.com/',
  'https://shop.example.com/#part',
  'http://localhost:3000/',
  'https://localhost/',
  'https://127.1/',
  'https://[::1]/',
  'shop.example.com',
  'javascript:alert(1)',
  `https://shop.example.com/${'x'.repeat(2100)}`,
]
test('400: a live merchant names an https address of elsewhere, and nothing else', async () => {
  const shop = await openShop(opened(), { perMethod: 0 })
  for (const wrong of wrongUrls) {
    assertProblem(await shop.post('/endpoints', { url: wrong }), 400, 'validation_failed', ['url'])
  }
  assertProblem(await shop.post('/endpoints', { url, kinds: ['payment.new'] }), 400, 'validation_failed', ['kinds.0'])
  assertProblem(await shop.post('/endpoints', { url, secret: 'mine' }), 400, 'validation_failed', ['secret'])
  const { id } = await addEndpoint(shop, { url })
  assertProblem(await shop.patch(`/endpoints/${id}`, { url: 'http://a.example' }), 400, 'validation_failed', ['url'])
})

test(`409: a merchant has at most ${maxEndpoints} endpoints`, async () => {
  const shop = await openShop(opened(), { perMethod: 0 })
  for (let count = 0; count < maxEndpoints; count++) await addEndpoint(shop, { url })
  assertProblem(await shop.post('/endpoints', { url }), 409, 'invalid_state')
})

test('404: an endpoint of another merchant is as unknown as one that does not exist', async () => {
  const owner = await openShop(opened(), { perMethod: 0 })
  const stranger = await openShop(opened(), { perMethod: 0 })
  const { id } = await addEndpoint(owner, { url })
  const { eventId } = (await owner.post(`/endpoints/${id}/test`, {})).body
  const calls: readonly ((shop: Shop, id: string) => ReturnType<Shop['get']>)[] = [
    (shop, of) => shop.get(`/endpoints/${of}`),
    (shop, of) => shop.patch(`/endpoints/${of}`, { enabled: false }),
    (shop, of) => shop.remove(`/endpoints/${of}`),
    (shop, of) => shop.post(`/endpoints/${of}/rotate`, {}),
    (shop, of) => shop.post(`/endpoints/${of}/test`, {}),
    (shop, of) => shop.post(`/endpoints/${of}/redeliver`, { since: new Date().toISOString() }),
    (shop, of) => shop.get(`/endpoints/${of}/deliveries`),
    (shop, of) => shop.get(`/endpoints/${of}/deliveries/${eventId}`),
    (shop, of) => shop.post(`/endpoints/${of}/deliveries/${eventId}/redeliver`, {}),
  ]
  for (const call of calls) {
    const [foreign, unknown] = [await call(stranger, id), await call(stranger, unknownId)].map((answer) => {
      assertProblem(answer, 404, 'resource_not_found')
      return { ...answer.body, requestId: '' }
    })
    assert.deepEqual(foreign, unknown)
  }
  assert.equal((await owner.get(`/endpoints/${id}`)).body.enabled, true)
  await owner.patch(`/endpoints/${id}`, { enabled: false })
})

test('a replaced secret signs next to the new one as long as was asked for, then the new one alone', async () => {
  const service = opened()
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { id, secret } = await addEndpoint(shop, { url: receiver.url })
  const sendTest = async () => {
    await shop.post(`/endpoints/${id}/test`, {})
    await service.runJobs()
    const call = receiver.calls.at(-1)
    assert.ok(call)
    return call
  }
  const accepts = (known: string, call: Awaited<ReturnType<typeof sendTest>>): boolean => {
    try {
      verify(known, call)
      return true
    } catch {
      return false
    }
  }
  const rotated = await shop.post(`/endpoints/${id}/rotate`, { overlapMs: 60 * second })
  assert.equal(rotated.status, 201)
  assert.equal(rotated.body.previousSecretUntil, new Date(service.clock.now + 60 * second).toISOString())
  const during = await sendTest()
  assert.deepEqual([accepts(secret, during), accepts(rotated.body.secret, during)], [true, true])
  service.clock.advance(60 * second)
  const afterwards = await sendTest()
  assert.deepEqual([accepts(secret, afterwards), accepts(rotated.body.secret, afterwards)], [false, true])
  const at = await shop.post(`/endpoints/${id}/rotate`, { overlapMs: 0 })
  const atOnce = await sendTest()
  assert.deepEqual([accepts(rotated.body.secret, atOnce), accepts(at.body.secret, atOnce)], [false, true])
  const known = [secret, rotated.body.secret, at.body.secret]
  assert.ok(service.logs.every((line) => known.every((each) => !line.includes(each))))
})

test('an endpoint hears of its kinds only, from when it is enabled; what it missed is redelivered on demand', async () => {
  const service = opened()
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox' })
  const pay = async (orderId: string): Promise<void> => {
    const { body } = await shop.create(orderId)
    await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
    await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
    await service.runJobs()
  }
  await pay('before')
  const { id } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.paid'] })
  await pay('first')
  await shop.patch(`/endpoints/${id}`, { enabled: false })
  const since = new Date(service.clock.now + 1).toISOString()
  service.clock.advance(second)
  await pay('missed')
  await shop.patch(`/endpoints/${id}`, { enabled: true })
  await pay('second')
  const heard = () => receiver.calls.map((call) => `${call.data.orderId} ${call.type}`)
  assert.deepEqual(heard(), ['first payment.paid', 'second payment.paid'])
  assert.deepEqual((await shop.post(`/endpoints/${id}/redeliver`, { since })).body, { events: 1, more: false })
  await service.runJobs()
  assert.deepEqual(heard().slice(2), ['missed payment.paid'])
  assert.deepEqual((await shop.post(`/endpoints/${id}/redeliver`, { since })).body, { events: 0, more: false })
  service.clock.advance(31 * day)
  await service.runJobs()
  assert.deepEqual(await deliveriesOf(shop, id), [], 'kept for 30 days')
  assert.equal((await shop.get('/events')).body.events.length >= 8, true, 'events stay')
})

test('what a merchant does with its endpoints is in the audit, without secrets', async () => {
  const shop = await openShop(opened(), { perMethod: 0 })
  const operator = openOperator(opened())
  const { id, secret } = await addEndpoint(shop, { url })
  const path = `/endpoints/${id}`
  const eventId = (await shop.post(`${path}/test`, {})).body.eventId
  await opened().runJobs()
  const acts: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['endpoint.update', () => shop.patch(path, { description: 'new' })],
    ['endpoint.rotate', () => shop.post(`${path}/rotate`, { overlapMs: 0 })],
    ['endpoint.test', () => shop.post(`${path}/test`, {})],
    ['endpoint.redeliver', () => shop.post(`${path}/deliveries/${eventId}/redeliver`, {})],
    ['endpoint.redeliver-since', () => shop.post(`${path}/redeliver`, { since: new Date().toISOString() })],
    ['endpoint.remove', () => shop.remove(path)],
  ]
  const created = await operator.lastAudit()
  assert.deepEqual([created.action, created.actor], ['endpoint.test', `merchant:${shop.merchantId}`])
  const secrets = [secret]
  for (const [action, act] of acts) {
    const { status, body } = await act()
    assert.ok(status < 300, JSON.stringify(body))
    if (body.secret) secrets.push(body.secret)
    const entry = await operator.lastAudit()
    assert.deepEqual(
      [entry.action, entry.actor, entry.subject],
      [action, `merchant:${shop.merchantId}`, `endpoint:${id}`],
    )
  }
  assertProblem(await shop.remove(path), 404, 'resource_not_found')
  const { entries } = (await operator.get('/audit?limit=9')).body
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action).slice(-8),
    ['endpoint.create', 'endpoint.test', ...acts.map(([action]) => action)],
    'what was refused is not in it',
  )
  assert.ok(secrets.every((each) => !JSON.stringify(entries).includes(each)))
})

test('an operator works with endpoints of any merchant, audited; what it disables stays so for the merchant', async () => {
  const service = opened()
  await using receiver = await openReceiver(500)
  const operator = openOperator(service)
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const base = `/merchants/${shop.merchantId}/endpoints`
  assertProblem(await operator.get(`/merchants/${unknownId}/endpoints`), 404, 'resource_not_found')
  const created = await operator.call('POST', base, { url: receiver.url })
  assert.equal(created.status, 201)
  const { id, secret } = created.body
  const audit = await operator.lastAudit()
  assert.deepEqual([audit.action, audit.subject], ['endpoint.create', `endpoint:${id}`])
  assert.ok(!JSON.stringify(audit).includes(secret))
  const { eventId } = (await operator.call('POST', `${base}/${id}/test`, {})).body
  await service.runJobs()
  assert.equal((await operator.get(`${base}/${id}/deliveries/${eventId}`)).body.log[0].status, 500)
  const troubled = (await operator.get('/endpoints/troubled')).body.endpoints
  assert.deepEqual(
    troubled.map((each: { id: string }) => each.id),
    [id],
  )
  await operator.call('PATCH', `${base}/${id}`, { enabled: false })
  assert.deepEqual((await operator.lastAudit()).details['after'] !== undefined, true)
  assertProblem(await shop.patch(`/endpoints/${id}`, { enabled: true }), 409, 'invalid_state')
  assert.equal((await operator.call('PATCH', `${base}/${id}`, { enabled: true })).body.enabled, true)
  receiver.answer = 200
  assert.equal((await operator.call('POST', `${base}/${id}/deliveries/${eventId}/redeliver`, {})).status, 202)
  await service.runJobs()
  const [newest] = (await operator.get(`${base}/${id}/deliveries`)).body.deliveries
  assert.deepEqual([newest.status, newest.attempts], ['delivered', 2])
  service.clock.advance(hour)
})
