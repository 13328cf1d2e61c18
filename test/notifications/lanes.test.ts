// Who sends, when and how much at a time: lanes that share the attempts of a process, and workers that share lanes.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { parseSettings } from '../../src/config.ts'
import { createEndpoint } from '../../src/notifications/endpoints/create-endpoint.ts'
import { enqueueEvents } from '../../src/notifications/enqueue-events.ts'
import { openCourier } from '../../src/notifications/deliveries/open-courier.ts'
import { queueDeliveries } from '../../src/notifications/deliveries/queue-deliveries.ts'
import { releaseLanes, renewLanes, wakeLane } from '../../src/notifications/deliveries/lanes/store.ts'
import { testEndpoint } from '../../src/notifications/endpoints/test-endpoint.ts'
import { startJobs } from '../../src/jobs/jobs.ts'
import { startService } from '../../src/start-service.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const until = async (what: string, isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> => {
  for (let waited = 0; !(await isSo()); waited += 20) {
    assert.ok(waited < withinMs, `still not: ${what}`)
    await sleep(20)
  }
}

/** Lets the clock of the service go with the real one and its jobs run while `work` does. */
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

/** Adds endpoints at once; loopback is allowed to them only where the service that sends allows it. */
const addEndpoints = (service: TestService, merchantId: string, urls: readonly string[]): Promise<string[]> =>
  service.context.transaction(async (tx) => {
    const ids: string[] = []
    for (const url of urls) {
      const wish = { url, description: '', kinds: [] }
      ids.push(
        (await createEndpoint(tx, { loopbackAllowed: true, mayBePublic: () => true }, merchantId, wish)).endpoint.id,
      )
    }
    return ids
  })

/** Sends so many events to all endpoints of a merchant. */
const sendEvents = (service: TestService, merchantId: string, count: number) =>
  service.context.transaction((tx) =>
    enqueueEvents(
      tx,
      Array.from({ length: count }, (_, index) => ({
        merchantId,
        paymentId: null,
        sequence: null,
        endpointId: null,
        kind: 'endpoint.test',
        body: JSON.stringify({ type: 'endpoint.test', data: { index } }),
        at: service.clock.now,
      })),
    ),
  )

/** Further workers on the database of a service; each allows loopback, whatever the service does. */
const startWorker = (service: TestService, environment: Record<string, string> = {}) => {
  const { encryptionKeys, operatorToken, databaseUrl } = service.context.settings
  const parsed = parseSettings({
    ...notified,
    NODE_ENV: 'test',
    PORT: '0',
    PAYIN_DEMO: 'off',
    PAYIN_ROLES: 'worker',
    DATABASE_URL: databaseUrl,
    ...environment,
  })
  assert.ok(parsed.ok)
  const settings = { ...parsed.settings, encryptionKeys, operatorToken }
  return startService({ settings, clock: Date.now, log: pino({ level: 'silent' }) })
}

/** Times at which a worker sends from now on. */
const noteSends = ({ context: { webhooks } }: Pick<TestService, 'context'>): number[] => {
  const times: number[] = []
  const send = webhooks.send.bind(webhooks)
  webhooks.send = (request) => {
    times.push(Date.now())
    return send(request)
  }
  return times
}

onPostgres(
  'endpoints with long queues and slow answers do not hold up one that is quick',
  async (service) => {
    await using slow = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 1500)
    })
    const arrivals = new Map<string, number>()
    await using quick = await openReceiver((call, response) => {
      arrivals.set(call.id, Date.now())
      response.writeHead(200).end()
    })
    const many = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    await addEndpoints(
      service,
      many.merchantId,
      Array.from({ length: 12 }, (_, index) => `${slow.url}/${index}`),
    )
    const { id } = await addEndpoint(shop, { url: quick.url })
    await sendEvents(service, many.merchantId, 100)
    const sent = new Map<string, number>()
    await inRealTime(service, async () => {
      await until('the slow ones are busy', () => slow.calls.length > 60)
      for (let index = 0; index < 20; index++) {
        sent.set(await service.context.transaction((tx) => testEndpoint(tx, shop.merchantId, id)), Date.now())
        await sleep(100)
      }
      await until('all was told', () => arrivals.size === sent.size)
    })
    const waits = [...sent].map(([event, at]) => (arrivals.get(event) ?? Infinity) - at).toSorted((a, b) => a - b)
    assert.ok((waits[10] ?? Infinity) < 400, `half waited longer than ${waits[10]} ms`)
    assert.ok((waits.at(-1) ?? Infinity) < 1200, `one waited ${waits.at(-1)} ms`)
    slow.answer = 200
    await runSql(
      service,
      `update notification_endpoints set status = 'removed' where merchant_id = '${many.merchantId}'`,
    )
  },
  { ...notified, PAYIN_NOTIFICATIONS_IN_FLIGHT: '32', PAYIN_NOTIFICATION_TIMEOUT_MS: '5000' },
)

onPostgres(
  'endpoints that are known to be slow take no more than their share, also with the first event after a rest',
  async (service) => {
    await using slow = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 1500)
    })
    await using quick = await openReceiver()
    const many = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const urls = Array.from({ length: 40 }, (_, index) => `${slow.url}/${index}`)
    await addEndpoints(service, many.merchantId, urls)
    const { id } = await addEndpoint(shop, { url: quick.url })
    const testIt = () => service.context.transaction((tx) => testEndpoint(tx, shop.merchantId, id))
    const atRest = async () => {
      const held = 'select from delivery_lanes where leased_by is not null limit 1'
      return (await runSql(service, held)).length === 0
    }
    await inRealTime(service, async () => {
      await testIt()
      await sendEvents(service, many.merchantId, 1)
      await until('all have answered once', () => slow.calls.length === 40 && quick.calls.length === 1)
      await until('all lanes are given back', atRest)
      await sendEvents(service, many.merchantId, 1)
      await until('the slow ones are busy again', () => slow.calls.length > 45)
      await testIt()
      await until('the quick one is told', () => quick.calls.length === 2, 900)
      await until('all are told', () => slow.calls.length === 80)
    })
  },
  { ...notified, PAYIN_NOTIFICATIONS_IN_FLIGHT: '16', PAYIN_NOTIFICATION_TIMEOUT_MS: '5000' },
)

onPostgres(
  '700 endpoints that fail do not keep one that works from being served',
  async (service) => {
    await using hanging = await openReceiver(() => undefined)
    await using healthy = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    // 50 each, as many as a merchant may have.
    for (let count = 0; count < 14; count++) {
      const { merchantId } = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      const urls = Array.from({ length: 50 }, (_, index) => `${hanging.url}/${count}/${index}`)
      await addEndpoints(service, merchantId, urls)
      await sendEvents(service, merchantId, 1)
    }
    const { id } = await addEndpoint(shop, { url: healthy.url })
    await queueDeliveries(service.context)
    const since = `now() - interval '1 hour'`
    await runSql(service, `update delivery_lanes set failures = 3, failing_since = ${since}, wake_at = ${since}`)
    await inRealTime(service, async () => {
      await until('those that fail are tried', () => hanging.calls.length > 20)
      await service.context.transaction((tx) => testEndpoint(tx, shop.merchantId, id))
      await until('the other one is told', () => healthy.calls.length === 1, 1500)
    })
    const [row] = await runSql<{ held: number }>(
      service,
      'select count(leased_by)::integer as held from delivery_lanes',
    )
    assert.equal(row?.held, 0)
    hanging.answer = 200
    await runSql(service, `update notification_endpoints set status = 'removed' where url like '${hanging.url}%'`)
  },
  { ...notified, PAYIN_NOTIFICATION_TIMEOUT_MS: '3000' },
)

onPostgres(
  'more endpoints with long queues than one process serves at a time do not keep another from being served',
  async (service) => {
    await using busy = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 800)
    })
    await using quick = await openReceiver()
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    for (let count = 0; count < 11; count++) {
      const { merchantId } = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      const urls = Array.from({ length: 50 }, (_, index) => `${busy.url}/${count}/${index}`)
      await addEndpoints(service, merchantId, urls)
      await sendEvents(service, merchantId, 20)
    }
    const { id } = await addEndpoint(shop, { url: quick.url })
    while ((await queueDeliveries(service.context)) > 0);
    await inRealTime(service, async () => {
      await until('the others are served', () => busy.calls.length > 1000)
      await service.context.transaction((tx) => testEndpoint(tx, shop.merchantId, id))
      await until('it is told', () => quick.calls.length === 1, 5000)
    })
    assert.ok(busy.calls.length < 9000, 'long queues were left')
    busy.answer = 200
    await runSql(service, `update notification_endpoints set status = 'removed' where url like '${busy.url}%'`)
  },
  { ...notified, PAYIN_NOTIFICATION_TIMEOUT_MS: '5000' },
)

onPostgres(
  'so it is, too, where there are places for all their attempts and no lane comes to rest',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const perLane = 24
    for (let count = 0; count < 11; count++) {
      const { merchantId } = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      const urls = Array.from({ length: 50 }, (_, index) => `http://127.0.0.1/busy/${count}/${index}`)
      await addEndpoints(service, merchantId, urls)
      await sendEvents(service, merchantId, perLane)
    }
    const { id } = await addEndpoint(shop, { url: 'http://127.0.0.1/quick' })
    while ((await queueDeliveries(service.context)) > 0);
    const sent = { busy: 0, quick: 0 }
    // So many that sockets would take most of the time.
    service.context.webhooks.send = async ({ url }) => {
      const isQuick = url.endsWith('/quick')
      sent[isQuick ? 'quick' : 'busy']++
      if (!isQuick) await sleep(800)
      return { status: 200, error: null, retryAfter: null, latencyMs: isQuick ? 1 : 800, excerpt: '' }
    }
    await inRealTime(service, async () => {
      await until('the others are served', () => sent.busy > 1000)
      await service.context.transaction((tx) => testEndpoint(tx, shop.merchantId, id))
      await until('it is told', () => sent.quick === 1, 5000)
      assert.ok(sent.busy < 500 * perLane, 'no queue had to end before')
      await until('all are served', () => sent.busy === 550 * perLane, 60_000)
    })
  },
  { ...notified, PAYIN_NOTIFICATIONS_IN_FLIGHT: '2000', PAYIN_NOTIFICATIONS_PER_ENDPOINT: '2' },
)

onPostgres(
  'a worker that cannot renew its leases stops sending before they end; another goes on, nothing comes from both',
  async (service) => {
    const proxy = await openDatabaseProxy(service.context.settings.databaseUrl ?? '')
    await using receiver = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 400)
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    await addEndpoints(service, shop.merchantId, [receiver.url])
    await sendEvents(service, shop.merchantId, 1500)
    const perEndpoint = { PAYIN_NOTIFICATIONS_PER_ENDPOINT: '4' }
    const holder = await startWorker(service, { ...perEndpoint, DATABASE_URL: proxy.url })
    const sentByFirst = noteSends(holder)
    let cutAt = 0
    try {
      // What it has fetched by then is more than it can send before its lease ends.
      await until('the first worker sends', () => receiver.calls.length > 10)
      await proxy.cut()
      cutAt = Date.now()
      const next = await startWorker(service, perEndpoint)
      const sentBySecond = noteSends(next)
      try {
        await until('the second worker has taken over', () => sentBySecond.length > 20, 25_000)
        await proxy.restore()
        await sleep(1500)
        const [last = 0, first = 0] = [sentByFirst.at(-1), sentBySecond[0]]
        assert.ok(last > cutAt, 'the first went on as long as its lease was good for')
        assert.ok(last + 400 < first, `first until ${last - cutAt} ms, second from ${first - cutAt} ms`)
      } finally {
        await next.stop()
      }
    } finally {
      await holder.stop()
      await proxy.cut()
    }
  },
  {},
)

onPostgres(
  'workers that trade lanes all the time: every event once, never more at a time than an endpoint takes',
  async (service) => {
    let most = 0
    const underWay = new Map<string, number>()
    await using receiver = await openReceiver((call, response) => {
      const count = (underWay.get(call.path) ?? 0) + 1
      underWay.set(call.path, count)
      most = Math.max(most, count)
      setTimeout(() => {
        underWay.set(call.path, (underWay.get(call.path) ?? 0) - 1)
        response.writeHead(200).end()
      }, 5)
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const paths = ['/a', '/b', '/c', '/d', '/e']
    await addEndpoints(
      service,
      shop.merchantId,
      paths.map((path) => receiver.url + path),
    )
    const { context } = service
    const rounds = 30
    const holders = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      await sendEvents(service, shop.merchantId, 5)
      await queueDeliveries(context)
      // Each serves until nothing is due, or is stopped in the middle of it.
      const couriers = [openCourier(context), openCourier(context)]
      await Promise.all(
        couriers.map(async (courier, index) => {
          for (let turn = 0; turn < (round % 3 === index ? 1 : 50) && (await courier.round()) > 0; turn++);
          const rows = await runSql<{ by: string }>(
            service,
            'select distinct leased_by as by from delivery_lanes where leased_by is not null',
          )
          for (const { by } of rows) holders.add(by)
          await courier.stop()
        }),
      )
    }
    await service.runJobs()
    const keys = receiver.calls.map(({ path, id }) => `${path} ${id}`)
    assert.equal(new Set(keys).size, rounds * 5 * paths.length)
    assert.equal(keys.length, new Set(keys).size)
    assert.ok(most <= 3, `${most} at a time`)
    assert.ok(holders.size > 5, `${holders.size} holders`)
  },
  { ...notified, PAYIN_NOTIFICATIONS_PER_ENDPOINT: '3' },
)

onPostgres(
  'renewing and giving back lanes lock them as waking does: no deadlock',
  async (service) => {
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { merchantId } = shop
    const ids = await addEndpoints(
      service,
      merchantId,
      Array.from({ length: 20 }, (_, index) => `https://shop${index}.example.com/`),
    )
    await sendEvents(service, merchantId, 1)
    await queueDeliveries(service.context)
    const worker = service.context.newId()
    const { clock } = service
    // In the order in which a process happens to hold them.
    const reversed = ids.toSorted().toReversed()
    const health = {
      merchantIds: reversed.map(() => merchantId),
      endpointIds: reversed,
      failures: reversed.map(() => 0),
      lastFailedAts: reversed.map(() => null),
      failingSinces: reversed.map(() => null),
      pausedUntils: reversed.map(() => 0),
      forwardSinces: reversed.map(() => null),
    }
    const change = [
      () => service.context.query(renewLanes, { ...health, worker, leaseMs: 60_000 }),
      () => service.context.query(releaseLanes, { ...health, worker, now: clock.now }),
    ]
    for (const act of change) {
      await runSql(
        service,
        `update delivery_lanes set leased_by = '${worker}', leased_until = now() + interval '1 minute'`,
      )
      const [first = '', last = ''] = [reversed.at(-1), reversed[0]]
      let runs = 0
      let acting: Promise<unknown> | undefined
      await service.context.transaction(async (tx) => {
        runs++
        await tx.query(wakeLane, { merchantId, endpointId: first, now: clock.now })
        acting ??= act()
        // Longer than the server waits before it looks for a deadlock of theirs, so that ours would be the one undone.
        await sleep(1300)
        await tx.query(wakeLane, { merchantId, endpointId: last, now: clock.now })
      })
      await acting
      assert.equal(runs, 1, 'undone for a deadlock')
    }
  },
  notified,
)

onPostgres(
  'a worker that is stopped writes what is under way and gives its lanes back; the next one goes on at once',
  async (service) => {
    await using receiver = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 1000)
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    await addEndpoints(service, shop.merchantId, [`${receiver.url}/a`, `${receiver.url}/b`])
    await sendEvents(service, shop.merchantId, 40)
    const patience = { PAYIN_NOTIFICATION_TIMEOUT_MS: '15000' }
    const first = await startWorker(service, patience)
    await until('attempts are under way', () => receiver.calls.length >= 8)
    await first.stop()
    const sent = receiver.calls.length
    const [row] = await runSql<{ written: number; delivered: number; leased: number }>(
      service,
      `select (select count(*)::integer from delivery_attempts where status = 200) as written,
        (select count(*)::integer from deliveries where status = 'delivered') as delivered,
        (select count(leased_by)::integer from delivery_lanes) as leased`,
    )
    assert.deepEqual(row, { written: sent, delivered: sent, leased: 0 })
    receiver.answer = 200
    const startedAt = Date.now()
    const second = await startWorker(service, patience)
    try {
      await until('the next worker has sent the rest', () => receiver.calls.length === 80, 8000)
      assert.ok(Date.now() - startedAt < 8000)
    } finally {
      await second.stop()
    }
    assert.equal(new Set(receiver.calls.map(({ path, id }) => `${path} ${id}`)).size, 80, 'each once')
  },
  {},
)
