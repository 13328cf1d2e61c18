import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hour } from '../../src/domain/time.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

const path = (orderId: string, query = ''): string =>
  `/payments/byOrderId/${encodeURIComponent(orderId)}/status${query}`

const timed = async (work: Promise<Answer>): Promise<Answer & { readonly ms: number }> => {
  const startedAt = performance.now()
  const answer = await work
  return { ...answer, ms: performance.now() - startedAt }
}

const pay = (service: TestService, created: Answer, minor = 5000_00n): Promise<unknown> =>
  payIn(service, { requisiteId: created.body.card.id, minor })

/** Who waits twenty seconds and is answered before these was not kept waiting, also by a busy machine. */
const atOnceMs = 15_000

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
  const waited = await timed(shop.get(path('nobody', '?wait=20')))
  assertProblem(waited, 404, 'payment_not_found')
  assert.ok(waited.ms < atOnceMs)
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
  const waiting = timed(shop.get(path('waiting', '?wait=20')))
  await sleep(200)
  await pay(service, created)
  const answer = await waiting
  assert.deepEqual([answer.status, answer.body.status], [200, 'paid'])
  assert.ok(answer.ms >= 150 && answer.ms < atOnceMs, `${answer.ms} ms`)
})

test('200: fifty waiting polls of one payment are all answered', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('crowd')
  const waiting = Array.from({ length: 50 }, () => timed(shop.get(path('crowd', '?wait=20'))))
  await sleep(200)
  await pay(opened(), created)
  for (const answer of await Promise.all(waiting)) {
    assert.equal(answer.body.status, 'paid')
    assert.ok(answer.ms < atOnceMs, `${answer.ms} ms`)
  }
})

test('200: a waiting poll whose status does not change waits its time', async () => {
  const shop = await openShop(opened())
  await shop.create('still')
  const other = await shop.create('other')
  const waiting = timed(shop.get(path('still', '?wait=1')))
  await pay(opened(), other)
  const answer = await waiting
  assert.deepEqual([answer.status, answer.body.status], [200, 'new'])
  assert.ok(answer.ms >= 950 && answer.ms < atOnceMs, `${answer.ms} ms`)
  const known = await timed(shop.get(path('still', '?wait=1'), { 'if-none-match': tagOf(answer) }))
  assert.equal(known.status, 304)
  assert.ok(known.ms >= 950, `${known.ms} ms`)
})

test('200: waiting with a tag that is not of now answers at once', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('stale')
  const tag = tagOf(await shop.get(path('stale')))
  await pay(opened(), created, 3000_00n)
  const answer = await timed(shop.get(path('stale', '?wait=20'), { 'if-none-match': tag }))
  assert.deepEqual([answer.status, answer.body.status], [200, 'processing'])
  assert.ok(answer.ms < atOnceMs, `${answer.ms} ms`)
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
    const answer = await timed(shop.get(path(orderId, '?wait=20')))
    assert.equal(answer.body.status, status)
    assert.ok(answer.ms < atOnceMs, `${orderId}: ${answer.ms} ms`)
  }
  const known = { 'if-none-match': tagOf(await shop.get(path('expired'))) }
  const waited = await timed(shop.get(path('expired', '?wait=1'), known))
  assert.equal(waited.status, 304)
  assert.ok(waited.ms >= 950, `${waited.ms} ms`)
})

test('200: late money wakes the poll of an expired payment', async () => {
  const service = opened()
  const shop = await openShop(service)
  const created = await shop.create('late')
  service.clock.advance(hour)
  await service.runJobs()
  const expired = await shop.get(path('late'))
  assert.equal(expired.body.status, 'expired')
  const waiting = timed(shop.get(path('late', '?wait=20'), { 'if-none-match': tagOf(expired) }))
  await sleep(100)
  await pay(service, created)
  const answer = await waiting
  assert.deepEqual([answer.status, answer.body.status], [200, 'paid'])
  assert.ok(answer.ms < atOnceMs, `${answer.ms} ms`)
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

const until = async (condition: () => boolean, what: string): Promise<void> => {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 1000) throw new Error(`waited in vain for ${what}`)
    await sleep(20)
  }
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
    await until(() => listeners.now() === 10, 'ten who wait')
    await waiting
    await until(() => listeners.now() === 0, 'nobody to wait')
    // An answer that was given leaves nobody either.
    const answered = shop.get(path('left', '?wait=20'))
    await until(() => listeners.now() === 1, 'one who waits')
    await pay(service, created)
    assert.equal((await answered).body.status, 'paid')
    await until(() => listeners.now() === 0, 'nobody to wait')
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
