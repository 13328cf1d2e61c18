import { compare, type Finding, type Measure, type Series } from '../measure.ts'
import { checkAnswers } from '../rig/check-creates.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import { type LoadPlan, underLoad } from '../rig/load.ts'
import type { Bench } from '../rig/open-bench.ts'
import { payinEnvironment, startPayin } from '../rig/payin.ts'
import { type Server, startServer } from '../rig/processes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const payments = 20_000

const polling = ({ merchant }: Bench, connections: number, path: string): LoadPlan => ({
  script: 'poll',
  connections,
  environment: { LOAD_TOKEN: merchant.token, LOAD_ORDERS: String(payments), LOAD_PATH: path },
})

const measureAt = async (
  bench: Bench,
  { payin, limit }: { readonly payin: Server; readonly limit: Server },
  connections: number,
  isWarm: boolean,
): Promise<Finding> => {
  const status = polling(bench, connections, '/api/v1/merchant/payments/byOrderId/')
  const subject = underLoad(bench, 'Payin', payin, status)
  const constant = underLoad(bench, 'limit: a constant after auth', limit, polling(bench, connections, '/constant/'))
  const contenders = [subject, constant].map((each) => ({ ...each, isWarm }))
  const series = (await takeTurns(bench, 'P2', contenders)) as [Series, Series]
  return {
    title: `status polls, ${connections} connections, ${payments} payments`,
    unit: 'polls/s',
    series,
    verdicts: [compare('of the limit', series[0], series[1], { atLeast: 0.5 })],
    checks: [checkAnswers([...subject.loads, ...constant.loads])],
  }
}

/**
 * P2: how many status polls by orderId one process answers per second, each read from the database. Shows that the read
 * costs little compared with HTTP: the limit is the same server answering a constant after authentication.
 */
export const statusPolls: Measure = {
  id: 'P2',
  title: 'status polls',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await fillPayments(bench, database, payments)
    await using payin = await startPayin(database, bench.signal)
    const environment = payinEnvironment(database)
    await using limit = await startServer('bench/yardsticks/constant-status.ts', environment, bench.signal)
    const servers = { payin, limit }
    return [await measureAt(bench, servers, 64, false), await measureAt(bench, servers, 256, true)]
  },
}
