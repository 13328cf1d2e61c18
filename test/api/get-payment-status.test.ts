import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hour } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'
import { goesOn, until, within } from '../support/waiting.ts'

const { opened, onEngines } = shareEngines()

const path = (orderId: string, query = ''): string =>
  `/payments/byOrderId/${encodeURIComponent(orderId)}/status${query}`

const pay = (service: TestService, created: Answer, minor = 5000_00n): Promise<unknown> =>
  payIn(service, { requisiteId: created.body.card.id, minor })

/** The answer to one who may wait for a minute; fails if it is kept waiting, for longer than by a busy machine. */
const atOnce = (waiting: Promise<Answer>): Promise<Answer> => within('who waits is answered', waiting)

/** Fails unless the answer to one who waits for a second comes at its end. */
const afterSecond = async (waiting: Promise<Answer>): Promise<Answer> => {
  assert.ok(await goesOn(waiting, 950), 'answered before the second was over')
  return within('the second is over', waiting)
}

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? ''

onEngines('200: the status has exactly the fields of the contract', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('заказ №1/ä')
  const answer = await shop.get(path('заказ №1/ä'))
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, { id: body.payment.id, orderId: 'заказ №1/ä', status: 'new' })
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
})

test('404: an orderId that nobody used, also when one waits for it', async () => {
  const shop = await openShop(opened())
  assertProblem(await shop.get(path('nobody')), 404, 'payment_not_found')
  assertProblem(await atOnce(shop.get(path('nobody', '?wait=60'))), 404, 'payment_not_found')
})

onEngines('304: the tag stays as long as the status does, and changes with it', async (service) => {
  const shop = await openShop(service)
  const created = await shop.create('tagged')
  const first = await shop.get(path('tagged'))
  assert.match(tagOf(first), /^"[^"]+"$/)
  for (const known of [tagOf(first), `W/${tagOf(first)}`, `"other", ${tagOf(first)}`, '*']) {
    const same = await shop.get(path('tagged'), { 'if-none-match': known })
    assert.equal(same.status, 304, known)
    assert.equal(same.body, '')
    assert.equal(tagOf(same), tagOf(first))
  }
  await pay(service, created)
  const changed = await shop.get(path('tagged'), { 'if-none-match': tagOf(first) })
  assert.deepEqual([changed.status, changed.body.status], [200, 'paid'])
  assert.notEqual(tagOf(changed), tagOf(first))
})

test('200: a tag of another payment is no match', async () => {
  const shop = await openShop(opened())
  await shop.create('one')
  await shop.create('other')
  const tag = tagOf(await shop.get(path('one')))
  assert.equal((await shop.get(path('other'), { 'if-none-match': tag })).status, 200)
  assert.equal((await shop.get(path('other'), { 'if-none-match': 'nonsense' })).status, 200)
})

onEngines('200: a waiting poll answers as soon as the status changes', async (service) => {
  const shop = await openShop(service)
  const created = await shop.create('waiting')
  const waiting = shop.get(path('waiting', '?wait=60'))
  assert.ok(await goesOn(waiting, 200), 'answered before the change')
  await pay(service, created)
  const answer = await atOnce(waiting)
  assert.deepEqual([answer.status, answer.body.status], [200, 'paid'])
})

test('200: fifty waiting polls of one payment are all answered', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('crowd')
  const waiting = Array.from({ length: 50 }, () => shop.get(path('crowd', '?wait=60')))
  await sleep(200)
  await pay(opened(), created)
  for (const answer of await Promise.all(waiting.map(atOnce))) assert.equal(answer.body.status, 'paid')
})

test('200: a waiting poll whose status does not change waits its time', async () => {
  const shop = await openShop(opened())
  await shop.create('still')
  const other = await shop.create('other')
  const waiting = afterSecond(shop.get(path('still', '?wait=1')))
  await pay(opened(), other)
  const answer = await waiting
  assert.deepEqual([answer.status, answer.body.status], [200, 'new'])
  const known = await afterSecond(shop.get(path('still', '?wait=1'), { 'if-none-match': tagOf(answer) }))
  assert.equal(known.status, 304)
})

test('200: waiting with a tag that is not of now answers at once', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('stale')
  const tag = tagOf(await shop.get(path('stale')))
  await pay(opened(), created, 3000_00n)
  const answer = await atOnce(shop.get(path('stale', '?wait=60'), { 'if-none-match': tag }))
  assert.deepEqual([answer.status, answer.body.status], [200, 'processing'])
})

test('200: a closed status answers at once, unless the tag says that it is known', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 8 })
  await pay(service, await shop.create('paid'))
  await pay(service, await shop.create('more'), 6000_00n)
  await shop.create('canceled')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  await shop.create('expired')
  service.clock.advance(hour)
  await service.runJobs()
  for (const [orderId, status] of [
    ['paid', 'paid'],
    ['more', 'disput-paid'],
    ['canceled', 'canceled'],
    ['expired', 'expired'],
  ] as const) {
    const answer = await atOnce(shop.get(path(orderId, '?wait=60')))
    assert.equal(answer.body.status, status, orderId)
  }
  const known = { 'if-none-match': tagOf(await shop.get(path('expired'))) }
  assert.equal((await afterSecond(shop.get(path('expired', '?wait=1'), known))).status, 304)
})

test('200: late money wakes the poll of an expired payment', async () => {
  const service = opened()
  const shop = await openShop(service)
  const created = await shop.create('late')
  service.clock.advance(hour)
  await service.runJobs()
  const expired = await shop.get(path('late'))
  assert.equal(expired.body.status, 'expired')
  const waiting = shop.get(path('late', '?wait=60'), { 'if-none-match': tagOf(expired) })
  await sleep(100)
  await pay(service, created)
  const answer = await atOnce(waiting)
  assert.deepEqual([answer.status, answer.body.status], [200, 'paid'])
})

for (const wait of ['61', '-1', '1.5', '1e1', '05', '', 'x', '%2B5', '9999999999999999']) {
  test(`400: refuses to wait ${wait === '' ? 'an empty number of' : wait} seconds`, async () => {
    const shop = await openShop(opened(), { perMethod: 1 })
    await shop.create('order')
    assertProblem(await shop.get(path('order', `?wait=${wait}`)), 400, 'validation_failed', ['wait'])
  })
}

test('400: refuses parameters that it does not know, with their names', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  await shop.create('order')
  assertProblem(await shop.get(path('order', '?timeout=5&wait=0')), 400, 'validation_failed', ['timeout'])
  assert.equal((await shop.get(path('order', '?wait=0'))).status, 200)
})

/** Watches who waits for changes on this node; the functions that are counted are the service's own. */
const countListeners = (service: TestService): { now: () => number; stop: () => void } => {
  const changes = service.context.changes as { subscribe: typeof service.context.changes.subscribe }
  const { subscribe } = changes
  const open = new Set<object>()
  changes.subscribe = (key, listener) => {
    const mark = {}
    open.add(mark)
    const end = subscribe(key, listener)
    return () => {
      open.delete(mark)
      end()
    }
  }
  return { now: () => open.size, stop: () => (changes.subscribe = subscribe) }
}

const abortWaiting = async (service: TestService, shop: Shop, count: number): Promise<void> => {
  const gone = new AbortController()
  const url = `${service.url}/api/v1/merchant${path('left', '?wait=60')}`
  const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
  const waiting = Array.from({ length: count }, () =>
    fetch(url, { headers, signal: gone.signal }).catch(() => undefined),
  )
  await sleep(300)
  gone.abort()
  await Promise.all(waiting)
}

onEngines('a client that goes away leaves nobody waiting', async (service) => {
  const shop = await openShop(service)
  const created = await shop.create('left')
  const listeners = countListeners(service)
  try {
    const waiting = abortWaiting(service, shop, 10)
    await until('ten wait', () => listeners.now() === 10)
    await waiting
    await until('nobody waits', () => listeners.now() === 0)
    // An answer that was given leaves nobody either.
    const answered = shop.get(path('left', '?wait=20'))
    await until('one waits', () => listeners.now() === 1)
    await pay(service, created)
    assert.equal((await answered).body.status, 'paid')
    await until('nobody waits', () => listeners.now() === 0)
  } finally {
    listeners.stop()
  }
})

test('200: HEAD answers with the tag and without a body', async () => {
  const service = opened()
  const shop = await openShop(service)
  await shop.create('head')
  const response = await fetch(`${service.url}/api/v1/merchant${path('head')}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${shop.token}` },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('etag'), tagOf(await shop.get(path('head'))))
  assert.equal(await response.text(), '')
})
