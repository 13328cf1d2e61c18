// Reports that bring money for the same requisite at the same time. A gate keeps a report's transaction open.
import assert from 'node:assert/strict'
import type { Tx } from '../../src/engine/context.ts'
import { integer, type Query, query } from 'payin-database'
import type { ReportedTransfer } from '../../src/rules/transfers/transfer.ts'
import { lockPayments } from '../../src/engine/payments/store.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { until, within } from '../support/waiting.ts'

const waitingForLocks = query('test_waiting_for_locks', {
  row: { waiting: integer },
  text: `select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
})

const openPayments = async (service: TestService, amounts: readonly number[]) => {
  const shop = await openShop(service, { perMethod: 1 })
  const ids: string[] = []
  let requisiteId = ''
  for (const amount of amounts) {
    const { status, body } = await shop.create(`order-${amount}`, { amount })
    assert.equal(status, 201, JSON.stringify(body))
    ids.push(body.payment.id as string)
    requisiteId = body.card.id as string
  }
  return { shop, ids, requisiteId }
}

/** Starts a report that has recorded its transfer, and commits when it is released. */
const holdReport = async (service: TestService, requisiteId: string, minor: bigint) => {
  const recorded = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transfer: ReportedTransfer = {
    ...{ requisiteId, currency: 'rub', amount: minor, bookedAt: service.clock.now, source: 'test' },
    ...{ bankReference: 'held', sender: null },
  }
  const committed = service.context.transaction(async (tx) => {
    const [first] = await recordTransfers(tx, [transfer])
    recorded.resolve()
    await released.promise
    return first
  })
  await Promise.race([recorded.promise, committed])
  return { committed, release: () => released.resolve() }
}

onPostgres("a stranger's money does not wait for a report about the same requisite", async (service) => {
  const { shop, requisiteId } = await openPayments(service, [1000, 2000, 3000])
  const held = await holdReport(service, requisiteId, 1000_00n)
  const recording = payIn(service, { requisiteId, minor: 77_77n, reference: 'strange' })
  const strange = await within('the stranger recorded', recording).finally(held.release)
  await held.committed
  assert.equal(strange.outcome, 'ambiguous')
  // The first of them was still waiting.
  assert.equal(strange.suggestions.length, 3)
  assert.equal(await shop.status('order-1000'), 'paid')
})

const untilLocked = (service: TestService): Promise<void> =>
  until('a report waits for another', async () => {
    const [row] = await service.context.query(waitingForLocks, {})
    return (row?.waiting ?? 0) > 0
  })

onPostgres('money that a payment would be given waits for the report that pays it', async (service) => {
  const { shop, ids, requisiteId } = await openPayments(service, [1000])
  const held = await holdReport(service, requisiteId, 1000_00n)
  const recording = payIn(service, { requisiteId, minor: 950_00n, reference: 'unequal' })
  await untilLocked(service)
  held.release()
  const exact = await held.committed
  assert.deepEqual([exact?.outcome, exact?.paymentId], ['exact', ids[0]])
  const unequal = await recording
  assert.deepEqual([unequal.outcome, unequal.paymentId], ['none', null])
  assert.equal(await shop.status('order-1000'), 'paid')
})

onPostgres('it waits, too, if only the same report makes the payment the last one that waits', async (service) => {
  const { shop, requisiteId } = await openPayments(service, [1000, 2000])
  const held = await holdReport(service, requisiteId, 2000_00n)
  const row = (rubles: number, order: number): ReportedTransfer => ({
    ...{ requisiteId, currency: 'rub', amount: BigInt(rubles * 100), bookedAt: service.clock.now + order },
    ...{ source: 'test', bankReference: `row-${order}`, sender: null },
  })
  const rows = [row(1000, 0), row(1950, 1)]
  const recording = service.context.transaction((tx) => recordTransfers(tx, rows))
  await untilLocked(service)
  held.release()
  await held.committed
  assert.deepEqual(
    (await recording).map((each) => each.outcome),
    ['exact', 'none'],
  )
  for (const order of ['order-1000', 'order-2000']) assert.equal(await shop.status(order), 'paid')
})

/** The transaction, which waits for `others` after its first lock of payments. */
const pausing = (tx: Tx, others: () => Promise<void>): Tx => {
  let isFirst = true
  return {
    ...tx,
    query: async <P, Row>(asked: Query<P, Row>, parameters: P): Promise<Row[]> => {
      const rows = await tx.query(asked, parameters)
      if (isFirst && asked.name === lockPayments.name) {
        isFirst = false
        await others()
      }
      return rows
    },
  }
}

onPostgres('two reports that wait for each other are both recorded: one of them runs again', async (service) => {
  const { shop, requisiteId } = await openPayments(service, [1000, 2500])
  const row = (reference: string, rubles: number, order: number): ReportedTransfer => ({
    ...{ requisiteId, currency: 'rub', amount: BigInt(rubles * 100), bookedAt: service.clock.now + order },
    ...{ source: 'test', bankReference: reference, sender: null },
  })
  // Each pays one payment, and then has money that only the other payment could be for.
  const reports = [
    [row('a-exact', 1000, 0), row('a-near', 2450, 1)],
    [row('b-exact', 2500, 0), row('b-near', 950, 1)],
  ]
  const bothLocked = Promise.withResolvers<void>()
  let locked = 0
  let runs = 0
  const results = await Promise.all(
    reports.map((report) =>
      service.context.transaction((tx) => {
        runs++
        return recordTransfers(
          pausing(tx, async () => {
            if (++locked === 2) bothLocked.resolve()
            await bothLocked.promise
          }),
          report,
        )
      }),
    ),
  )
  // The one that runs again may meet the other one once more.
  assert.ok(runs > reports.length, `${runs} runs`)
  for (const [exact] of results) assert.equal(exact?.outcome, 'exact')
  for (const order of ['order-1000', 'order-2500']) assert.equal(await shop.status(order), 'paid')
})

onPostgres('many reports at the same time give each payment its money once', async (service) => {
  const amounts = Array.from({ length: 24 }, (_, index) => 1000 + index * 10)
  const { shop, requisiteId } = await openPayments(service, amounts)
  const reportsOf = (round: number): ReportedTransfer[] => {
    // Exact amounts, each in two rounds, and others that are near to several.
    const exact = amounts.filter((_, index) => index % 6 === round % 6).map((amount) => BigInt(amount * 100))
    const others = [4n, 333n, 995n].map((near) => near * 100n + BigInt(round * 1000))
    return [...exact, ...others].map((amount, index) => ({
      ...{ requisiteId, currency: 'rub', amount, bookedAt: service.clock.now + index, source: 'test' },
      ...{ bankReference: `${round}-${index}`, sender: null },
    }))
  }
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, round) =>
      service.context.transaction((tx) => recordTransfers(tx, reportsOf(round))),
    ),
  )
  const recorded = results.flat()
  assert.equal(recorded.length, 12 * 7)
  const paid = recorded.filter((each) => each.kind === 'payment')
  assert.equal(new Set(paid.map((each) => each.paymentId)).size, paid.length)
  for (const amount of amounts) assert.match(await shop.status(`order-${amount}`), /^(paid|disput-paid)$/)
})
