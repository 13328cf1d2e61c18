import { day } from '../../src/rules/time.ts'
import { checkChanges } from '../../src/engine/invariants/check-changes.ts'
import { jobs } from '../../src/process/jobs/jobs.ts'
import type { Measure, Sample } from '../measure.ts'
import { checkInvariants } from '../rig/check-creates.ts'
import { addEndpoint, finishPayments } from '../rig/finish-payments.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { openPayin } from '../rig/payin.ts'
import { startServer } from '../rig/processes.ts'

/** Bytes of each table with its indexes and its out-of-line values, by name. */
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

type Bytes = { readonly tables: readonly { readonly name: string; readonly bytes: number }[]; readonly log: number }

const kilobytes = ({ value }: Sample): number => value / 1000

/** Jobs that delete or move what is old. */
const cleaning = ['remind-of-acks', 'clean-deliveries', 'archive-slots']

/** What remains of a payment after a hundred days, in tables without dead rows. */
const measureOld = async (database: Database, before: ReadonlyMap<string, number>, count: number) => {
  const service = await openPayin(database, { PAYIN_ROLES: 'web' }, () => Date.now() + 100 * day)
  let broken: string[]
  try {
    for (const name of cleaning) {
      const job = jobs.find((each) => each.name === name)
      while (job && (await job.run(service.context)) > 0);
    }
    const { checks } = await checkChanges(service.context, true)
    broken = checks.filter((check) => check.broken > 0).map(({ name }) => name)
  } finally {
    await service.stop()
  }
  await database.query('vacuum full')
  const after = await tableBytes(database)
  const left = [...after].reduce((sum, [name, size]) => sum + Math.max(0, size - (before.get(name) ?? 0)), 0)
  const text = `after a hundred days ${broken.join(', ') || 'all invariants hold'}`
  return { left: { value: left / count }, check: { text, ok: broken.length === 0 } }
}

const measureNew = async (bench: Bench, count: number, endpoint: string) => {
  await using database = await bench.createDatabase()
  await addEndpoint(bench, database, endpoint)
  await database.query('checkpoint')
  const [before, logBefore] = [await tableBytes(database), await logPosition(database)]
  const { log, after, invariants } = await finishPayments(
    bench,
    database,
    { first: 1, count },
    {
      last: async (server) => ({
        log: ((await logPosition(database)) - logBefore) / count,
        after: await tableBytes(database),
        invariants: await checkInvariants(server),
      }),
    },
  )
  const tables = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / count }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes)
  const [row] = await database.query<{ finished: number }>(
    `select count(*)::integer as finished from payments where status = 'paid' and acknowledged_at is not null`,
  )
  const text = `${row?.finished} of ${count} payments credited, notified and acknowledged`
  const details: Bytes = { tables, log }
  bench.say(`P15: a hundred days later`)
  const old = await measureOld(database, before, count)
  return {
    stored: { value: tables.reduce((total, { bytes }) => total + bytes, 0), details },
    logged: { value: log },
    old: old.left,
    checks: [{ text, ok: row?.finished === count }, invariants, old.check],
  }
}

/** Twice: pages that the first run has emptied can only be used after the second. */
const vacuum = async (database: Database): Promise<void> => {
  await database.query('vacuum')
  await database.query('vacuum')
}

const total = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, size) => sum + size, 0)

/**
 * Measures payments that follow others whose dead rows were vacuumed: how much the database grows, with the log of the
 * next vacuum; and how much log is written with a checkpoint before each step, plain and with `wal_compression`.
 */
const measureFollowing = async (bench: Bench, count: number, endpoint: string) => {
  await using database = await bench.createDatabase()
  await addEndpoint(bench, database, endpoint)
  let first = 1
  const finish = async (before?: () => Promise<void>): Promise<number> => {
    const from = await logPosition(database)
    const options = { last: async () => logPosition(database), ...(before && { before }) }
    const log = (await finishPayments(bench, database, { first, count }, options)) - from
    first += count
    return log
  }
  const checkpoint = async (): Promise<void> => void (await database.query('checkpoint'))
  await finish()
  await vacuum(database)
  const [size, log] = [total(await tableBytes(database)), await logPosition(database)]
  await finish()
  await vacuum(database)
  const followed = { size: total(await tableBytes(database)) - size, log: (await logPosition(database)) - log }
  const checkpointed = await finish(checkpoint)
  const [name] = await database.query<{ name: string }>('select current_database() as name')
  await database.query(`alter database ${name?.name} set wal_compression = on`)
  const compressed = await finish(checkpoint)
  return {
    stored: { value: followed.size / count },
    logged: { value: followed.log / count },
    checkpointed: { value: checkpointed / count },
    compressed: { value: compressed / count },
  }
}

const measureOnce = async (bench: Bench, count: number) => {
  await using receiver = await startServer('bench/yardsticks/receiver.ts', {}, bench.signal)
  const fresh = await measureNew(bench, count, receiver.url)
  return { ...fresh, following: await measureFollowing(bench, count / 2, receiver.url) }
}

/**
 * P15: what a payment leaves in the database once it is created, paid by a bank's report, credited, notified to one
 * endpoint and acknowledged: bytes of all tables with their indexes, and of the write-ahead log. Also measured where
 * the space of dead rows is used again, and for old payments.
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
          { name: 'following a vacuum', samples: runs.map((run) => run.following.stored) },
          { name: 'its log', samples: runs.map((run) => run.following.logged) },
          { name: 'log, checkpoints', samples: runs.map((run) => run.following.checkpointed) },
          { name: 'the same compressed', samples: runs.map((run) => run.following.compressed) },
          { name: 'old', samples: runs.map((run) => run.old) },
          ...largest.map(({ name, bytes: value }) => ({ name: `of it ${name}`, samples: [{ value }] })),
        ],
        verdicts: [
          // docs/decisions/0011-growth.md
          { text: 'in the database', unit: 'kB', values: stored.samples.map(kilobytes), goal: { atMost: 5.5 } },
          {
            text: 'of an old one',
            unit: 'kB',
            values: runs.map((run) => kilobytes(run.old)),
            goal: { atMost: 4.5 },
          },
          {
            text: 'of log',
            unit: 'kB',
            values: logged.samples.map(kilobytes),
            // Among more payments, PostgreSQL logs whole pages of the search index when it splits them.
            goal: { atMost: bench.quick ? 9.5 : 9.8 },
          },
        ],
        checks: runs.flatMap(({ checks }) => checks),
      },
    ]
  },
}
