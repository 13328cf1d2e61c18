import { setTimeout as sleep } from 'node:timers/promises'
import { createEndpoint } from '../../src/notifications/endpoints/endpoints.ts'
import type { Measure, Sample } from '../measure.ts'
import { archivePayments } from '../rig/archive-payments.ts'
import { checkInvariants } from '../rig/check-creates.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { askOperator, openPayin, startPayin } from '../rig/payin.ts'
import { type Server, startServer } from '../rig/processes.ts'

const perReport = 1000
const atOnce = 64
const patienceMs = 120_000
const loopback = { PAYIN_NOTIFICATION_LOOPBACK: 'on' }

/** Bytes that each table holds with its indexes and its values out of line, by name. */
const tableBytes = async (database: Database): Promise<Map<string, number>> => {
  const rows = await database.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

const logPosition = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
  )
  return Number(row?.bytes)
}

/** Makes the merchant's notifications go to a receiver on this machine. */
const addEndpoint = async (bench: Bench, database: Database, url: string): Promise<void> => {
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

/** Brings the money of every payment, each transfer with what a bank reports of it. */
const payAll = async (database: Database, server: Server): Promise<void> => {
  const payments = await database.query<{ requisite_id: string; amount: string }>(
    'select requisite_id, amount from payments order by md5(id::text)',
  )
  const bookedAt = new Date().toISOString()
  for (let from = 0; from < payments.length; from += perReport) {
    const transfers = payments.slice(from, from + perReport).map(({ requisite_id: requisiteId, amount }, index) => ({
      requisiteId,
      amount: Number(amount) / 100,
      currency: 'rub',
      bookedAt,
      bankReference: `A${String(from + index).padStart(31, '0')}`,
      sender: `+79${String(from + index).padStart(9, '0')}`,
    }))
    await askOperator(server, 'transfers', JSON.stringify({ transfers }))
  }
}

const waitForDeliveries = async (bench: Bench, database: Database): Promise<void> => {
  const waiting = `select (select count(*) from deliveries where status <> 'delivered')
    + (select count(*) from outbox where position is null and kind <> 'payment.new') as waiting`
  for (let waited = 0; waited < patienceMs; waited += 250) {
    bench.signal.throwIfAborted()
    const [row] = await database.query<{ waiting: string }>(waiting)
    if (row?.waiting === '0') return
    await sleep(250)
  }
  throw new Error('the notifications were not delivered in time')
}

const acknowledgeAll = async (bench: Bench, server: Server, count: number): Promise<void> => {
  let next = 1
  const acknowledge = async (): Promise<void> => {
    for (let index = next++; index <= count; index = next++) {
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

type Bytes = { readonly tables: readonly { readonly name: string; readonly bytes: number }[]; readonly log: number }

const kilobytes = ({ value }: Sample): number => value / 1000

/** What is left of each payment once it is old, in tables without gaps; and what it costs to archive it. */
const measureArchive = async (database: Database, before: ReadonlyMap<string, number>, count: number) => {
  const sizeLeft = async () => {
    await database.query('vacuum full')
    const after = await tableBytes(database)
    return [...after].reduce((sum, [name, size]) => sum + Math.max(0, size - (before.get(name) ?? 0)), 0)
  }
  let [cleared, logBefore] = [0, 0]
  const { bytes, ms, broken } = await archivePayments(database, async () => {
    cleared = await sizeLeft()
    logBefore = await logPosition(database)
  })
  const log = (await logPosition(database)) - logBefore
  const left = await sizeLeft()
  const [row] = await database.query<{ archived: number }>(
    'select count(*)::integer as archived from archived_payments',
  )
  const text = `${row?.archived} of ${count} payments archived in ${(ms / 1000).toFixed(1)} s; ${broken.join(', ') || 'all invariants hold'}`
  return {
    cleared: { value: cleared / count },
    left: { value: left / count },
    files: { value: bytes / count },
    log: { value: log / count },
    check: { text, ok: row?.archived === count && broken.length === 0 },
  }
}

const measureOnce = async (bench: Bench, count: number) => {
  await using database = await bench.createDatabase()
  await using receiver = await startServer('bench/yardsticks/receiver.ts', {}, bench.signal)
  await addEndpoint(bench, database, receiver.url)
  await database.query('checkpoint')
  const [before, logBefore] = [await tableBytes(database), await logPosition(database)]
  await fillPayments(bench, database, count)
  await using server = await startPayin(database, bench.signal, loopback)
  bench.say(`P15: paying ${count} payments`)
  await payAll(database, server)
  await waitForDeliveries(bench, database)
  bench.say(`P15: acknowledging ${count} payments`)
  await acknowledgeAll(bench, server, count)
  const log = ((await logPosition(database)) - logBefore) / count
  const after = await tableBytes(database)
  const tables = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / count }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes)
  const [row] = await database.query<{ finished: number }>(
    `select count(*)::integer as finished from payments where status = 'paid' and acknowledged_at is not null`,
  )
  const text = `${row?.finished} of ${count} payments credited, notified and acknowledged`
  const details: Bytes = { tables, log }
  const checks = [{ text, ok: row?.finished === count }, await checkInvariants(server)]
  bench.say(`P15: archiving ${count} payments`)
  const archived = await measureArchive(database, before, count)
  return {
    stored: { value: tables.reduce((total, { bytes }) => total + bytes, 0), details },
    logged: { value: log },
    archived,
    checks: [...checks, archived.check],
  }
}

/**
 * P15: what a payment leaves behind once it is created, paid by a bank's report, credited, notified to one endpoint and
 * acknowledged: bytes of all tables with their indexes, and bytes of the write-ahead log; and what is left when it is old.
 */
export const bytes: Measure = {
  id: 'P15',
  title: 'bytes per finished payment',
  run: async (bench) => {
    const count = bench.quick ? 10_000 : 50_000
    const runs: Awaited<ReturnType<typeof measureOnce>>[] = []
    for (let round = 1; round <= bench.rounds; round++) runs.push(await measureOnce(bench, count))
    const stored = { name: 'tables and indexes', samples: runs.map((run) => run.stored) }
    const logged = { name: 'write-ahead log', samples: runs.map((run) => run.logged) }
    const largest = runs[0]?.stored.details.tables.slice(0, 12) ?? []
    return [
      {
        title: `${count} payments, each paid, notified once and acknowledged`,
        unit: 'bytes each',
        series: [
          stored,
          logged,
          { name: 'old, not archived', samples: runs.map((run) => run.archived.cleared) },
          { name: 'old, archived', samples: runs.map((run) => run.archived.left) },
          { name: 'archived in files', samples: runs.map((run) => run.archived.files) },
          { name: 'log of archiving', samples: runs.map((run) => run.archived.log) },
          ...largest.map(({ name, bytes: value }) => ({ name: `of it ${name}`, samples: [{ value }] })),
        ],
        verdicts: [
          { text: 'in the database', unit: 'kB', values: stored.samples.map(kilobytes), goal: { atMost: 4 } },
          { text: 'of log', unit: 'kB', values: logged.samples.map(kilobytes), goal: { atMost: 7 } },
        ],
        checks: runs.flatMap(({ checks }) => checks),
      },
    ]
  },
}
