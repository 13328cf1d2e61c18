// What is read of the slots at a start and by jobs: not all of a busy week.
import assert from 'node:assert/strict'
import type { Context } from '../../src/engine/context.ts'
import { bigint, instant, integer, query, text } from 'payin-database'
import { day, hour } from '../../src/rules/time.ts'
import { expirePayments } from '../../src/engine/payments/close-payments.ts'
import { pauseFailingRequisites } from '../../src/engine/requisites/health/automatic-pauses.ts'
import { readRuns } from '../../src/engine/requisites/health/read.ts'
import { requisitePool } from '../../src/engine/requisites/requisite-pool.ts'
import { archiveSlots } from '../../src/engine/requisites/slots.ts'
import { onPostgres } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const slotsOfEach = 1000
const openOfEach = 300

/** Copies of a payment on each requisite, spread evenly over a span that ends now, and their slots. */
const copyPayment = query('test_copy_payment', {
  parameters: { orderId: text, firstAmount: bigint, now: instant, spanMs: bigint, count: integer },
  text: `with made as (
      select requisites.id as requisite_id, gen_random_uuid() as id, :firstAmount + n as amount,
        :now - :spanMs * interval '1 millisecond' * (:count - n) / :count as taken_at
      from requisites cross join generate_series(1, :count) as n
    ), copies as (
      insert into payments
      select copy.* from made join payments as one on one.order_id = :orderId
        cross join lateral jsonb_populate_record(null::payments, to_jsonb(one) || jsonb_build_object('id', made.id,
          'order_id', made.id, 'requisite_id', made.requisite_id, 'sole_requisite_id', null)) as copy
      returning merchant_id, id
    )
    insert into slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    select requisite_id, amount, merchant_id, id, taken_at, taken_at + interval '1 day' from made join copies using (id)`,
})

const analyze = query('test_analyze', { text: 'analyze slots, payments' })

const countReads = query('test_count_reads_of_slots', {
  row: { rows: bigint },
  text: `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint as rows
    from pg_stat_xact_user_tables where relname = 'slots' and schemaname = current_schema()`,
})

onPostgres('a start and the jobs of the requisites read a bounded number of slots', async (service) => {
  const { context, clock } = service
  const shop = await openShop(service, { perMethod: 2, limits: { pauseAfter: 10 } })
  assert.equal((await shop.create('expired')).status, 201)
  clock.advance(hour)
  await expirePayments(context)
  assert.equal(await shop.status('expired'), 'expired')
  assert.equal((await shop.create('open')).status, 201)
  const count = shop.requisiteIds.length
  assert.ok(count > 1)
  const rollBack = new Error('roll back')
  const measured = context.transaction(async (tx) => {
    /** How many slots a task reads. */
    const slotsRead = async (task: (context: Context) => Promise<unknown>): Promise<number> => {
      const readUntilNow = async () => Number((await tx.query(countReads, {}))[0]?.rows)
      const before = await readUntilNow()
      await task({ ...context, query: (asked, given) => tx.query(asked, given) })
      return (await readUntilNow()) - before
    }
    const { now } = clock
    const week = { firstAmount: 0n, spanMs: BigInt(7 * day), count: slotsOfEach }
    await tx.query(copyPayment, { orderId: 'expired', now, ...week })
    await tx.query(copyPayment, { orderId: 'open', now, firstAmount: 10_000n, spanMs: 0n, count: openOfEach })
    await tx.query(analyze, {})

    assert.equal(await slotsRead((reader) => requisitePool.load(reader, undefined)), 2 * count, 'the newest, twice')
    const looked = await slotsRead(pauseFailingRequisites)
    // Those that are open say nothing yet, so it reads on behind them.
    assert.ok(looked > 0 && looked <= (200 + openOfEach + 1) * count, `${looked} slots of ${count} requisites`)
    for (const { expiredRun } of await readRuns(tx, shop.requisiteIds, now)) assert.equal(expiredRun, 200)
    assert.equal(await slotsRead(archiveSlots), 0, 'none has ended a week ago')
    clock.advance(3 * day)
    const archived = await slotsRead(archiveSlots)
    assert.ok(archived > 0 && archived < slotsOfEach * count, `${archived} slots`)
    throw rollBack
  })
  await assert.rejects(measured, rollBack)
  clock.advance(-3 * day)
})
