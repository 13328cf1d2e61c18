import { freePort } from '../../test/support/process.ts'
import { compare, type Measure, type Series } from '../measure.ts'
import { checkAnswers } from '../rig/check-creates.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import { grow } from '../rig/grow.ts'
import { creating, type LoadPlan, underLoad } from '../rig/load.ts'
import { startPayin } from '../rig/payin.ts'
import { inspectable, residentBytes } from '../rig/resident-bytes.ts'
import { takeTurns } from '../rig/take-turns.ts'

const connections = 64
const fewPayments = 20_000

/**
 * P4: creating and polling cost the same with ten million payments in the database as with almost none, and the process
 * needs no more memory. Merchants poll their newest payments, so those are compared. The two services are measured in
 * turn, so that other work on the machine affects both.
 */
export const growth: Measure = {
  id: 'P4',
  title: 'growth',
  run: async (bench) => {
    const count = bench.quick ? 100_000 : 10_000_000
    await using small = await bench.createDatabase()
    await using large = await bench.createDatabase()
    await fillPayments(bench, small, fewPayments)
    await grow(bench, large, count)
    const [smallPort, largePort] = [await freePort(), await freePort()]
    await using ofSmall = await startPayin(small, bench.signal, inspectable(smallPort))
    await using ofLarge = await startPayin(large, bench.signal, inspectable(largePort))
    const polling = (orders: number, newest: number): LoadPlan => ({
      script: 'poll',
      connections,
      environment: {
        LOAD_TOKEN: bench.merchant.token,
        LOAD_ORDERS: String(orders),
        LOAD_NEWEST: String(newest),
        LOAD_PATH: '/api/v1/merchant/payments/byOrderId/',
      },
    })
    const plan = creating(bench.merchant.token, connections)
    const creates = [
      underLoad(bench, `with ${count} payments`, ofLarge, plan),
      underLoad(bench, 'with almost none', ofSmall, plan),
    ]
    const created = (await takeTurns(bench, 'P4', creates)) as [Series, Series]
    // Before the polls, because the large one answers twice as many.
    const memory = (await residentBytes(ofLarge, largePort)) / (await residentBytes(ofSmall, smallPort))
    const polls = [
      underLoad(bench, `the newest of ${count} payments`, ofLarge, polling(count, fewPayments)),
      underLoad(bench, `all of ${fewPayments}`, ofSmall, polling(fewPayments, fewPayments)),
      underLoad(bench, `any of ${count}, mostly not in memory`, ofLarge, polling(count, count)),
    ]
    const polled = (await takeTurns(bench, 'P4', polls)) as [Series, Series, Series]
    return [
      {
        title: `creates, ${connections} connections`,
        unit: 'creates/s',
        series: created,
        verdicts: [
          compare('of those with almost no payments', created[0], created[1], { atLeast: 0.9 }),
          { text: 'the memory of the process', unit: '×', values: [memory], goal: { atMost: 1.2 } },
        ],
        checks: [checkAnswers(creates.flatMap(({ loads }) => loads))],
      },
      {
        title: `status polls, ${connections} connections`,
        unit: 'polls/s',
        series: polled,
        verdicts: [
          compare('of those with few payments', polled[0], polled[1], { atLeast: 0.9 }),
          compare('of those with few, for payments of any age', polled[2], polled[1]),
        ],
        checks: [checkAnswers(polls.flatMap(({ loads }) => loads))],
      },
    ]
  },
}
