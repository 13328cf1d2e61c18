// Deliveries by several workers: endpoints that hang, a worker that is killed.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { testEndpoint } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { startService } from '../../src/process/start-service.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { spawnService } from '../support/process.ts'
import { openReceiver, verify } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import type { TestService } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { addEndpoints } from './add-events.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'
import { runClock, startWorker } from './start-worker.ts'

const { onPostgres } = shareNotified({ on: ['postgres'] })

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0

/**
 * Calls in their order, as many at a time as there are places, whoever has them; until all is called, or all places are
 * taken by calls that hang.
 */
const callInOrder = async (urls: readonly string[], places: number, isStuck: () => boolean): Promise<void> => {
  const left = [...urls]
  const stop = new AbortController()
  const serve = async (): Promise<void> => {
    for (let url = left.shift(); url !== undefined && !stop.signal.aborted; url = left.shift()) {
      const body = JSON.stringify({ type: 'control', data: {} })
      const headers = { 'webhook-id': `control ${left.length}` }
      await fetch(url, { method: 'POST', headers, body, signal: stop.signal }).catch(() => undefined)
    }
  }
  const serving = Promise.all(Array.from({ length: places }, serve))
  await Promise.race([serving, until('all places are taken', isStuck)])
  stop.abort()
  await serving
}

const bad: readonly (readonly [what: string, afterMs: number])[] = [
  ['hang', Infinity],
  ['take half a minute to answer 200', 30_000],
]
for (const [what, afterMs] of bad) {
  onPostgres(`of 50 endpoints 10 ${what}: none of the others waits for one of these`, async (service) => {
    await using healthy = await openReceiver()
    const held = new Set<ServerResponse>()
    let ended = 0
    await using slow = await openReceiver((_call, response) => {
      held.add(response)
      response.on('close', () => ended++)
      if (afterMs < Infinity) setTimeout(() => response.headersSent || response.writeHead(200).end(), afterMs).unref()
    })
    const arrivals = new Map<string, number>()
    healthy.answer = (call, response) => {
      if (!arrivals.has(call.id)) arrivals.set(call.id, Date.now())
      response.writeHead(200).end()
    }
    const endpoints: { readonly merchantId: string; readonly id: string; readonly isHealthy: boolean }[] = []
    for (let shops = 0; shops < 5; shops++) {
      const { merchantId } = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      const urls = Array.from({ length: 10 }, (_, index) => (index < 2 ? slow : healthy).url)
      const ids = await addEndpoints(service, merchantId, urls)
      for (const [index, id] of ids.entries()) endpoints.push({ merchantId, id, isHealthy: index >= 2 })
    }
    const sent = new Map<string, number>()
    // By this clock the answers of healthy ones take less than a second, with which an endpoint counts as slow, on a
    // machine that takes several as well.
    const stopClock = runClock(service, 0.1)
    // So few places that the ten would take them all.
    const places = 32
    const worker = startWorker(service, { notificationTimeoutMs: 60_000, notificationsInFlight: places })
    try {
      for (let round = 0; round < 6; round++) {
        await service.context.transaction(async (tx) => {
          for (const { merchantId, id, isHealthy } of endpoints) {
            const eventId = await testEndpoint(tx, merchantId, id)
            if (isHealthy) sent.set(eventId, Date.now())
          }
        })
        await sleep(150)
      }
      await until('all healthy ones were called', () => arrivals.size === sent.size)
      assert.ok(held.size >= 10)
      assert.equal(ended, 0, 'no place was given back meanwhile')
    } finally {
      // Nothing waits for those that hang when the worker ends.
      slow.answer = 200
      for (const response of held) if (!response.headersSent) response.writeHead(200).end()
      await worker.stop()
      stopClock()
    }
    const waits = [...sent].map(([id, at]) => (arrivals.get(id) ?? Infinity) - at)
    assert.equal(waits.length, 240)
    console.log(`first attempts next to 10 that ${what}: p99 ${quantile(waits, 0.99)} ms`)
    // Control: a sender without shares does not come through.
    let hanging = 0
    slow.answer = () => void hanging++
    const urls = endpoints.map(({ isHealthy }) => (isHealthy ? healthy : slow).url)
    await callInOrder(Array.from({ length: 6 }, () => urls).flat(), places, () => hanging === places)
    const called = arrivals.size - sent.size
    assert.ok(called < 240 * 0.9, `${called} of 240 were called without shares`)
  })
}

onPostgres('three workers on one database: everything arrives once, each payment in its order', async (service) => {
  await using receiver = await openReceiver()
  // One of them is a service of its own, which hears of events through the database only.
  const other = await startService({
    settings: { ...service.context.settings, roles: ['worker'] },
    clock: service.context.clock,
    log: pino({ level: 'silent' }),
  })
  const workers = [other, startWorker(service), startWorker(service)]
  try {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 60 })
    const endpoints = await Promise.all(
      [1, 2, 3, 4].map((path) => addEndpoint(shop, { url: `${receiver.url}/${path}` })),
    )
    const count = 60
    for (let index = 0; index < count; index++) {
      const { body } = await shop.create(`order-${index}`, { amount: 5000 + index })
      await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
      await payIn(service, { requisiteId: body.card.id, minor: BigInt(2000 + index) * 100n })
    }
    await until('everything arrived', () => receiver.calls.length >= count * 2 * endpoints.length)
    await sleep(200)
    const keys = receiver.calls.map(({ path, id }) => `${path} ${id}`)
    assert.equal(new Set(keys).size, keys.length)
    const last = new Map<string, number>()
    for (const { path, data } of receiver.calls) {
      const key = `${path} ${data.id}`
      assert.ok(data.sequence > (last.get(key) ?? 0))
      last.set(key, data.sequence)
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
  }
})

const eventsOfShop = 20

/** Ten payments, each with two events for a receiver. */
const openShopWithEvents = async (service: TestService, url: string) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 10 })
  const endpoint = await addEndpoint(shop, { url, kinds: ['payment.processing', 'payment.paid'] })
  for (let index = 0; index < eventsOfShop / 2; index++) {
    const { body } = await shop.create(`order-${index}`)
    await payIn(service, { requisiteId: body.card.id, minor: 3000_00n })
    await payIn(service, { requisiteId: body.card.id, minor: 2000_00n })
  }
  return { shop, ...endpoint }
}

onPostgres(
  'kill -9 between sending and writing so: nothing is missing, twice only under the same webhook-id',
  async (service) => {
    await using receiver = await openReceiver()
    await using control = await openReceiver()
    const { shop, id, secret } = await openShopWithEvents(service, receiver.url)
    const controlled = await openShopWithEvents(service, control.url)
    const worker = spawnService({
      ...notified,
      NODE_ENV: 'test',
      PORT: '0',
      PAYIN_DEMO: 'off',
      PAYIN_ROLES: 'worker',
      DATABASE_URL: service.context.settings.databaseUrl ?? '',
      PAYIN_OPERATOR_TOKEN: service.operatorToken,
      PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
    })
    receiver.answer = (_call, response) => {
      // Taken by the receiver, and the sender dies before it can write so.
      receiver.answer = 200
      worker.child.kill('SIGKILL')
      response.writeHead(200).end()
    }
    try {
      await until('the worker sends', () => receiver.calls.length > 0, 60_000)
    } finally {
      await worker.end('SIGKILL')
    }
    // Control: as a sender leaves them that writes before it sends, all that it had fetched.
    await runSql(
      service,
      `update deliveries set status = 'delivered', attempts = 1, finished_at = now()
        where endpoint_id = '${controlled.id}' and status = 'pending'`,
    )
    // The leases of the dead worker have run out.
    await runSql(service, 'update delivery_lanes set leased_until = now() where leased_by is not null')
    service.clock.now = Date.now()
    await until('everything was delivered', async () => {
      await runDeliveries(service)
      return (await deliveriesOf(shop, id, 'delivered')).length === eventsOfShop
    })
    const lost = eventsOfShop - new Set(control.calls.map((call) => call.id)).size
    assert.ok(lost > 0, 'a sender that writes first loses what it had not sent')
    assert.equal((await deliveriesOf(controlled.shop, controlled.id, 'delivered')).length, eventsOfShop)
    // Otherwise they would be delivered without an attempt, which is never so.
    await runSql(
      service,
      `update deliveries set status = 'pending', attempts = 0, finished_at = null where endpoint_id = '${controlled.id}'
        and not exists (select from delivery_attempts as attempts where attempts.endpoint_id = deliveries.endpoint_id
          and attempts.position = deliveries.position)`,
    )
    const ids = receiver.calls.map((call) => call.id)
    assert.equal(new Set(ids).size, eventsOfShop, 'nothing is missing')
    assert.ok(ids.length > new Set(ids).size, 'what was taken but not written comes again')
    const bodies = new Map<string, string>()
    for (const call of receiver.calls) {
      verify(secret, call)
      assert.equal(bodies.get(call.id) ?? call.body, call.body)
      bodies.set(call.id, call.body)
    }
  },
)
