import { type Check, compare, compareTime, type Measure, type Series } from '../measure.ts'
import { checkAnswers, checkInvariants, checkRows, refusedByBare } from '../rig/check-creates.ts'
import { compileSeconds, creating, underLoad } from '../rig/load.ts'
import { payinEnvironment, startPayin } from '../rig/payin.ts'
import { measurePgbench } from '../rig/pgbench.ts'
import { startServer } from '../rig/processes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const fewConnections = 64
const manyConnections = 256

/**
 * P1: how many payments per second one process creates durably over HTTP, with authentication, validation, slot and
 * event. The limit is a bare server that writes the same rows with the same coalescing (`group-commit`); the difference
 * is the cost of our own code. A server that runs a separate transaction per request shows how much coalescing gains.
 * Two more figures are for reference: the same service without the inserts, and pgbench, which writes one payment per
 * statement without HTTP.
 */
export const durableCreates: Measure = {
  id: 'P1',
  title: 'durable creates through the HTTP API',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using bareDatabase = await bench.createDatabase()
    await using usualDatabase = await bench.createDatabase()
    await using idleDatabase = await bench.createDatabase()
    await using pgbenchDatabase = await bench.createDatabase()
    await using payin = await startPayin(database, bench.signal)
    const start = (name: string, { url }: { url: string }) =>
      startServer(`bench/yardsticks/${name}.ts`, payinEnvironment({ url }), bench.signal)
    await using bareServer = await start('group-commit', bareDatabase)
    await using usualServer = await start('usual-way', usualDatabase)
    await using idleServer = await start('without-database', idleDatabase)

    const against = (connections: number, warmSeconds: number) => {
      const plan = creating(bench.merchant.token, connections)
      return [
        { ...underLoad(bench, 'Payin', payin, plan), warmSeconds },
        { ...underLoad(bench, 'limit: a bare server', bareServer, plan), warmSeconds },
      ] as const
    }
    const [subject, limit] = against(fewConnections, compileSeconds)
    const plan = creating(bench.merchant.token, fewConnections)
    const usual = underLoad(bench, 'usual way: a transaction each', usualServer, plan)
    const idle = underLoad(bench, 'reference: without a database', idleServer, plan)
    const pgbench = {
      name: 'reference: pgbench, no HTTP',
      isWarm: true,
      run: (seconds: number) => measurePgbench(bench, pgbenchDatabase, seconds),
    }
    const contenders = [subject, limit, usual, idle, pgbench]
    const series = (await takeTurns(bench, 'P1', contenders)) as [Series, Series, Series, Series, Series]
    const [many, manyLimit] = against(manyConnections, bench.warmSeconds)
    const manySeries = (await takeTurns(bench, 'P1', [many, manyLimit])) as [Series, Series]
    const [stored] = await idleDatabase.query<{ count: string }>('select count(*) from payments')
    const storedNothing: Check = { text: 'the server without a database stored nothing', ok: stored?.count === '0' }
    const own = [...subject.loads, ...many.loads]
    const open = subject.loads.length * fewConnections + many.loads.length * manyConnections
    return [
      {
        title: `creates, ${fewConnections} connections`,
        unit: 'creates/s',
        series,
        verdicts: [
          compare('of the limit', series[0], series[1], { atLeast: 0.45 }),
          compareTime('its processor time', series[0], series[1], { atMost: 2 }),
          compare('the usual way', series[0], series[2], { atLeast: 10 }),
          compare('the same server without a database', series[0], series[3]),
          compare('pgbench with one statement per payment', series[0], series[4]),
        ],
        checks: [
          checkAnswers([...own, ...usual.loads, ...idle.loads]),
          checkAnswers([...limit.loads, ...manyLimit.loads], refusedByBare),
          await checkRows(database, own, open),
          await checkInvariants(payin),
          storedNothing,
        ],
      },
      {
        title: `creates, ${manyConnections} connections`,
        unit: 'creates/s',
        series: manySeries,
        verdicts: [
          compare('of the limit', ...manySeries, { atLeast: 0.45 }),
          compareTime('its processor time', ...manySeries, { atMost: 2 }),
        ],
        checks: [],
      },
    ]
  },
}
