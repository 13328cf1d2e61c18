// What requests about endpoints are refused, or taken, at their edges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { bigint, query } from 'payin-database'
import { day, hour } from '../../src/rules/time.ts'
import { markDisabled } from '../../src/engine/notifications/endpoints/store.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onPostgres } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { type Answer, openShop, send } from '../support/shop.ts'

const opened = shareService({ environment: notified })
const url = 'https://shop.example.com/payin'

/** A merchant and an operator who do the same with the endpoints of one shop. */
const openSides = async (mode: 'live' | 'sandbox' = 'live') => {
  const shop = await openShop(opened(), { mode, perMethod: 0 })
  const operator = openOperator(opened())
  const base = `/merchants/${shop.merchantId}/endpoints`
  return {
    shop,
    operator,
    sides: [
      {
        post: (path: string, body: unknown) => shop.post(path, body),
        patch: (path: string, body: unknown) => shop.patch(path, body),
      },
      {
        post: (path: string, body: unknown) => operator.call('POST', path.replace('/endpoints', base), body),
        patch: (path: string, body: unknown) => operator.call('PATCH', path.replace('/endpoints', base), body),
      },
    ],
  }
}

test('400: an address that percent-encoding makes too long is refused by name; the longest is taken', async () => {
  const { shop, sides } = await openSides()
  const { id } = await addEndpoint(shop, { url })
  const start = 'https://e.com/'
  const long = start + 'я'.repeat(1000)
  const longest = start + 'x'.repeat((2048 - start.length) % 6) + 'я'.repeat(Math.floor((2048 - start.length) / 6))
  for (const side of sides) {
    assertProblem(await side.post('/endpoints', { url: long }), 400, 'validation_failed', ['url'])
    assertProblem(await side.patch(`/endpoints/${id}`, { url: long }), 400, 'validation_failed', ['url'])
    assert.equal((await side.post('/endpoints', { url: longest })).status, 201)
    assert.equal((await side.patch(`/endpoints/${id}`, { url: longest })).body.url.length, 2048)
  }
})

test('409: while the secret before still signs, the secret is replaced at once or not at all', async () => {
  const { shop, sides } = await openSides()
  for (const side of sides) {
    const { id } = await addEndpoint(shop, { url })
    const path = `/endpoints/${id}/rotate`
    const first = await side.post(path, { overlapMs: hour })
    assert.equal(first.status, 201)
    for (const body of [{}, { overlapMs: 1 }, { overlapMs: day }]) {
      const refused = await side.post(path, body)
      assertProblem(refused, 409, 'invalid_state')
      assert.match(refused.body.detail, new RegExp(`${first.body.previousSecretUntil}.*overlapMs 0.*--overlap 0`))
    }
    assert.equal((await shop.get(`/endpoints/${id}`)).body.previousSecretUntil, first.body.previousSecretUntil)
    const atOnce = await side.post(path, { overlapMs: 0 })
    assert.deepEqual([atOnce.status, atOnce.body.previousSecretUntil], [201, undefined])
    assert.equal((await side.post(path, { overlapMs: hour })).status, 201)
    opened().clock.advance(hour)
    assert.equal((await side.post(path, {})).status, 201)
  }
})

test('409: what an operator has disabled its merchant does not remove; the operator does', async () => {
  const { shop, sides, operator } = await openSides()
  const { id } = await addEndpoint(shop, { url })
  await sides[1]?.patch(`/endpoints/${id}`, { enabled: false })
  const refused = await shop.remove(`/endpoints/${id}`)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /operator/)
  assert.equal((await shop.get(`/endpoints/${id}`)).body.disabledReason, 'operator')
  assert.equal((await operator.call('DELETE', `/merchants/${shop.merchantId}/endpoints/${id}`)).status, 200)
  const own = await addEndpoint(shop, { url })
  await shop.patch(`/endpoints/${own.id}`, { enabled: false })
  assert.equal((await shop.remove(`/endpoints/${own.id}`)).status, 200)
})

onPostgres('a change of the description does not undo the disabling that is under way', async (service) => {
  const shop = await openShop(service, { perMethod: 0 })
  const { id } = await addEndpoint(shop, { url })
  let patched: Promise<Answer> | undefined
  await service.context.transaction(async (tx) => {
    const gone = { merchantId: shop.merchantId, id, url, reason: 'gone' as const, now: tx.now }
    assert.equal((await tx.query(markDisabled, gone)).length, 1)
    patched = shop.patch(`/endpoints/${id}`, { description: 'new' })
    while ((await service.context.query(countWaits, {}))[0]?.waits === 0n) await setTimeout(5)
  })
  const { body } = (await patched) ?? {}
  assert.deepEqual([body.description, body.enabled, body.disabledReason], ['new', false, 'gone'])
})

const countWaits = query('test_count_waits', {
  row: { waits: bigint },
  text: `select count(*) as waits from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
})

test('an empty body of JSON counts as none where none is needed; where one is, it is refused', async () => {
  const shop = await openShop(opened(), { perMethod: 0 })
  const { id } = await addEndpoint(shop, { url })
  const { eventId } = (await shop.post(`/endpoints/${id}/test`, '')).body
  assert.ok(eventId)
  await opened().runJobs()
  for (const [path, status] of [
    [`/endpoints/${id}/rotate`, 201],
    [`/endpoints/${id}/deliveries/${eventId}/redeliver`, 202],
  ] as const) {
    assert.equal((await shop.post(path, '')).status, status, path)
  }
  const path = `/api/v1/merchant/endpoints/${id}`
  const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
  assertProblem(await shop.post('/endpoints', ''), 400, 'malformed_json')
  assertProblem(await shop.post(`/endpoints/${id}/redeliver`, ''), 400, 'malformed_json')
  assertProblem(await shop.post(`/endpoints/${id}/test`, ' '), 400, 'malformed_json')
  assertProblem(await send(opened(), path, { method: 'PATCH', headers, body: '' }), 400, 'malformed_json')
  assert.equal((await send(opened(), path, { method: 'DELETE', headers, body: '' })).status, 200)
})

const outOfReach = [
  'https://10.0.0.1/',
  'https://0/',
  'https://0x0a000001/',
  'https://10.0.0.1./',
  'https://169.254.169.254/latest/meta-data/',
  'https://192.168.1.10:8443/payin',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[64:ff9b::7f00:1]/',
]
test('400: an address that can never be reached is refused when it is set; what may be reached is taken', async () => {
  for (const mode of ['live', 'sandbox'] as const) {
    const { shop, sides } = await openSides(mode)
    const { id } = await addEndpoint(shop, { url })
    for (const side of sides) {
      for (const wrong of outOfReach) {
        const refused = await side.post('/endpoints', { url: wrong })
        assertProblem(refused, 400, 'validation_failed', ['url'])
        assert.match(refused.body.errors[0].message, /public internet/)
        assertProblem(await side.patch(`/endpoints/${id}`, { url: wrong }), 400, 'validation_failed', ['url'])
      }
      for (const right of ['https://8.8.8.8/', 'https://[2606:4700::1]/', 'https://10.example.com/']) {
        assert.equal((await side.post('/endpoints', { url: right })).status, 201, right)
      }
    }
  }
  const { sides } = await openSides('sandbox')
  for (const own of ['http://127.0.0.1:3000/', 'https://[::1]/', 'http://localhost:3000/']) {
    assert.equal((await sides[0]?.post('/endpoints', { url: own }))?.status, 201, own)
  }
})

test('400: what is wrong is named with its field, in words', async () => {
  const { shop, operator } = await openSides()
  const { id } = await addEndpoint(shop, { url })
  const path = `/endpoints/${id}`
  const wrong: readonly (readonly [Promise<Answer>, string])[] = [
    [shop.post('/endpoints', { url: 'http://shop.example.com/' }), 'url must start with https://.'],
    [shop.patch(path, {}), 'body must have at least one field.'],
    [shop.patch(path, { description: 'a\u0007' }), 'description must be printable characters.'],
    [shop.patch(path, { description: 'x'.repeat(201) }), 'description must have at most 200 characters.'],
    [shop.patch(path, { kinds: ['payment.paid', 'payment.paid'] }), 'kinds must not contain the same item twice.'],
    [
      shop.post(`${path}/redeliver`, { since: 'yesterday' }),
      'since must be a time with its zone, such as 2026-01-31T12:30:00Z.',
    ],
    [shop.get('/events?after=x'), 'after must be a whole number, as in an earlier response.'],
    [shop.get('/events?limit=0'), 'limit must be a whole number from 1 to 500.'],
    [shop.get(`${path}/deliveries?cursor=-1`), 'cursor must be a whole number, as in an earlier response.'],
    [shop.get('/payments?limit=101'), 'limit must be a whole number from 1 to 100.'],
    [shop.get('/payments?cursor=x'), 'cursor must be `nextCursor` of the previous page.'],
    [shop.get('/payments/byOrderId/x/status?wait=61'), 'wait must be a whole number from 0 to 60.'],
    [operator.get('/audit?after=x'), 'after must be a whole number, as in an earlier response.'],
    [operator.get('/requisites?currency=RUB'), 'currency must be a currency code of three small letters, such as rub.'],
    [operator.call('PUT', '/merchants/x/logo', {}), 'id must be an id (UUID).'],
  ]
  for (const [asked, detail] of wrong) {
    const answer = await asked
    assertProblem(answer, 400, 'validation_failed')
    assert.equal(answer.body.detail, detail)
  }
})
