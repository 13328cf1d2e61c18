// What checks of the invariants read: what has changed since everything was verified, however long the history is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '../../src/engine/context.ts'
import { bigint, query } from 'payin-database'
import { day, hour } from '../../src/rules/time.ts'
import { checkChanges, checkSince } from '../../src/engine/invariants/check-changes.ts'
import { findChanged } from '../../src/engine/invariants/changed/find-changed.ts'
import type { Invariant } from '../../src/engine/invariants/invariant.ts'
import { invariantNames, invariants, readParameters } from '../../src/engine/invariants/check-invariants.ts'
import { openOperator } from '../support/operator.ts'
import { onBothEngines, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'

const brokenNames = async ({ context }: TestService, full = false): Promise<string[]> =>
  (await checkChanges(context, { full })).checks.filter(({ broken }) => broken > 0).map(({ name }) => name)

const sinceOf = async ({ context }: TestService): Promise<number | null> => (await checkChanges(context)).since

const change = (name: string, text: string) => query(name, { text })
const moveBalance = change(
  'test_move_balance',
  `update ledger_balances set balance = balance + 1 where account = 'fees'`,
)
const moveBalanceBack = change(
  'test_move_back',
  `update ledger_balances set balance = balance - 1 where account = 'fees'`,
)
const dropEvent = change('test_drop_event', `delete from payment_events where sequence = 1`)

const pay = async (service: TestService, shop: Shop, orderId: string, minor: bigint): Promise<void> => {
  const { status, body } = await shop.create(orderId, { amount: Number(minor) / 100 })
  assert.equal(status, 201, JSON.stringify(body))
  await payIn(service, { requisiteId: body.card.id, minor })
  assert.equal((await shop.post('/payments/byOrderId/ack', { orderId })).status, 200)
  await service.runJobs()
}

onBothEngines('what was verified is not read again, but with full', async (service) => {
  const shop = await openShop(service)
  await pay(service, shop, 'first', 5000_00n)
  assert.equal(await sinceOf(service), null)
  service.clock.advance(2 * day)
  await service.runJobs()
  assert.ok(((await sinceOf(service)) ?? 0) < service.clock.now - day)
  await pay(service, shop, 'second', 6000_00n)
  const since = service.clock.now - hour
  service.clock.advance(3 * hour)
  await service.runJobs()
  assert.equal(await sinceOf(service), since, 'up to an hour before the last healthy check')
  assert.deepEqual(await brokenNames(service), [])

  await service.context.query(moveBalance, {})
  const wrong = await brokenNames(service)
  assert.ok(wrong.includes('balances-equal-postings'), 'a balance is compared with the sums that were verified')
  await service.context.query(moveBalanceBack, {})

  service.clock.advance(3 * day)
  await service.runJobs()
  assert.deepEqual(await brokenNames(service), [])
  const noted = await sinceOf(service)
  const rollback = new Error('roll back')
  await assert.rejects(
    service.context.transaction(async (tx) => {
      await tx.query(dropEvent, {})
      const names = ['events-gapless']
      const check = async (from: number): Promise<number | undefined> =>
        (await checkSince(tx, { since: from, now: tx.now, names }))[0]?.broken
      assert.equal(await check(noted ?? 0), 0)
      assert.equal(await check(0), 2)
      throw rollback
    }),
    rollback,
  )
  assert.deepEqual(await brokenNames(service, true), [])
  const operator = openOperator(service)
  const { body: changed } = await operator.get('/doctor')
  const { body: all } = await operator.get('/doctor?full=true')
  assert.deepEqual([changed.healthy, typeof changed.since], [true, 'string'])
  assert.deepEqual([all.healthy, all.since], [true, undefined])
})

const countReads = query('test_count_reads', {
  row: { rows: bigint },
  text: `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::bigint as rows from pg_stat_xact_user_tables`,
})

/** Old rows that fit nothing: whatever reads them finds them broken. */
const rows = 5000
const copyOld = (table: string, where: string, changes: string) =>
  change(
    `test_old_${table}`,
    `insert into ${table} select old.* from (select * from ${table} where ${where} limit 1) as one, generate_series(1, ${rows}) as n
      cross join lateral jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${changes})) as old`,
  )
const oldId = (kind: string): string => `('01700000-00${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
const [payment, other] = [oldId('01'), oldId('02')]
const analyze = change('test_analyze', 'analyze')
const forgetStatistics = change(
  'test_forget_statistics',
  `delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)`,
)
const countAlong = (table: string) =>
  change(`test_count_along_${table}`, `update ${table} set position = position + ${rows}`)
const history = [
  copyOld('payments', `status = 'paid'`, `'id', ${payment}, 'order_id', 'old-' || n`),
  copyOld('payment_events', 'true', `'payment_id', ${payment}`),
  copyOld('ledger_postings', 'true', `'id', ${other}, 'payment_id', ${payment}`),
  copyOld('transfers', 'true', `'id', ${other}, 'dedupe_key', 'old-' || n, 'bank_reference', 'old-' || n`),
  // The old notifications have the first positions.
  ...['outbox', 'event_counters', 'queued_notifications', 'verified_positions'].map(countAlong),
  copyOld('outbox', 'true', `'id', ${other}, 'payment_id', ${payment}, 'position', n`),
  analyze,
]

const readRows = async (tx: Tx, since: number): Promise<bigint> => {
  const [before] = await tx.query(countReads, {})
  const checks = await checkSince(tx, { since, now: tx.now, names: invariantNames })
  assert.deepEqual(
    checks.filter(({ broken }) => broken > 0),
    [],
  )
  const [after] = await tx.query(countReads, {})
  return (after?.rows ?? 0n) - (before?.rows ?? 0n)
}

test('a check reads no more rows with a long history than without one', {
  skip: !process.env['TEST_DATABASE_URL'],
}, async () => {
  const service = await openTestService('postgres')
  try {
    const shop = await openShop(service)
    for (let n = 0; n < 5; n++) await pay(service, shop, `order-${n}`, 5000_00n + BigInt(n))
    service.clock.advance(3 * hour)
    await service.runJobs()
    assert.equal(await sinceOf(service), null)
    const since = (await sinceOf(service)) ?? 0
    await pay(service, shop, 'later', 7000_00n)
    const counted = (work: (tx: Tx) => Promise<bigint>): Promise<bigint> => service.context.transaction(work)
    // Otherwise the plans depend on whether the service has renewed its statistics by then (packages/database/src/renew-statistics.ts).
    await service.context.query(analyze, {})
    const before = await counted((tx) => readRows(tx, since))
    for (const statement of history) await service.context.query(statement, {})
    const after = await counted((tx) => readRows(tx, since))
    assert.ok(before > 100n, `${before} rows`)
    assert.ok(after < (before * 3n) / 2n, `${before} rows without a history, ${after} with ${rows} old payments`)
  } finally {
    await service.stop()
  }
})

test('money that comes in while what has changed is read breaks nothing', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    await pay(service, shop, 'first', 5000_00n)
    assert.deepEqual(await brokenNames(service), [])
    const { body } = await shop.create('meanwhile', { amount: 6000 })
    let isPaid = false
    const context: TestService['context'] = {
      ...service.context,
      query: async (asked, parameters) => {
        const answer = await service.context.query(asked, parameters)
        // The last query before the invariants.
        if (asked.name === 'list_currencies_of' && !isPaid) {
          isPaid = true
          await payIn(service, { requisiteId: body.card.id, minor: 6000_00n })
        }
        return answer
      },
    }
    const { since, checks } = await checkChanges(context)
    assert.ok(isPaid && since !== null, 'what has changed was read, and then the money came')
    assert.deepEqual(
      checks.filter(({ broken }) => broken > 0),
      [],
    )
  } finally {
    await service.stop()
  }
})

type PlanNode = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Rows that a plan has looked at, each as often as it was. */
const lookedAt = (node: PlanNode): number => {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return own + (node.Plans ?? []).reduce((sum, each) => sum + lookedAt(each), 0)
}

/** Sends a request for each number, a few at a time: a busy machine refuses hundreds at once as overload. */
const inTurns = async (
  numbers: readonly number[],
  wanted: number,
  send: (number: number) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let from = 0; from < numbers.length; from += 20)
    answers.push(...(await Promise.all(numbers.slice(from, from + 20).map(send))))
  for (const { status, body } of answers) assert.equal(status, wanted, JSON.stringify(body))
  return answers
}

test('a check of many changes looks at each a few times, and not at each for each or at what is old', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async () => {
  const count = 400
  const service = await openTestService('postgres')
  try {
    const shop = await openShop(service, { perMethod: 40 })
    const hook = { url: 'https://shop.example.com/hook' }
    assert.equal(
      (await openOperator(service).call('POST', `/merchants/${shop.merchantId}/endpoints`, hook)).status,
      201,
    )
    await pay(service, shop, 'verified', 4000_00n)
    service.clock.advance(3 * hour)
    await service.runJobs()
    assert.equal(await sinceOf(service), null)
    const since = await sinceOf(service)
    const numbers = Array.from({ length: count }, (_, n) => n)
    const created = await inTurns(numbers, 201, (n) => shop.create(`order-${n}`, { amount: 5000 + n }))
    const reports = created.map(({ body }, n) => ({ requisiteId: body.card.id, minor: BigInt(5000 + n) * 100n }))
    for (const report of reports) await payIn(service, report)
    await inTurns(numbers, 200, (n) => shop.post('/payments/byOrderId/ack', { orderId: `order-${n}` }))
    await service.runJobs()
    const { context } = service
    await context.query(analyze, {})
    const changed = await findChanged(context, since ?? 0)
    assert.ok(changed.paymentIds.length >= count)
    const parameters = { ...(await readParameters(context, service.clock.now, changed)), ...changed }
    const explain = async ({ name, findChanged: find }: Invariant): Promise<{ name: string; rows: number }> => {
      if (!find) return { name, rows: 0 }
      const text = `explain (analyze, timing off, format json) ${find.text}`
      const decode = ([json]: readonly (string | null)[]) => JSON.parse(json ?? '')[0].Plan as PlanNode
      const [plan] = await context.query({ ...find, name: 'test_explain', text, decode }, parameters)
      return { name, rows: plan ? lookedAt(plan) : 0 }
    }
    const before = await Promise.all(invariants.map(explain))
    const tooMany = before.filter(({ rows: looked }) => looked > 200 * count)
    assert.deepEqual(tooMany, [])

    for (const statement of history) await context.query(statement, {})
    const after = await Promise.all(invariants.map(explain))
    // All new postings are added up; next to twelve hundred of them, a few thousand old ones are cheaper to read than to leave out.
    const grown = after.filter(
      ({ name, rows: looked }, index) =>
        name !== 'balances-equal-postings' && looked > (before[index]?.rows ?? 0) * 2 + count,
    )
    assert.deepEqual(grown, [], `with ${rows} old payments`)

    await context.query(forgetStatistics, {})
    const unknown = await Promise.all(invariants.map(explain))
    const quadratic = unknown.filter(
      ({ name, rows: looked }, index) =>
        name !== 'balances-equal-postings' && looked > (before[index]?.rows ?? 0) * 2 + count + 2 * rows,
    )
    assert.deepEqual(quadratic, [], 'without statistics each old row is read a few times at most')
  } finally {
    await service.stop()
  }
})
