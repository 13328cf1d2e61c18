import { setTimeout as sleep } from 'node:timers/promises'
import { createEndpoint } from '../../src/engine/notifications/endpoints/endpoints.ts'
import { countUnqueued } from '../../test/support/unqueued.ts'
import { fillPayments } from './fill-payments.ts'
import type { Bench, Database } from './open-bench.ts'
import { askOperator, openPayin, startPayin } from './payin.ts'
import type { Server } from './processes.ts'

const perReport = 1000
const atOnce = 64
const patienceMs = 120_000
const loopback = { PAYIN_NOTIFICATION_LOOPBACK: 'on' }

/** Registers an endpoint on this machine for the merchant's notifications. */
export const addEndpoint = async (bench: Bench, database: Database, url: string): Promise<void> => {
  // Only a sandbox merchant may be notified on this machine.
  await database.query(`update merchants set mode = 'sandbox'; update requisites set mode = 'sandbox'`)
  const service = await openPayin(database, { ...loopback, PAYIN_ROLES: 'web' })
  try {
    const wish = { url, description: '', kinds: [] }
    await service.context.transaction((tx) =>
      createEndpoint(tx, { loopbackAllowed: true, mayBePublic: () => true }, bench.merchant.id, wish),
    )
  } finally {
    await service.stop()
  }
}

/** Reports the money of every payment, as a bank would. */
const payAll = async (database: Database, server: Server, first: number): Promise<void> => {
  const payments = await database.query<{ requisite_id: string; amount: string }>(
    "select requisite_id, amount from payments where status = 'new' order by md5(id::text)",
  )
  const bookedAt = new Date().toISOString()
  for (let from = 0; from < payments.length; from += perReport) {
    const transfers = payments.slice(from, from + perReport).map(({ requisite_id: requisiteId, amount }, index) => ({
      requisiteId,
      amount: Number(amount) / 100,
      currency: 'rub',
      bookedAt,
      bankReference: `A${String(first + from + index).padStart(31, '0')}`,
      sender: `+79${String(first + from + index).padStart(9, '0')}`,
    }))
    await askOperator(server, 'transfers', JSON.stringify({ transfers }))
  }
}

const waitForDeliveries = async (bench: Bench, database: Database): Promise<void> => {
  const waiting = `select (select count(*) from deliveries where status <> 'delivered')
    + (${countUnqueued()}) as waiting`
  for (let waited = 0; waited < patienceMs; waited += 250) {
    bench.signal.throwIfAborted()
    const [row] = await database.query<{ waiting: string }>(waiting)
    if (row?.waiting === '0') return
    await sleep(250)
  }
  throw new Error('the notifications were not delivered in time')
}

const acknowledgeAll = async (bench: Bench, server: Server, count: number, first: number): Promise<void> => {
  let next = first
  const acknowledge = async (): Promise<void> => {
    for (let index = next++; index < first + count; index = next++) {
      const response = await fetch(`${server.url}/api/v1/merchant/payments/byOrderId/ack`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bench.merchant.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orderId: `poll-${index}` }),
      })
      if (!response.ok) throw new Error(`an ack was answered ${response.status}: ${await response.text()}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, acknowledge))
}

/** The steps until payments are finished. */
type Step = 'creating' | 'paying' | 'acknowledging'

/**
 * Creates `count` payments with orderIds from `poll-<first>` on; each is paid by a bank's report, credited, notified to
 * one endpoint and acknowledged. Calls `before` before each step. Returns the result of `last`, which is called while
 * the service still runs.
 */
export const finishPayments = async <T>(
  bench: Bench,
  database: Database,
  { first, count }: { readonly first: number; readonly count: number },
  {
    before = async () => {},
    last,
  }: { readonly before?: (step: Step) => Promise<void>; readonly last: (server: Server) => Promise<T> },
): Promise<T> => {
  await before('creating')
  await fillPayments(bench, database, count, first)
  await using server = await startPayin(database, bench.signal, loopback)
  bench.say(`paying ${count} payments`)
  await before('paying')
  await payAll(database, server, first)
  await waitForDeliveries(bench, database)
  bench.say(`acknowledging ${count} payments`)
  await before('acknowledging')
  await acknowledgeAll(bench, server, count, first)
  return await last(server)
}
