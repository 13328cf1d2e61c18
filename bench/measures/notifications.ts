import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEndpoint } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { countUnqueued } from '../../test/support/unqueued.ts'
import { type Check, compare, type Measure, type Sample } from '../measure.ts'
import { checkInvariants } from '../rig/check-creates.ts'
import { watchCpu } from '../rig/cpu.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { openPayin, startPayin } from '../rig/payin.ts'
import { type Server, startServer } from '../rig/processes.ts'

const healthyEndpoints = 40
const deadEndpoints = 10
const eventsPerPayment = 2
/** The service sends this many at the same time. */
const atOnce = 256
const patienceMs = 120_000
const loopback = { PAYIN_NOTIFICATION_LOOPBACK: 'on' }

const receiver = (bench: Bench): Promise<Server> => startServer('bench/yardsticks/receiver.ts', {}, bench.signal)

const askReceiver = async ({ url }: Server): Promise<{ count: number; seconds: number }> =>
  (await (await fetch(url)).json()) as { count: number; seconds: number }

/** Payments that were claimed and canceled, and endpoints that receive both events; nothing has been sent yet. */
const fill = async (bench: Bench, database: Database, payments: number, dead: number, url: string): Promise<void> => {
  // Only a sandbox merchant may be notified on this machine.
  await database.query(`update merchants set mode = 'sandbox'; update requisites set mode = 'sandbox'`)
  await fillPayments(bench, database, payments)
  const service = await openPayin(database, { ...loopback, PAYIN_ROLES: 'web' })
  try {
    const { context } = service
    const { id: merchantId } = bench.merchant
    for (let index = 0; index < healthyEndpoints + dead; index++) {
      const wish = { url: `${url}/${index < healthyEndpoints ? index : 'hang'}`, description: '', kinds: [] }
      await context.transaction((tx) =>
        createEndpoint(tx, { loopbackAllowed: true, mayBePublic: () => true }, merchantId, wish),
      )
    }
    const rows = await database.query<{ id: string }>('select id from payments order by id')
    bench.say(`P6: changing ${rows.length} payments`)
    for (const { id } of rows) {
      await claimPayment(context, merchantId, id)
      const by = { actor: 'merchant', reason: 'canceled-by-merchant' } as const
      await context.transaction((tx) => cancelPayment(tx, { merchantId, id }, by))
    }
  } finally {
    await service.stop()
  }
}

const deliver = async (bench: Bench, payments: number, dead: number): Promise<{ sample: Sample; checks: Check[] }> => {
  await using database = await bench.createDatabase()
  await using target = await receiver(bench)
  await fill(bench, database, payments, dead, target.url)
  await database.query('vacuum analyze')
  const expected = payments * eventsPerPayment * healthyEndpoints
  bench.say(`P6: delivering ${expected} to ${healthyEndpoints} endpoints, ${dead} others hang`)
  await using server = await startPayin(database, bench.signal, loopback)
  const watched = { pids: server.pids, postmaster: bench.postmaster }
  const waiting = `select count(*)::integer as waiting from deliveries join notification_endpoints as endpoints
    on endpoints.merchant_id = deliveries.merchant_id and endpoints.id = deliveries.endpoint_id
    where deliveries.status <> 'delivered' and endpoints.url not like '%/hang'`
  const { cpu } = await watchCpu(watched, cpus().length, async () => {
    for (let waited = 0; waited < patienceMs; waited += 250) {
      // The database is asked only when all have arrived, because counting takes its time from the service.
      if ((await askReceiver(target)).count >= expected) {
        const [row] = await database.query<{ waiting: number; unqueued: number }>(
          `select (${waiting}) as waiting, (${countUnqueued()}) as unqueued`,
        )
        if (row?.waiting === 0 && row.unqueued === 0) return
      }
      await sleep(250)
    }
  })
  const { count, seconds } = await askReceiver(target)
  const text = `${count} of ${expected} delivered, each once`
  return {
    sample: { value: count / seconds, answers: count, cpu, details: { seconds } },
    checks: [{ text, ok: count === expected }, await checkInvariants(server)],
  }
}

const post = async (bench: Bench, count: number): Promise<Sample> => {
  await using target = await receiver(bench)
  bench.say(`P6: ${count} bare POSTs`)
  const environment = { POSTS_TO: target.url, POSTS: String(count), POSTS_AT_ONCE: String(atOnce), POSTS_BODY: body }
  // It reports that it is ready when everything was posted.
  await using sender = await startServer('bench/yardsticks/bare-posts.ts', environment, bench.signal)
  const { seconds } = await askReceiver(target)
  bench.say(`P6: ${sender.url} has posted`)
  return { value: count / seconds, details: { seconds } }
}

/** As long as the body of a payment's notification. */
const body = JSON.stringify({ type: 'payment.canceled', data: { pad: 'x'.repeat(220) } })

/**
 * P6: how many notifications per second one process signs, delivers to a local receiver in order per payment, and logs,
 * from the first arrival to the last. Compared with bare POSTs by the same client, and measured again next to ten
 * endpoints that hang.
 */
export const notifications: Measure = {
  id: 'P6',
  title: 'notifications delivered',
  run: async (bench) => {
    const payments = bench.quick ? 200 : 800
    const healthy: Awaited<ReturnType<typeof deliver>>[] = []
    const withDead: Awaited<ReturnType<typeof deliver>>[] = []
    const bare: Sample[] = []
    for (let round = 1; round <= bench.rounds; round++) {
      healthy.push(await deliver(bench, payments, 0))
      bare.push(await post(bench, payments * eventsPerPayment * healthyEndpoints))
      withDead.push(await deliver(bench, payments, deadEndpoints))
    }
    const delivered = { name: '40 endpoints', samples: healthy.map(({ sample }) => sample) }
    const amongDead = { name: '40 endpoints next to 10 that hang', samples: withDead.map(({ sample }) => sample) }
    const posts = { name: 'bare POSTs', samples: bare }
    return [
      {
        title: `${payments * eventsPerPayment} events for ${healthyEndpoints} endpoints`,
        unit: 'deliveries/s',
        series: [delivered, amongDead, posts],
        verdicts: [
          {
            text: 'of 5 000 deliveries/s',
            unit: '×',
            values: delivered.samples.map(({ value }) => value / 5000),
            goal: { atLeast: 1 },
          },
          compare('of bare POSTs', delivered, posts, { atLeast: 0.35 }),
          compare('next to 10 endpoints that hang', amongDead, delivered, { atLeast: 0.9 }),
        ],
        checks: [...healthy, ...withDead].flatMap(({ checks }) => checks),
      },
    ]
  },
}
