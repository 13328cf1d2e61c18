// Who sends, when and how much at a time: lanes that share the attempts of a process, and workers that share lanes.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import type { Context } from '../../src/engine/context.ts'
import { bigint, query } from 'payin-database'
import { openCourier } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { releaseLanes, renewLanes, wakeLane } from '../../src/engine/notifications/deliveries/lanes/store.ts'
import { testEndpoint } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { startService } from '../../src/process/start-service.ts'
import { exceptOnCitus } from '../support/citus.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { addEndpoint } from '../support/notified.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { runSql } from '../support/run-sql.ts'
import type { TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { addEndpoints, addEvents } from './add-events.ts'
import { runDeliveries, withSettings } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'
import { runClock, startWorker } from './start-worker.ts'

const { onPostgres } = shareNotified({ on: ['postgres'] })

const testOne = (service: TestService, merchantId: string, id: string): Promise<string> =>
  service.context.transaction((tx) => testEndpoint(tx, merchantId, id))

/** Adds endpoints of several merchants, 50 each, as many as one may have, with events for each. */
const addMany = async (service: TestService, url: string, merchants: number, events: number): Promise<void> => {
  for (let count = 0; count < merchants; count++) {
    const { merchantId } = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const urls = Array.from({ length: 50 }, (_, index) => `${url}/${count}/${index}`)
    await addEndpoints(service, merchantId, urls)
    await addEvents(service, merchantId, events)
  }
  while ((await queueDeliveries(service.context)) > 0);
}

/** A receiver that answers when it is asked to: what it has been asked by then took all the time that has passed. */
const openHolding = async (): Promise<{
  readonly receiver: Receiver
  readonly held: ServerResponse[]
  /** Answers those that wait longest, by default all. */
  answer(count?: number): void
}> => {
  const held: ServerResponse[] = []
  const receiver = await openReceiver((_call, response) => void held.push(response))
  return {
    receiver,
    held,
    answer: (count = held.length) => {
      for (const response of held.splice(0, count)) response.writeHead(200).end()
    },
  }
}

/** How long the slow endpoints take to answer. */
const slowMs = 1500

onPostgres('endpoints with long queues and slow answers do not hold up one that is quick', async (service) => {
  const slow = await openHolding()
  await using receiver = slow.receiver
  await using quick = await openReceiver()
  const many = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const urls = Array.from({ length: 12 }, (_, index) => `${receiver.url}/${index}`)
  await addEndpoints(service, many.merchantId, urls)
  const { id } = await addEndpoint(shop, { url: quick.url })
  await addEvents(service, many.merchantId, 100)
  const worker = startWorker(service, { notificationsInFlight: 32, notificationTimeoutMs: 60_000 })
  try {
    // At first all that is left to others than quick ones, later the share of those that are known to be slow.
    for (const most of [28, 16, 16]) {
      await until('the slow ones are busy', () => slow.held.length === most)
      service.clock.advance(slowMs)
      slow.answer()
    }
    await until('the slow ones are busy', () => slow.held.length === 16)
    for (let index = 0; index < 20; index++) {
      const event = await testOne(service, shop.merchantId, id)
      await until('it is delivered while all of these wait', () => quick.calls.some((call) => call.id === event))
      // Each of them takes its time, and the next ones of their queues follow.
      service.clock.advance(200)
      slow.answer(2)
      await until('the slow ones are busy', () => slow.held.length === 16)
    }
    receiver.answer = 200
    slow.answer()
  } finally {
    await worker.stop()
  }
})

onPostgres(
  'endpoints that are known to be slow take no more than their share, also with the first event after a rest',
  async (service) => {
    const slow = await openHolding()
    await using receiver = slow.receiver
    await using quick = await openReceiver()
    const many = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const urls = Array.from({ length: 40 }, (_, index) => `${receiver.url}/${index}`)
    await addEndpoints(service, many.merchantId, urls)
    const { id } = await addEndpoint(shop, { url: quick.url })
    const atRest = async () => {
      const held = 'select from delivery_lanes where leased_by is not null limit 1'
      return (await runSql(service, held)).length === 0
    }
    const takeAll = (count: number) =>
      until('the slow ones have answered', () => {
        service.clock.advance(slowMs)
        slow.answer()
        return receiver.calls.length === count && slow.held.length === 0
      })
    const worker = startWorker(service, { notificationsInFlight: 16, notificationTimeoutMs: 60_000 })
    try {
      await testOne(service, shop.merchantId, id)
      await until('the quick one is called', async () => quick.calls.length === 1 && (await atRest()))
      await addEvents(service, many.merchantId, 1)
      await takeAll(40)
      await until('all lanes are given back', atRest)
      await addEvents(service, many.merchantId, 1)
      await until('the slow ones are busy again', () => slow.held.length === 8)
      await testOne(service, shop.merchantId, id)
      await until('the quick one is called while these wait', () => quick.calls.length === 2)
      assert.equal(slow.held.length, 8, 'no more than their share')
      await takeAll(80)
    } finally {
      await worker.stop()
    }
  },
)

onPostgres('700 endpoints that fail do not keep one that works from being served', async (service) => {
  const hanging = await openHolding()
  await using receiver = hanging.receiver
  await using healthy = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  await addMany(service, receiver.url, 14, 1)
  const { id } = await addEndpoint(shop, { url: healthy.url })
  const since = `now() - interval '1 hour'`
  await runSql(service, `update delivery_lanes set failures = 3, failing_since = ${since}, wake_at = ${since}`)
  // None of those that fail makes room for the healthy one in that time.
  const worker = startWorker(service, { notificationTimeoutMs: 60_000 })
  try {
    await until('those that fail are tried', () => receiver.calls.length > 20)
    await testOne(service, shop.merchantId, id)
    await until('the other one is called while these hang', () => healthy.calls.length === 1)
    receiver.answer = 500
    hanging.answer()
  } finally {
    await worker.stop()
  }
  const [row] = await runSql<{ held: number }>(service, 'select count(leased_by)::integer as held from delivery_lanes')
  assert.equal(row?.held, 0)
})

/** How many times as fast the clock goes, and all that goes by it. */
const speed = 3
/** With this no lease comes near its end, however busy the machine is. */
const patientMs = 60_000
const busyMs = 800 / speed
const fastTicks = (): number => performance.now() * speed

onPostgres('hundreds of endpoints with long queues do not keep another from being served', async (service) => {
  await using busy = await openReceiver((_call, response) => {
    setTimeout(() => response.writeHead(200).end(), busyMs)
  })
  await using quick = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  await addMany(service, busy.url, 11, 20)
  const { id } = await addEndpoint(shop, { url: quick.url })
  const stopClock = runClock(service, speed)
  const worker = startWorker(service, { notificationTimeoutMs: patientMs }, fastTicks)
  try {
    await until('the others are served', () => busy.calls.length > 1000)
    await testOne(service, shop.merchantId, id)
    await until('it is delivered', () => quick.calls.length === 1)
  } finally {
    busy.answer = 200
    await worker.stop()
    stopClock()
  }
  assert.ok(busy.calls.length < 9000, 'long queues were left')
})

/** A courier that makes its rounds until it is stopped, also while the database is out of reach. */
const startCourier = (context: Context) => {
  const sends: number[] = []
  const send = context.webhooks.send.bind(context.webhooks)
  const noted: Context['webhooks']['send'] = (request) => {
    sends.push(Date.now())
    return send(request)
  }
  const courier = openCourier(
    { ...context, webhooks: { ...context.webhooks, send: noted } },
    { reserveMs: 2000, marginMs: 400, renewEveryMs: 200 },
  )
  let rounds = 0
  let isStopped = false
  const makeRound = async (): Promise<number> => {
    const done = await courier.round()
    rounds++
    return done
  }
  const running = (async () => {
    while (!isStopped) if ((await makeRound().catch(() => 0)) === 0) await sleep(10)
  })()
  return {
    /** When it has sent. */
    sends,
    /** How many rounds it has ended well. */
    rounds: () => rounds,
    stop: async () => {
      isStopped = true
      await running
      await courier.stop()
    },
  }
}

onPostgres(
  'a worker that cannot renew its leases stops sending before they end; another goes on, nothing comes from both',
  async (shared) => {
    const service = withSettings(shared, { notificationsPerEndpoint: 4, notificationTimeoutMs: 500 })
    const { settings } = service.context
    const proxy = await openDatabaseProxy(settings.databaseUrl ?? '')
    const answerMs = 100
    await using receiver = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), answerMs)
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    await addEndpoints(service, shop.merchantId, [receiver.url])
    await addEvents(service, shop.merchantId, 1500)
    await queueDeliveries(service.context)
    const other = await startService({
      settings: { ...settings, databaseUrl: proxy.url },
      clock: service.context.clock,
      log: pino({ level: 'silent' }),
    })
    const holder = startCourier(other.context)
    try {
      // What it has fetched by then is more than it can send before its lease ends.
      await until('the first worker sends', () => receiver.calls.length > 10)
      await proxy.cut()
      const cutAt = Date.now()
      const next = startCourier(service.context)
      try {
        await until('the second worker has taken over', () => next.sends.length > 20, 25_000)
        await proxy.restore()
        const [roundsBefore, sendsBefore] = [holder.rounds(), next.sends.length]
        await until('the first one looks again', () => holder.rounds() > roundsBefore + 2)
        await until('the second one goes on', () => next.sends.length > sendsBefore + 10)
        const [last = 0, first = 0] = [holder.sends.at(-1), next.sends[0]]
        assert.ok(last > cutAt, 'the first went on as long as its lease was good for')
        assert.ok(last + answerMs < first, `first until ${last - cutAt} ms, second from ${first - cutAt} ms`)
      } finally {
        await next.stop()
      }
    } finally {
      await holder.stop()
      await other.stop()
      await proxy.cut()
    }
  },
)

onPostgres(
  'workers that trade lanes all the time: every event once, never more at a time than an endpoint takes',
  async (shared) => {
    const service = withSettings(shared, { notificationsPerEndpoint: 3 })
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
      await addEvents(service, shop.merchantId, 5)
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
    await runDeliveries(service)
    const keys = receiver.calls.map(({ path, id }) => `${path} ${id}`)
    assert.equal(new Set(keys).size, rounds * 5 * paths.length)
    assert.equal(keys.length, new Set(keys).size)
    assert.ok(most <= 3, `${most} at a time`)
    assert.ok(holders.size > 5, `${holders.size} holders`)
  },
)

const lockWaiters = query('test_waiters_for_locks', {
  row: { waiting: bigint },
  text: `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
})

const lookForDeadlockSoon = query('test_look_for_deadlock_soon', {
  text: `select from set_config('deadlock_timeout', '10ms', true)`,
})

const onPlainPostgres = exceptOnCitus('the locks of a Citus are on its other nodes', onPostgres)

onPlainPostgres('renewing and giving back lanes lock them as waking does: no deadlock', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { merchantId } = shop
  const ids = await addEndpoints(
    service,
    merchantId,
    Array.from({ length: 20 }, (_, index) => `https://shop${index}.example.com/`),
  )
  await addEvents(service, merchantId, 1)
  await queueDeliveries(service.context)
  const worker = service.context.newId()
  const { clock } = service
  // In the order in which a process happens to hold them.
  const reversed = ids.toSorted().toReversed()
  const fresh = { failures: 0, lastFailedAt: null, failingSince: null, pausedUntil: 0, forwardSince: null }
  const rows = reversed.map((endpointId) => ({ merchantId, endpointId, ...fresh }))
  const change = [
    () => service.context.query(renewLanes, { rows, worker, leaseMs: 60_000 }),
    () => service.context.query(releaseLanes, { rows, worker, now: clock.now }),
  ]
  for (const act of change) {
    await runSql(
      service,
      `update delivery_lanes set leased_by = '${worker}', leased_until = now() + interval '1 minute'
        where merchant_id = '${merchantId}'`,
    )
    const [first = '', last = ''] = [reversed.at(-1), reversed[0]]
    let runs = 0
    let acting: Promise<unknown> | undefined
    await service.context.transaction(async (tx) => {
      runs++
      // Sooner than theirs, so that ours would be the one undone.
      await tx.query(lookForDeadlockSoon, {})
      await tx.query(wakeLane, { merchantId, endpointId: first, now: clock.now })
      acting ??= act()
      if (runs === 1) {
        const isWaiting = async () => (await service.context.query(lockWaiters, {}))[0]?.waiting !== 0n
        await until('theirs waits for ours', isWaiting)
      }
      await tx.query(wakeLane, { merchantId, endpointId: last, now: clock.now })
    })
    await acting
    assert.equal(runs, 1, 'undone for a deadlock')
  }
})

onPostgres(
  'a worker that is stopped writes what is under way and gives its lanes back; the next one goes on at once',
  async (service) => {
    // Longer than a worker takes to hear that it is to stop.
    await using receiver = await openReceiver((_call, response) => {
      setTimeout(() => response.writeHead(200).end(), 400)
    })
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    const { merchantId } = shop
    await addEndpoints(service, merchantId, [`${receiver.url}/a`, `${receiver.url}/b`])
    await addEvents(service, merchantId, 40)
    const patience = { notificationTimeoutMs: 15_000 }
    const first = startWorker(service, patience)
    await until('attempts are under way', () => receiver.calls.length >= 8)
    await first.stop()
    const sent = receiver.calls.length
    const [row] = await runSql<{ written: number; delivered: number; leased: number }>(
      service,
      `select (select count(*)::integer from delivery_attempts
          where merchant_id = '${merchantId}' and status = 200) as written,
        (select count(*)::integer from deliveries
          where merchant_id = '${merchantId}' and status = 'delivered') as delivered,
        (select count(leased_by)::integer from delivery_lanes) as leased`,
    )
    assert.deepEqual(row, { written: sent, delivered: sent, leased: 0 })
    receiver.answer = 200
    const second = startWorker(service, patience)
    try {
      await until('the next worker has sent the rest', () => receiver.calls.length === 80)
    } finally {
      await second.stop()
    }
    assert.equal(new Set(receiver.calls.map(({ path, id }) => `${path} ${id}`)).size, 80, 'each once')
  },
)
