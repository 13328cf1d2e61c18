import { compare, type Measure, type Sample, type Series, type Verdict } from '../measure.ts'
import { checkAnswers, refusedByBare } from '../rig/check-creates.ts'
import { compileSeconds, creating, type Load, type LoadPlan, runLoad, underLoad } from '../rig/load.ts'
import type { Bench } from '../rig/open-bench.ts'
import { payinEnvironment, startPayin } from '../rig/payin.ts'
import { type Server, startServer } from '../rig/processes.ts'
import { type Contender, takeTurns } from '../rig/take-turns.ts'

/** A contender like that of `underLoad`, but its figure is the median response time in milliseconds. */
const underLoadFor = (bench: Bench, name: string, server: Server, plan: LoadPlan) => {
  const { loads, run } = underLoad(bench, name, server, plan)
  const runForTime = async (seconds: number): Promise<Sample> => {
    const sample = await run(seconds)
    return { ...sample, value: (sample.details as Load).p50Ms }
  }
  return { name, loads, run: runForTime } satisfies Contender & { loads: Load[] }
}

const tail = ({ samples }: Series): Verdict => ({
  text: 'p99 to p50 under load',
  unit: '×',
  goal: { atMost: 4 },
  values: samples.map(({ details }) => (details as Load).p99Ms / (details as Load).p50Ms),
})

/**
 * P3: how long one create takes. Alone (one connection), it is compared with a minimal server, which uses one prepared
 * statement per request: everything else that Payin does must add little. Under the load of P1 (64 connections), the
 * 99th percentile must stay near the median: nothing stalls, and no request waits for more than the batch before its
 * own.
 */
export const latency: Measure = {
  id: 'P3',
  title: 'latency of a create',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using leastDatabase = await bench.createDatabase()
    await using payin = await startPayin(database, bench.signal)
    const environment = payinEnvironment(leastDatabase)
    await using leastServer = await startServer('bench/yardsticks/single-statement.ts', environment, bench.signal)

    for (const server of [payin, leastServer]) {
      bench.say('P3: warming up, so that no create waits for code to be compiled')
      await runLoad(bench, server, creating(bench.merchant.token, 64), compileSeconds)
    }
    const alone = creating(bench.merchant.token, 1)
    const subject = underLoadFor(bench, 'Payin', payin, alone)
    const least = underLoadFor(bench, 'single statement, minimal server', leastServer, alone)
    const aloneSeries = (await takeTurns(bench, 'P3', [subject, least])) as [Series, Series]
    const crowd = underLoadFor(bench, 'Payin', payin, creating(bench.merchant.token, 64))
    const crowdSeries = (await takeTurns(bench, 'P3', [crowd])) as [Series]
    return [
      {
        title: 'create, 1 connection',
        unit: 'p50 in ms',
        series: aloneSeries,
        verdicts: [compare('the single statement', ...aloneSeries, { atMost: 2 })],
        checks: [checkAnswers(subject.loads), checkAnswers(least.loads, refusedByBare)],
      },
      {
        title: 'create, 64 connections',
        unit: 'p50 in ms',
        series: crowdSeries,
        verdicts: [tail(crowdSeries[0])],
        checks: [checkAnswers(crowd.loads)],
      },
    ]
  },
}
