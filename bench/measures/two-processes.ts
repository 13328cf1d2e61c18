import { cpus } from 'node:os'
import { type Check, compare, type Measure, type Sample, type Series } from '../measure.ts'
import { checkAnswers, checkInvariants, checkRows } from '../rig/check-creates.ts'
import { watchCpu } from '../rig/cpu.ts'
import { creating, type Load, runLoad, underLoad } from '../rig/load.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { startPayin } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const connections = 64

/** Few enough that the processes often want the same slot, and enough that the slots last for the load. */
const contendedAmounts = 200
const contendedSeconds = 2

/** Both servers as one contender: they share the connections, and their answers are added up. */
const underLoadTogether = (bench: Bench, name: string, servers: readonly Server[], amounts?: number) => {
  const loads: Load[] = []
  const plan = creating(bench.merchant.token, connections / servers.length, amounts)
  const run = async (seconds: number): Promise<Sample> => {
    const watched = { pids: servers.flatMap((server) => server.pids), postmaster: bench.postmaster }
    const work = () => Promise.all(servers.map((server) => runLoad(bench, server, plan, seconds)))
    const { result, cpu } = await watchCpu(watched, cpus().length, work)
    loads.push(...result)
    const value = result.reduce((total, load) => total + (load.answers - load.refused) / load.seconds, 0)
    const answers = result.reduce((total, load) => total + load.answers, 0)
    return { value, answers, cpu, details: result }
  }
  return { name, loads, run }
}

/** Every payment holds the one slot of its account and amount, and no slot lacks a payment. */
const checkSlots = async (database: Database): Promise<Check> => {
  const [row] = await database.query<Record<'payments' | 'different' | 'slots' | 'held', string>>(
    `select (select count(*) from payments) as payments,
      (select count(distinct (requisite_id, amount)) from payments) as different,
      (select count(*) from slots) as slots,
      (select count(*) from slots join payments on payments.merchant_id = slots.merchant_id
        and payments.id = slots.payment_id and payments.requisite_id = slots.requisite_id
        and payments.amount = slots.amount) as held`,
  )
  const { payments = '', different = '', slots = '', held = '' } = row ?? {}
  const text = `${payments} payments with ${different} different slots, ${slots} slots stored, ${held} held by their payment`
  return { text, ok: payments === different && different === slots && slots === held }
}

/**
 * P9: two web processes on one PostgreSQL. Proves that the database arbitrates: no slot is given twice or lost, even if
 * the payments of both compete for few amounts. The throughput is only reported, next to that of one process with as
 * many connections: on two cores it cannot grow, because one process and the database use both.
 */
export const twoProcesses: Measure = {
  id: 'P9',
  title: 'two web processes on one PostgreSQL',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using first = await startPayin(database, bench.signal)
    await using second = await startPayin(database, bench.signal)

    const together = underLoadTogether(bench, 'two processes', [first, second])
    const alone = underLoad(bench, 'one process', first, creating(bench.merchant.token, connections))
    const series = (await takeTurns(bench, 'P9', [together, { ...alone, isWarm: true }])) as [Series, Series]

    bench.say('P9: two processes compete for slots')
    const contended = underLoadTogether(bench, 'two processes', [first, second], contendedAmounts)
    const fight = { name: contended.name, samples: [await contended.run(contendedSeconds)] }
    const loads = [...together.loads, ...alone.loads, ...contended.loads]
    return [
      {
        title: `creates, ${connections} connections`,
        unit: 'creates/s',
        series,
        verdicts: [compare('one process', ...series)],
        checks: [],
      },
      {
        title: `creates that compete for slots, ${contendedAmounts} amounts`,
        unit: 'creates/s',
        series: [fight],
        verdicts: [],
        checks: [
          checkAnswers(loads),
          await checkRows(database, loads, loads.length * connections),
          await checkSlots(database),
          await checkInvariants(first),
        ],
      },
    ]
  },
}
