import type { Finding, Measure, Sample, Series } from '../measure.ts'
import { grow } from '../rig/grow.ts'
import { growBusiness } from '../rig/grow-business.ts'
import { growDisputes } from '../rig/grow-disputes.ts'
import { growSearchEntries } from '../rig/grow-search-entries.ts'
import { growTransfers } from '../rig/grow-transfers.ts'
import type { Bench } from '../rig/open-bench.ts'
import { askOperator, startPayin } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'

const goalSeconds = 0.3

/**
 * Requests of operators. `:n` becomes a different number each time, `:merchant` the merchant's id, and `:today`,
 * `:week` and `:month` whole hours in the past.
 */
const questions: Readonly<Record<string, string>> = {
  'the overview: what waits': 'overview',
  'the overview: payments of today': 'overview/payments?from=:today',
  'the overview: payments of 7 days': 'overview/payments?from=:week',
  'the overview: payments of 30 days': 'overview/payments?from=:month',
  'the overview: payments of a merchant, 30 days': 'overview/payments?from=:month&merchantId=:merchant',
  'find an order': 'search?q=poll-:n',
  'find the beginning of orders': 'search?q=poll-1',
  'find an amount': 'search?q=5:n.00',
  'find an amount and last digits': 'search?q=5:n.00%20:n',
  'find last digits': 'search?q=:n',
  'find a bank reference': 'search?q=FT-9:n',
  'find what is not there': 'search?q=nobody%20:n',
  'a payment by its order': 'resolve?kind=payment&text=poll-:n',
  'a transfer by its bank reference': 'resolve?kind=transfer&text=FT-9:n',
  'list payments': 'payments?limit=100',
  'list unacknowledged payments': 'payments?acknowledged=false&limit=100',
  'list transfers': 'transfers?limit=100',
  'list the inbox': 'transfers?unmatched=true&limit=100',
  'list failed payments': 'payments?status=failed&limit=100',
  'list payments of an amount': 'payments?currency=rub&amountFrom=:n&amountTo=:n&limit=100',
  'list late payments, the oldest first': 'payments?unusual=late&sort=oldest&limit=100',
  'list payments of one user': 'payments?userId=user-:n&limit=100',
  'list payments of a time': 'payments?from=2026-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&limit=100',
  'list the largest payments': 'payments?currency=rub&sort=-amount&limit=100',
  'list the largest payments of a status': 'payments?status=failed&currency=rub&sort=-amount&limit=100',
  'list the smallest payments of a time': 'payments?from=2026-01-01T00:00:00Z&currency=rub&sort=amount&limit=100',
  'list the largest unacknowledged payments': 'payments?acknowledged=false&currency=rub&sort=-amount&limit=100',
  'count payments': 'payments?method=sbp&limit=1&count=true',
  'list transfers of an amount': 'transfers?currency=rub&amountFrom=:n&amountTo=:n&limit=100',
  'list transfers of a merchant that were late': 'transfers?merchantId=:merchant&unusual=late&limit=100',
  'list transfers for disputed payments': 'transfers?unusual=disputed&limit=100',
  'list the inbox of an amount, the oldest first':
    'transfers?unmatched=true&currency=rub&amountFrom=:n&amountTo=:n&sort=oldest&limit=100',
  'list transfers of a sender': 'transfers?sender=7999123:n&limit=100',
  'list transfers of a statement': 'transfers?statementId=:merchant&limit=100',
  'list the disputes that are due next': 'disputes?state=undecided&limit=100',
  'list the largest undecided disputes': 'disputes?state=undecided&currency=rub&sort=-amount&limit=100',
  'list the largest disputes': 'disputes?currency=rub&sort=-amount&limit=100',
  'list rejected disputes, the oldest first': 'disputes?state=rejected&sort=oldest&limit=100',
  'count the inbox': 'transfers?unmatched=true&limit=1&count=true',
  'count ignored transfers': 'transfers?kind=ignored&limit=1&count=true',
  'list overpayments': 'overpayments?limit=100',
  'list reversals': 'reversals?limit=100',
  'list claims': 'claims?limit=100',
  'list outgoing transfers': 'outgoing?limit=100',
  'list unexplained outgoing transfers': 'outgoing?state=unexplained&limit=100',
  'list outgoing fees': 'outgoing?purpose=fee&limit=100',
  'list requisites': 'requisites?limit=100',
  'the health of requisites': 'requisites/health?limit=100',
  'list automatic pauses': 'requisites/pauses?limit=100',
  'list merchants': 'merchants',
  'list decisions about payers': 'risk/decisions?limit=100',
  'list blocked payers': 'risk/blocks?limit=100',
  'list open alerts': 'alerts?limit=100',
  'list alerts of the past': 'alerts?open=false&limit=100',
  'list the audit': 'audit?limit=100',
  'find in the audit what one did, seldom': 'audit/entries?actor=operator:rare&limit=100',
  'find in the audit what nobody did': 'audit/entries?actor=nobody&limit=100',
  'list the journal': 'ledger/journal?limit=100',
  'list the journal of an account': 'ledger/journal?account=suspense&limit=100',
  'list the journal of an account without entries': 'ledger/journal?account=rounding&limit=100',
  'list the journal of a kind without entries': 'ledger/journal?kind=ignore&limit=100',
  'the balances of the ledger of a merchant': 'ledger/balances?merchantId=:merchant',
  'the trial balance': 'ledger/trial-balance',
  'reconcile the accounts': 'ledger/reconciliation?limit=100',
  'list settlements': 'settlements?limit=100',
  'list settlements to approve': 'settlements?status=draft&limit=100',
  'list adjustments': 'ledger/adjustments?limit=100',
  'list statements': 'statements?limit=100',
  'list decisions about transfers': 'decisions?limit=100',
  'list rates': 'rates',
  'the history of a rate': 'rates/rub/history',
  'list members': 'members',
  'endpoints that fail': 'endpoints/troubled',
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN

const hourMs = 60 * 60 * 1000
const hoursAgo = (hours: number): string => new Date((Math.floor(Date.now() / hourMs) - hours) * hourMs).toISOString()

const pathOf = (bench: Bench, path: string, n: number): string =>
  path
    .replaceAll(':merchant', bench.merchant.id)
    .replaceAll(':month', hoursAgo(30 * 24))
    .replaceAll(':week', hoursAgo(7 * 24))
    .replaceAll(':today', hoursAgo(24))
    .replaceAll(':n', String(1000 + ((n * 7919) % 9000)))

/** Sends the same request repeatedly, one at a time; the figure is the 99th percentile in milliseconds. */
const ask = async (bench: Bench, server: Server, path: string, times: number): Promise<Sample> => {
  const spent: number[] = []
  for (let n = 0; n < times; n++) {
    bench.signal.throwIfAborted()
    const started = performance.now()
    await askOperator(server, pathOf(bench, path, n))
    spent.push(performance.now() - started)
  }
  return { value: percentile(spent, 0.99), details: { p50Ms: percentile(spent, 0.5), times } }
}

/** Whether the search finds the last payment and transfer by their words; otherwise its figures mean nothing. */
const isFound = async (server: Server, count: number): Promise<boolean> => {
  const found = await Promise.all(
    [`user-${count % 100_000} poll-${count}`, `FT-${count}`].map((words) =>
      askOperator(server, `search?q=${encodeURIComponent(words)}`),
    ),
  )
  return found.every((answer) => (answer as { results: readonly unknown[] }).results.length > 0)
}

/**
 * P13: requests of operators with a year of business in the database: a million payments and a million transfers, of
 * which every tenth waits. Proves that each request uses an index. Reading one payment shows what any request costs at
 * least.
 */
export const operatorLists: Measure = {
  id: 'P13',
  title: 'lists, search and overview of operators',
  run: async (bench): Promise<Finding[]> => {
    const count = bench.quick ? 100_000 : 1_000_000
    await using database = await bench.createDatabase()
    await grow(bench, database, count)
    await growTransfers(bench, database, count)
    await growDisputes(bench, database)
    await growBusiness(bench, database)
    await growSearchEntries(bench, database)
    await using server = await startPayin(database, bench.signal)
    const [one] = await database.query<{ id: string }>('select id from payments limit 1')
    const all: readonly (readonly [string, string])[] = [
      ['one payment by its id', `payments/${bench.merchant.id}/${one?.id ?? ''}`],
      ...Object.entries(questions),
    ]
    const isSearched = await isFound(server, count)
    const series: Series[] = []
    for (const [name, path] of all) {
      bench.say(`P13: ${name}`)
      await ask(bench, server, path, 5)
      series.push({ name, samples: [await ask(bench, server, path, bench.quick ? 50 : 200)] })
    }
    return [
      {
        title: `${count} payments, ${count} transfers, ${count / 10} waiting`,
        unit: 'p99 in ms',
        series,
        verdicts: series.slice(1).map(({ name, samples }) => ({
          text: name,
          unit: 's',
          values: samples.map(({ value }) => value / 1000),
          goal: { atMost: goalSeconds },
        })),
        checks: [{ text: 'the search finds a payment and a transfer by their words', ok: isSearched }],
      },
    ]
  },
}
