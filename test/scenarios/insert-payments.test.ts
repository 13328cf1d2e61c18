// A payment alone is inserted by another query than a set: both must do the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Context } from '../../src/engine/context.ts'
import { integer, query, type Queryable, text, uuid } from 'payin-database'
import { defaultTerms } from '../../src/rules/merchants/merchant.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { insertPayment, insertPayments } from '../../src/engine/payments/inserting/store.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { type Engine, engines, openTestService, skipsEngine } from '../support/service.ts'

type NewPayment = Parameters<typeof insertPayment.encode>[0]
/** The ids of each begin with its letter. */
type World = 'a' | 'b'
type Draft = Pick<NewPayment, 'orderId' | 'amount' | 'isSole'> & { readonly number: number; readonly account: number }

const listWritten = query('test_list_written', {
  parameters: { merchantId: uuid },
  row: { kind: text, written: text },
  text: `with written as (
      select 'slot' as kind, merchant_id, slots::text as written from slots union all
      select 'past slot', merchant_id, past_slots::text from past_slots union all
      select 'payment', merchant_id, payments::text from payments union all
      select 'event', merchant_id, payment_events::text from payment_events
    )
    select kind, written from written where merchant_id = :merchantId`,
})

const closeSome = query('test_close_payments', {
  parameters: { remainder: integer },
  text: `update payments set status = 'canceled' where status = 'new' and right(id::text, 2)::integer % 4 = :remainder`,
})

const removeAll = query('test_remove_payments', {
  text: `with payment as (delete from payments), event as (delete from payment_events) delete from slots`,
})

const idIn = (world: World, kind: number, number: number): string =>
  `${world}${String(kind).padStart(7, '0')}-0000-7000-8000-${String(number).padStart(12, '0')}`

const termsId = '00000000-0000-7000-8000-000000000001'
const terms = { ...defaultTerms('sbp'), minMinor: 1n, maxMinor: 0n } as NewPayment['terms']

const rowOf = (world: World, { number, account, ...others }: Draft): NewPayment => {
  const createdAt = Date.UTC(2026, 0, 1) + number * minute
  return {
    ...{ merchantId: idIn(world, 1, 0), id: idIn(world, 2, number), requisiteId: idIn(world, 3, account) },
    ...{ type: 'direct', method: 'sbp', sbpEnabled: true, bankIssuer: null, transferScope: null },
    ...{
      userId: 'a "user"',
      userIdGiven: true,
      returnUrl: null,
      locale: 'ru',
      metadata: { note: 'a\\b' },
      linkId: null,
    },
    ...{
      currency: 'rub',
      quoteCurrency: 'USDT',
      ratePrice: 9n,
      rateCreatedAt: createdAt,
      total: 7n,
      requisiteShown: true,
      sharesSlot: false,
      termsId,
      terms,
    },
    ...{ createdAt, expiredAt: createdAt + hour, heldUntil: createdAt + 7 * minute, shares: number % 3 === 0 },
    ...others,
  }
}

const insertSet = (sql: Queryable, rows: readonly NewPayment[]) =>
  sql.query(insertPayments, { sharedIds: [termsId], sharedTerms: [terms], rows })

/** Up to three payments at once, each on an account of its own; orders, slots and accounts that others have had come again. */
const drawSet = (random: Random, step: number): Draft[] => {
  const first = random(4)
  const drawn = Array.from({ length: 1 + random(3) }, (_, index) => {
    const number = step * 3 + index
    const orderId = `order-${random(5) === 0 ? random(step * 3 + 1) : number}`
    const isSole = random(3) === 0
    return { number, account: (first + index) % 4, orderId, amount: oneOf(random, [100n, 200n]), isSole }
  })
  // Two of the same orderId are not inserted together.
  return drawn.filter(({ orderId }, index) => drawn.findIndex((other) => other.orderId === orderId) === index)
}

const writtenIn = async (sql: Queryable, world: World) => {
  const rows = await sql.query(listWritten, { merchantId: idIn(world, 1, 0) })
  return rows.map(({ kind, written }) => `${kind} ${written.replaceAll(`${world}0000`, '0000')}`).toSorted()
}

const onRows = (title: string, engine: Engine, run: (context: Context) => Promise<void>): void => {
  test(`${title} [${engine}]`, { skip: skipsEngine(engine) }, async () => {
    const service = await openTestService(engine)
    try {
      // The rows are of no merchant, so that the invariants do not hold.
      await run(service.context)
    } finally {
      await service.stop()
    }
  })
}

for (const engine of engines) {
  onRows('payments inserted one by one leave the same as in sets', engine, async (context) => {
    const random = randomFrom(7)
    let leftOut = 0
    for (let step = 0; step < 35; step++) {
      const drafts = drawSet(random, step)
      const alone: string[] = []
      for (const draft of drafts) {
        for (const { id } of await context.query(insertPayment, rowOf('a', draft))) alone.push(id.slice(1))
      }
      const rows = drafts.map((draft) => rowOf('b', draft))
      const together = (await insertSet(context, rows)).map(({ id }) => id.slice(1))
      assert.deepEqual(together.toSorted(), alone.toSorted(), `step ${step}`)
      leftOut += drafts.length - alone.length
      if (random(4) === 0) await context.query(closeSome, { remainder: random(4) })
    }
    const written = await writtenIn(context, 'a')
    assert.deepEqual(await writtenIn(context, 'b'), written)
    const count = (kind: string): number => written.filter((row) => row.startsWith(`${kind} (`)).length
    // The history had what it is about.
    assert.ok(leftOut > 10 && count('past slot') > 10 && count('payment') > 20, `${leftOut}, ${written.join('\n')}`)
    assert.equal(count('event'), count('payment'))
  })
}

const first: Draft = { number: 0, account: 0, orderId: 'order', amount: 100n, isSole: true }
/** What another node may just be inserting, and a payment that loses to it. */
const losers: Readonly<Record<string, Draft>> = {
  'an orderId': { ...first, number: 1, account: 1, isSole: false },
  'a slot': { ...first, number: 1, orderId: 'other', isSole: false },
  'a sole payment': { ...first, number: 1, orderId: 'other', amount: 200n },
}
const forms = {
  alone: (sql: Queryable, row: NewPayment) => sql.query(insertPayment, row),
  'in a set': (sql: Queryable, row: NewPayment) => insertSet(sql, [row]),
}

onRows('a payment that loses to what another node is just inserting leaves nothing', 'postgres', async (context) => {
  for (const [what, loser] of Object.entries(losers)) {
    for (const [form, insert] of Object.entries(forms)) {
      await context.query(removeAll, {})
      const waiting = await context.transaction(async (tx) => {
        assert.equal((await insert(tx, rowOf('a', first))).length, 1)
        const second = insert(context, rowOf('a', loser))
        // It waits for the other one.
        await setTimeout(100)
        return { second }
      })
      assert.deepEqual(await waiting.second, [], `${what}, ${form}`)
      assert.equal((await writtenIn(context, 'a')).length, 3, `${what}, ${form}`)
    }
  }
})
