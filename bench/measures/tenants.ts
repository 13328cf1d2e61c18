import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/process.ts'
import { compare, compareTime, type Finding, type Measure, type Sample, type Series } from '../measure.ts'
import { checkAnswers } from '../rig/check-creates.ts'
import { growTenants } from '../rig/grow.ts'
import { creating, underLoad } from '../rig/load.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { startPayin } from '../rig/payin.ts'
import { inspectable, residentBytes } from '../rig/resident-bytes.ts'
import { seedTenants } from '../rig/seed.ts'
import { takeTurns } from '../rig/take-turns.ts'

/** Connections to all tenants together: with the first, each of 200 tenants has about one create under way. */
const connectionCounts = [256, 1024]
/** With as many creates under way in each tenant, their sets are large enough to compare rates (decision 40). */
const manyPerTenant = 10
const paymentsInAll = 1_000_000
/** The jobs of a worker open all tenants within a few seconds. */
const openWithinMs = 10_000

/** The memory of an idle service on the database, and the seconds that its start took. */
const measureIdle = async (bench: Bench, database: Database): Promise<{ bytes: number; seconds: number }> => {
  const inspector = await freePort()
  const startedAt = performance.now()
  await using server = await startPayin(database, bench.signal, inspectable(inspector))
  const seconds = (performance.now() - startedAt) / 1000
  await sleep(openWithinMs)
  return { bytes: await residentBytes(server, inspector), seconds }
}

const single = (name: string, value: number): Series => ({ name, samples: [{ value } satisfies Sample] })

/**
 * P14: many tenants on one process and one PostgreSQL. Idle tenants cost memory and time at the start. The creates of
 * busy tenants share commits, but each tenant needs a separate query.
 */
export const tenants: Measure = {
  id: 'P14',
  isLong: true,
  title: 'tenants',
  run: async (bench) => {
    const count = bench.quick ? 20 : 200
    await using database = await bench.createDatabase()
    const alone = await measureIdle(bench, database)
    bench.say(`P14: adding ${count} tenants`)
    const seeded = await seedTenants(database, count, bench)
    await growTenants(bench, database, seeded, Math.round(paymentsInAll / (bench.quick ? 10 : 1) / count))
    const together = await measureIdle(bench, database)
    const each = (together.bytes - alone.bytes) / count / 1e6
    const idle: Finding = {
      title: `${count} idle tenants`,
      unit: 'MB',
      series: [
        single('memory of the process with main alone', alone.bytes / 1e6),
        single('with all', together.bytes / 1e6),
      ],
      verdicts: [
        { text: 'for each idle tenant', unit: 'MB', values: [each], goal: { atMost: 2 } },
        { text: 'to start', unit: 's', values: [together.seconds], goal: { atMost: 5 } },
      ],
      checks: [],
    }

    // A worker would be busy for an hour with indexing the loaded rows for the search.
    await using server = await startPayin(database, bench.signal, { PAYIN_ROLES: 'web' })
    const tokens = seeded.map(({ merchant }) => merchant.token)
    const busy: Finding[] = []
    for (const connections of connectionCounts) {
      const all = underLoad(bench, `${count} tenants at once`, server, creating(tokens.join(), connections))
      const one = underLoad(bench, 'one tenant', server, creating(tokens[0] ?? '', connections))
      // Sets as small as those of each tenant: what PostgreSQL does for a set is most of what a small one costs.
      const perTenant = Math.ceil(connections / count)
      const few = underLoad(bench, `one tenant, ${perTenant} at once`, server, creating(tokens[0] ?? '', perTenant))
      const series = await takeTurns(bench, `P14, ${connections} connections`, [all, one, few])
      const [crowd, alike, small] = series as [Series, Series, Series]
      busy.push({
        title: `creates, ${connections} connections`,
        unit: 'creates/s',
        series,
        verdicts: [
          compare('of one tenant', crowd, alike, perTenant < manyPerTenant ? undefined : { atLeast: 0.8 }),
          compareTime('the processor time of one tenant with sets as small', crowd, small, { atMost: 1.25 }),
        ],
        checks: [checkAnswers([...all.loads, ...one.loads, ...few.loads])],
      })
    }
    return [idle, ...busy]
  },
}
