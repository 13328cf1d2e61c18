// Deliveries on the real clock: endpoints that hang, several workers, a worker that is killed.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pino from 'pino'
import { parseSettings } from '../../src/config.ts'
import { startJobs } from '../../src/jobs/jobs.ts'
import { startService } from '../../src/start-service.ts'
import { testEndpoint } from '../../src/notifications/endpoints/test-endpoint.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { startProcess } from '../support/process.ts'
import { openReceiver, type Receiver, verify } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, openTestService, type TestService } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'

const until = async (what: string, isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> => {
  for (let waited = 0; !(await isSo()); waited += 20) {
    assert.ok(waited < withinMs, `still not: ${what}`)
    await sleep(20)
  }
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0

/** The clock of the service goes with the real one while `work` runs. */
const inRealTime = async (service: TestService, work: () => Promise<void>): Promise<void> => {
  const timer = setInterval(() => (service.clock.now = Date.now()), 5)
  const stop = startJobs(service.context)
  try {
    await work()
  } finally {
    await stop()
    clearInterval(timer)
  }
}

/** Calls in their order, as many at a time as there are places, whoever has them; for 2 seconds. */
const callInOrder = async (urls: readonly string[], places: number): Promise<void> => {
  const left = [...urls]
  const signal = AbortSignal.timeout(2000)
  const serve = async (): Promise<void> => {
    for (let url = left.shift(); url !== undefined && !signal.aborted; url = left.shift()) {
      const body = JSON.stringify({ type: 'control', data: {} })
      await fetch(url, { method: 'POST', headers: { 'webhook-id': `control ${left.length}` }, body, signal }).catch(
        () => undefined,
      )
    }
  }
  await Promise.all(Array.from({ length: places }, serve))
}

const bad: readonly (readonly [what: string, afterMs: number])[] = [
  ['hang', Infinity],
  ['take 4 seconds to answer 200', 4000],
]
for (const [what, afterMs] of bad) {
  onPostgres(
    `of 50 endpoints 10 ${what}: the first attempts of the others come within 2 seconds`,
    async (service) => {
      await using healthy = await openReceiver()
      const held = new Set<ServerResponse>()
      await using slow = await openReceiver((_call, response) => {
        held.add(response)
        if (afterMs < Infinity) setTimeout(() => response.headersSent || response.writeHead(200).end(), afterMs)
      })
      const arrivals = new Map<string, number>()
      healthy.answer = (call, response) => {
        if (!arrivals.has(call.id)) arrivals.set(call.id, Date.now())
        response.writeHead(200).end()
      }
      const endpoints: { readonly merchantId: string; readonly id: string }[] = []
      const shops = await Promise.all([0, 1, 2, 3, 4].map(() => openShop(service, { mode: 'sandbox', perMethod: 0 })))
      for (let index = 0; index < 50; index++) {
        const shop = shops[index % shops.length]
        assert.ok(shop)
        const { url } = index < 10 ? slow : healthy
        endpoints.push({ merchantId: shop.merchantId, id: (await addEndpoint(shop, { url })).id })
      }
      const sent = new Map<string, number>()
      await inRealTime(service, async () => {
        for (let round = 0; round < 6; round++) {
          await service.context.transaction(async (tx) => {
            for (const [index, { merchantId, id }] of endpoints.entries()) {
              const eventId = await testEndpoint(tx, merchantId, id)
              if (index >= 10) sent.set(eventId, Date.now())
            }
          })
          await sleep(150)
        }
        await until('all healthy ones were told', () => arrivals.size === sent.size)
        assert.ok(held.size >= 10)
        // Nothing waits for those that hang when the service ends.
        slow.answer = 200
        for (const response of held) if (!response.headersSent) response.writeHead(200).end()
      })
      const waits = [...sent].map(([id, at]) => (arrivals.get(id) ?? Infinity) - at)
      assert.equal(waits.length, 240)
      assert.ok(quantile(waits, 0.99) <= 2000, `p99 ${quantile(waits, 0.99)} ms`)
      // Control: a sender without shares does not come through.
      slow.answer = () => undefined
      const urls = endpoints.map((_, index) => (index < 10 ? slow : healthy).url)
      await callInOrder(Array.from({ length: 6 }, () => urls).flat(), 32)
      const told = arrivals.size - sent.size
      assert.ok(told < 240 * 0.9, `${told} of 240 were told in 2 seconds without shares`)
    },
    // So few places that the ten would take them all, for longer than the others may wait.
    { ...notified, PAYIN_NOTIFICATION_TIMEOUT_MS: '15000', PAYIN_NOTIFICATIONS_IN_FLIGHT: '32' },
  )
}

onPostgres('three workers on one database: everything arrives once, each payment in its order', async (service) => {
  await using receiver = await openReceiver()
  const environment = { ...notified, NODE_ENV: 'test', PORT: '0', PAYIN_DEMO: 'off', PAYIN_ROLES: 'worker' }
  const { settings } = service.context
  const parsed = parseSettings({ ...environment, DATABASE_URL: settings.databaseUrl })
  assert.ok(parsed.ok)
  const { encryptionKeys, operatorToken } = settings
  const others = await Promise.all(
    [1, 2, 3].map(() =>
      startService({
        settings: { ...parsed.settings, encryptionKeys, operatorToken },
        clock: () => service.clock.now,
        log: pino({ level: 'silent' }),
      }),
    ),
  )
  try {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 60 })
    const endpoints = await Promise.all(
      [1, 2, 3, 4].map(async (path) => addEndpointOn(service, shop, `${receiver.url}/${path}`)),
    )
    const count = 60
    for (let index = 0; index < count; index++) {
      const { body } = await shop.create(`order-${index}`, { amount: 5000 + index })
      await payIn(service, { requisiteId: body.card.id, minor: 1000_00n })
      await payIn(service, { requisiteId: body.card.id, minor: BigInt(4000 + index) * 100n })
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
    await Promise.all(others.map((other) => other.stop()))
  }
})

/** The service under test does not allow loopback itself, only its workers do: the address is set in the database. */
const addEndpointOn = async (service: TestService, shop: Parameters<typeof addEndpoint>[0], url: string) => {
  const { createEndpoint } = await import('../../src/notifications/endpoints/create-endpoint.ts')
  const wish = { url, description: '', kinds: [] }
  return service.context.transaction((tx) =>
    createEndpoint(tx, { loopbackAllowed: true, mayBePublic: () => true }, shop.merchantId, wish),
  )
}

const killedBetweenSendAndMark = async (
  receiver: Receiver,
  service: TestService,
  markedFirst: boolean,
): Promise<void> => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 10 })
  const { id, secret } = await addEndpoint(shop, { url: receiver.url, kinds: ['payment.processing', 'payment.paid'] })
  const { settings } = service.context
  const environment = {
    ...notified,
    PAYIN_NOTIFICATION_TIMEOUT_MS: '500',
    NODE_ENV: 'test',
    PORT: '0',
    PAYIN_DEMO: 'off',
    PAYIN_ROLES: 'worker',
    DATABASE_URL: settings.databaseUrl ?? '',
    PAYIN_OPERATOR_TOKEN: service.operatorToken,
    PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
  }
  const count = 10
  for (let index = 0; index < count; index++) {
    const { body } = await shop.create(`order-${index}`)
    await payIn(service, { requisiteId: body.card.id, minor: 1000_00n })
    await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  }
  let first = await startProcess(environment)
  const killed = new Promise<void>((resolve) => {
    receiver.answer = (_call, response) => {
      // Taken by the receiver, and the sender dies before it can write so.
      receiver.answer = 200
      first.child.kill('SIGKILL')
      response.writeHead(200).end()
      resolve()
    }
  })
  await killed
  await first.end('SIGKILL')
  const before = receiver.calls.length
  assert.ok(before >= 1)
  if (markedFirst) {
    // As a sender leaves them that writes before it sends: all that it had fetched.
    await runSql(service, `update deliveries set status = 'delivered', attempts = 1, settled_at = now()`)
  }
  first = await startProcess(environment)
  try {
    const isDone = async (): Promise<boolean> =>
      (await deliveriesOf(shop, id)).every(({ status }) => status === 'delivered')
    await until('everything was delivered', isDone, 40_000)
  } finally {
    await first.end('SIGTERM')
  }
  const ids = receiver.calls.map((call) => call.id)
  if (markedFirst) {
    assert.ok(new Set(ids).size < count * 2, 'a sender that writes first loses what it had not sent')
    return
  }
  assert.equal(new Set(ids).size, count * 2, 'nothing is missing')
  assert.ok(ids.length > new Set(ids).size, 'what was taken but not written comes again')
  const bodies = new Map<string, string>()
  for (const call of receiver.calls) {
    verify(secret, call)
    assert.equal(bodies.get(call.id) ?? call.body, call.body)
    bodies.set(call.id, call.body)
  }
}

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'
for (const markedFirst of [false, true]) {
  const title = markedFirst
    ? 'control: a sender that writes before it sends loses what the kill keeps it from sending'
    : 'kill -9 between sending and writing so: nothing is missing, twice only under the same webhook-id'
  test(title, { skip }, async () => {
    const service = await openTestService('postgres', notified)
    await using receiver = await openReceiver()
    try {
      await killedBetweenSendAndMark(receiver, service, markedFirst)
    } finally {
      await service.stop()
    }
  })
}
