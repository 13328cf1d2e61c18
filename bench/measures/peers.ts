import { type Check, compare, type Finding, type Measure, type Sample, type Series, type Verdict } from '../measure.ts'
import { defaultFolder, isInstalled, type Medusa, openMedusa } from '../peers/open-medusa.ts'
import {
  connections,
  creatingInModule,
  creatingInStore,
  mostInStorePerSecond,
  type PeerContender,
  readingCollections,
  readingPayments,
} from '../peers/peer-load.ts'
import { checkAnswers } from '../rig/check-creates.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import { creating, underLoad } from '../rig/load.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { startPayin } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const id = 'P12'

/** Medusa is large: it is only installed if the measure is named, and never for a quick run. */
const isWanted = ({ quick }: Bench): boolean =>
  process.argv.some((word) => word.toUpperCase() === id) || (isInstalled(defaultFolder()) && !quick)

const skipped: Finding = {
  title: 'SKIPPED: no peer was measured',
  unit: '',
  series: [],
  verdicts: [],
  checks: [
    {
      text: `\`npm run bench -- ${id}\` installs Medusa (680 MB, see bench/peers/README.md) and measures it`,
      ok: true,
    },
  ],
}

/** Processor time per answer, of a service and PostgreSQL together. */
const costOf = ({ cpu, answers = 0 }: Sample): number =>
  ((cpu?.seconds.node ?? NaN) + (cpu?.seconds.postgres ?? NaN)) / answers

/** The same comparison by processor time, which other work on the machine distorts least. */
const compareCost = (subject: Series, peer: Series): Verdict => {
  const costs = ({ name, samples }: Series): Series => ({
    name,
    samples: samples.map((sample) => ({ value: costOf(sample) })),
  })
  return compare('the same by processor time', costs(peer), costs(subject))
}

const createEmptyDatabase = async (bench: Bench): Promise<Database> => {
  const database = await bench.createDatabase()
  await database.query('drop schema public cascade')
  await database.query('create schema public')
  return database
}

/** Every payment that Medusa answered has a session. The end of a load cuts off up to one answer per connection. */
const checkSessions = async (
  database: Database,
  { payments }: Medusa,
  { inModule, inStore }: Record<'inModule' | 'inStore', PeerContender>,
): Promise<Check> => {
  const [row] = await database.query<{ count: string }>('select count(*) from payment_session')
  const stored = Number(row?.count) - payments
  const sum = ({ loads }: PeerContender): number => loads.reduce((total, { answers }) => total + answers, 0)
  const created = sum(inModule) + Math.round(sum(inStore) / 2)
  const mostCut = (inModule.loads.length + inStore.loads.length) * connections
  const text = `Medusa answered ${created} payments and stored ${stored} sessions`
  return { text, ok: Math.abs(stored - created) <= mostCut }
}

const measureCreates = async (bench: Bench, payin: Server, medusa: Medusa, database: Database): Promise<Finding> => {
  const subject = underLoad(bench, 'Payin', payin, creating(bench.merchant.token, connections))
  const inModule = creatingInModule(bench, medusa)
  const inStore = creatingInStore(bench, medusa)
  const series = (await takeTurns(bench, id, [subject, inModule, inStore])) as [Series, Series, Series]
  return {
    title: `creates, ${connections} connections`,
    unit: 'creates/s',
    series,
    verdicts: [
      compare("Medusa's payment module", series[0], series[1], { atLeast: 20 }),
      compareCost(series[0], series[1]),
      compare("Medusa's store API, two requests each", series[0], series[2], { atLeast: 150 }),
      compareCost(series[0], series[2]),
    ],
    checks: [
      checkAnswers([...subject.loads, ...inModule.loads, ...inStore.loads]),
      await checkSessions(database, medusa, { inModule, inStore }),
    ],
  }
}

const measureReads = async (bench: Bench, payin: Server, medusa: Medusa): Promise<Finding> => {
  const subject = readingPayments(bench, 'Payin: payment details', payin, {
    path: '/api/v1/merchant/payments/byOrderId/poll-',
    payments: medusa.payments,
    token: bench.merchant.token,
  })
  const yardstick = readingCollections(bench, medusa)
  const series = (await takeTurns(bench, id, [subject, yardstick])) as [Series, Series]
  return {
    title: `reads, ${connections} connections, ${medusa.payments} payments`,
    unit: 'reads/s',
    series,
    verdicts: [compare("Medusa's", ...series, { atLeast: 20 }), compareCost(...series)],
    checks: [checkAnswers([...subject.loads, ...yardstick.loads])],
  }
}

/**
 * P12: creating and reading a payment, compared with a peer that is installed from npm: Medusa in production mode, with
 * one process and the same PostgreSQL as Payin. bench/peers/README.md explains the comparison.
 */
export const peers: Measure = {
  id,
  title: 'peers',
  run: async (bench) => {
    if (!isWanted(bench)) return [skipped]
    await using database = await bench.createDatabase()
    await using medusaDatabase = await createEmptyDatabase(bench)
    const carts = (bench.warmSeconds + bench.rounds * bench.loadSeconds) * mostInStorePerSecond
    const options = { ...bench, folder: defaultFolder(), databaseUrl: medusaDatabase.url, carts }
    await using medusa = await openMedusa(options)
    await fillPayments(bench, database, medusa.payments)
    await using payin = await startPayin(database, bench.signal)
    return [await measureCreates(bench, payin, medusa, medusaDatabase), await measureReads(bench, payin, medusa)]
  },
}
