import { type Check, compare, type Measure, type Series } from '../measure.ts'
import { checkAnswers, checkInvariants, checkRows } from '../rig/check-creates.ts'
import { creating, underLoad } from '../rig/load.ts'
import { payinEnvironment, startPayin } from '../rig/payin.ts'
import { measurePgbench } from '../rig/pgbench.ts'
import { startServer } from '../rig/processes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const connections = 64

/**
 * P1: how many payments a second one process creates durably through the whole HTTP API, authenticated, validated, with
 * slot and event. Proves that the database costs little compared with HTTP (against the same server whose inserts never
 * reach a database) and what going together gains (against a server that runs a transaction of separate statements per
 * request). pgbench, which writes the same rows one payment a statement without any HTTP, is for reference.
 */
export const durableCreates: Measure = {
  id: 'P1',
  title: 'durable creates through the HTTP API',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using limitDatabase = await bench.createDatabase()
    await using usualDatabase = await bench.createDatabase()
    await using pgbenchDatabase = await bench.createDatabase()
    await using payin = await startPayin(database, bench.signal)
    const start = (name: string, { url }: { url: string }) =>
      startServer(`bench/yardsticks/${name}.ts`, payinEnvironment({ url }), bench.signal)
    await using limitServer = await start('without-database', limitDatabase)
    await using usualServer = await start('usual-way', usualDatabase)

    const plan = creating(bench.merchant.token, connections)
    const subject = underLoad(bench, 'Payin', payin, plan)
    const limit = underLoad(bench, 'limit: without a database', limitServer, plan)
    const usual = underLoad(bench, 'usual way: a transaction each', usualServer, plan)
    const pgbench = {
      name: 'reference: pgbench, no HTTP',
      isWarm: true,
      run: (seconds: number) => measurePgbench(bench, pgbenchDatabase, seconds),
    }
    const contenders = [subject, limit, usual, pgbench]
    const series = (await takeTurns(bench, 'P1', contenders)) as [Series, Series, Series, Series]
    const [stored] = await limitDatabase.query<{ count: string }>('select count(*) from payments')
    const isLimit: Check = { text: 'the limit stored nothing', ok: stored?.count === '0' }
    return [
      {
        title: `creates, ${connections} connections`,
        unit: 'creates/s',
        series,
        verdicts: [
          compare('of the limit', series[0], series[1], { atLeast: 0.6 }),
          compare('the usual way', series[0], series[2], { atLeast: 10 }),
          compare('pgbench with one statement per payment', series[0], series[3]),
        ],
        checks: [
          checkAnswers([...subject.loads, ...limit.loads, ...usual.loads]),
          await checkRows(database, subject.loads, subject.loads.length * connections),
          await checkInvariants(payin),
          isLimit,
        ],
      },
    ]
  },
}
