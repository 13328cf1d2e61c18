// Reading a ledger that is large: what is asked for is what is read, and a check may take its time.
import assert from 'node:assert/strict'
import pg from 'pg'
import type { Context } from '../../src/engine/context.ts'
import type { Query } from 'payin-database'
import { finalUntil, serviceBook } from '../../src/rules/money/ledger.ts'
import { day, hour } from '../../src/rules/time.ts'
import { checkInvariants } from '../../src/engine/invariants/check-invariants.ts'
import { exportJournal, openAccountStatement } from '../../src/engine/ledger/export-journal.ts'
import { listAnnounced } from '../../src/engine/transfers/outgoing/store.ts'
import { exceptOnCitus } from '../support/citus.ts'
import { openOperator } from '../support/operator.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

/** Adds postings to a book, one a millisecond from a time on, that cancel each other. */
const fill = (service: TestService, book: string, count: number, from: number) =>
  runSql(
    service,
    `insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount,
        posted_at)
      select '${book}', (lpad(to_hex(${from} + n), 12, '0') || substr(md5(n::text), 1, 20))::uuid, gen_random_uuid(),
        'credit', case n % 2 when 0 then 'fees' else 'rounding' end, case n % 2 when 0 then 'rounding' else 'fees' end,
        'USDT', 1, to_timestamp((${from} + n) / 1000.0)
      from generate_series(1, ${count}) as n`,
  )

/** The context of a service that counts the rows of a table which its queries read, by the plans that it keeps. */
const counting = async (service: TestService, table: string) => {
  const client = new pg.Client({ connectionString: service.context.settings.databaseUrl })
  await client.connect()
  await client.query('set enable_seqscan = off')
  const prepared = new Set<string>()
  let read = 0
  type Node = Record<string, unknown> & { readonly Plans?: readonly Node[] }
  const count = (node: Node): void => {
    if (node['Relation Name'] === table)
      read += Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)
    for (const child of node.Plans ?? []) count(child)
  }
  const query = async <P, R>(wanted: Query<P, R>, parameters: P): Promise<R[]> => {
    if (!prepared.has(wanted.name)) await client.query(`prepare ${wanted.name} as ${wanted.text}`)
    prepared.add(wanted.name)
    const plans = wanted.planned === 'once' ? 'force_generic_plan' : 'force_custom_plan'
    await client.query(`set plan_cache_mode = ${plans}`)
    const values = wanted.encode(parameters).map((value) => (value === null ? 'null' : pg.escapeLiteral(value)))
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, format json) execute ${wanted.name} (${values.join()})`,
    )
    for (const row of rows) count(row['QUERY PLAN'][0].Plan)
    return service.context.query(wanted, parameters)
  }
  const context: Context = { ...service.context, query }
  return { context, read: () => read, [Symbol.asyncDispose]: () => client.end() }
}

const onPlainPostgres = exceptOnCitus('the plans of a Citus are on its other nodes', onPostgres)

onPlainPostgres('the journal of a recent day reads that day, of every book', async (service) => {
  const { merchantId } = await openShop(service)
  const now = service.clock.now
  for (const book of [serviceBook, merchantId]) {
    await fill(service, book, 20_000, now - 30 * day)
    await fill(service, book, 40, now - hour)
    await fill(service, book, 10_000, now - 10 * day)
  }
  await runSql(service, 'analyze ledger_postings')
  await using counted = await counting(service, 'ledger_postings')
  const spanOf = (from: number, to: number) => ({ merchantId: null, mode: 'live' as const, from, to })
  const recent = []
  for await (const row of exportJournal(counted.context, spanOf(now - 2 * hour, now))) recent.push(row.merchantId)
  assert.deepEqual(recent.toSorted(), [...Array(40).fill(serviceBook), ...Array(40).fill(merchantId)])
  const afterRecent = counted.read()
  assert.ok(afterRecent < 200, `${afterRecent} rows read`)
  const former = await Array.fromAsync(exportJournal(counted.context, spanOf(now - 10 * day, now - 9 * day)))
  assert.equal(former.length, 20_000)
  assert.ok(counted.read() - afterRecent < 20_200, `${counted.read() - afterRecent} rows read`)
})

onPlainPostgres('refunds that were announced are found by their amount among a hundred thousand', async (service) => {
  const { merchantId, ...shop } = await openShop(service, { perMethod: 1 })
  const { body } = await shop.create('owed')
  const requisiteId: string = body.card.id
  const now = service.clock.now
  await runSql(
    service,
    `insert into overpayment_decisions (merchant_id, id, payment_id, reference, decision, currency, amount, requisite_id,
        booked_at, reason, decided_by, decided_at)
      select '${merchantId}', gen_random_uuid(), '${body.payment.id}', n::text, 'refund', 'rub', 1 + n % 50000,
        '${requisiteId}', to_timestamp(${now} / 1000.0 - n), 'test', 'anna', now()
      from generate_series(1, 100000) as n`,
  )
  await runSql(service, 'analyze overpayment_decisions')
  await using counted = await counting(service, 'overpayment_decisions')
  const span = { since: now - 7 * day, until: now + 7 * day }
  const found = await counted.context.query(listAnnounced, { requisiteIds: [requisiteId], amounts: [77n], ...span })
  assert.equal(found.length, 2)
  assert.ok(counted.read() < 20, `${counted.read()} rows read`)
  await runSql(service, 'delete from overpayment_decisions')
})

onPostgres('a statement of account is read in pages, while postings come', async (service) => {
  const { merchantId } = await openShop(service)
  const now = service.clock.now
  const available = `merchant:${merchantId}:available`
  const earn = (count: number, from: number): Promise<unknown> =>
    runSql(
      service,
      `with posted as (
          insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency,
            amount, posted_at)
          select '${merchantId}', (lpad(to_hex(${from} + n), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
            gen_random_uuid(), 'credit', 'fx:rub', '${available}', 'USDT', 1, to_timestamp((${from} + n) / 1000.0)
          from generate_series(1, ${count}) as n returning amount
        ), moved as (
          select account, sign * sum(amount) as balance from posted
          cross join (values ('${available}', -1), ('fx:rub', 1)) as sides (account, sign) group by account, sign
        )
        insert into ledger_balances (merchant_id, account, currency, balance)
        select '${merchantId}', account, 'USDT', balance from moved
        on conflict (merchant_id, account, currency) do update set balance = ledger_balances.balance + excluded.balance`,
    )
  await earn(5000, now - 30 * day)
  await earn(12_000, now - 10 * day)
  await earn(300, now - hour)
  let most = 0
  const query: Context['query'] = async (wanted, parameters) => {
    const rows = await service.context.query(wanted, parameters)
    most = Math.max(most, rows.length)
    return rows
  }
  const context: Context = { ...service.context, query }
  const { opening, closing, movements } = await openAccountStatement(
    context,
    { merchantId, currency: 'USDT' },
    { from: now - 20 * day, to: finalUntil(now) },
  )
  assert.deepEqual([opening, closing], [5000n, 17_300n])
  await earn(7, now)
  assert.equal((await Array.fromAsync(movements)).length, 12_300)
  assert.equal(most, 1000)
  const span = `from=${new Date(now - 20 * day).toISOString()}&to=${new Date(now).toISOString()}`
  const camt = await openOperator(service).get(`/merchants/${merchantId}/statement?${span}&format=camt.053`)
  assert.equal((camt.body as string).split('<Ntry>').length - 1, 12_300)
  assert.match(camt.body as string, /<Cd>CLBD<[^]*?<Amt Ccy="USD">0\.01730<[^]*<\/Document>\n$/)
})

onPostgres(
  'verification may take longer than other queries',
  async (service) => {
    const { merchantId } = await openShop(service)
    const brokenRows = async () =>
      (await checkInvariants(service.context, ['balances-equal-postings'])).map(({ broken }) => broken > 0)
    for (let part = 0; part < 4; part++) await fill(service, merchantId, 60_000, service.clock.now - (30 - part) * day)
    assert.deepEqual(await brokenRows(), [false])
    await fill(service, merchantId, 1, service.clock.now - day)
    assert.deepEqual(await brokenRows(), [true])
    await runSql(service, `delete from ledger_postings where amount = 1`)
  },
  { PAYIN_QUERY_TIMEOUT_MS: '100' },
)
