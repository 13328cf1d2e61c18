// A day of an account whose money a feed reports by day and the bank's file in the evening: only what is odd is asked.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { onOneEngine, type TestService } from '../support/service.ts'
import { exchangeOf, type MadeRow } from '../support/statement-files.ts'

const moscow = 3 * hour
const rounds = 5
const perRound = 40

/** Moves the clock to the next time at which the day of the account is this old. */
const goTo = (service: TestService, sinceMidnight: number): void => {
  const age = (service.clock.now + moscow) % day
  service.clock.advance((sinceMidnight - age + day) % day)
}

const isoDay = (time: number): string => new Date(time + moscow).toISOString().slice(0, 10)

/** A transfer as it truly is: what the payer sent, and how its channels report it. */
type Truth = {
  readonly orderId: string
  readonly amount: number
  readonly reference: string
  readonly sender: string
  readonly oddity?: 'not-pushed' | 'pushed-late' | 'dated-tomorrow'
}

/** Some of the last transfers of the day are odd. */
const oddities: readonly Truth['oddity'][] = [
  ...(['not-pushed', 'not-pushed', 'not-pushed', 'pushed-late', 'pushed-late'] as const),
  ...(['dated-tomorrow', 'dated-tomorrow', 'dated-tomorrow', 'dated-tomorrow', 'dated-tomorrow'] as const),
]

const truthOf = (round: number, index: number): Truth => {
  const oddity = round === rounds - 1 ? oddities[index] : undefined
  return {
    orderId: `order ${round}/${index}`,
    amount: 1000 + index,
    reference: `SBP-${round}-${index}`,
    // Five payers send the same amount, each from an account of its own; the feed does not say so of every second one.
    sender: `4081781000000${String(round * 100 + index).padStart(7, '0')}`,
    ...(oddity ? { oddity } : {}),
  }
}

const rowOf = ({ amount, sender, reference }: Truth, date: string): MadeRow => ({
  ...{ minor: BigInt(amount) * 100n, date, payerAccount: sender, reference: reference.replaceAll('-', '') },
  text: `Перевод ${amount}`,
})

onOneEngine(
  'a day of 200 transfers, by feed and by file, with 10 odd ones needs at most 10 decisions',
  async (service) => {
    goTo(service, 8 * hour)
    const bank = await openBank(service)
    const push = ({ reference, amount, sender }: Truth, time: number, index: number) =>
      bank.push(reference, {
        ...{ amount, bookedAt: new Date(time).toISOString() },
        ...(index % 2 === 0 ? { sender } : {}),
      })
    const truths: Truth[] = []
    const late: Truth[] = []
    const date = isoDay(service.clock.now)
    let lastTime = 0
    for (let round = 0; round < rounds; round++) {
      lastTime = service.clock.now + 5 * minute
      const made = Array.from({ length: perRound }, (_, index) => truthOf(round, index))
      for (const { orderId, amount } of made) assert.equal((await bank.shop.create(orderId, { amount })).status, 201)
      service.clock.advance(6 * minute)
      for (const [index, truth] of made.entries()) {
        if (truth.oddity === 'not-pushed') continue
        if (truth.oddity === 'pushed-late') late.push(truth)
        else await push(truth, lastTime, index)
      }
      truths.push(...made)
      service.clock.advance(2 * hour)
    }
    assert.equal(truths.length, 200)

    goTo(service, 22 * hour)
    const ofToday = truths.filter(({ oddity }) => oddity !== 'dated-tomorrow')
    // The bank's file has the day in its own order.
    const rows = ofToday.map((truth) => rowOf(truth, date)).toReversed()
    const preview = await bank.upload(exchangeOf, rows)
    assert.deepEqual([preview.counts.new, preview.counts.duplicates, preview.counts.possibleDuplicates], [5, 190, 0])
    const file = await bank.confirm(preview.id)
    assert.deepEqual([file.counts.new, file.counts.duplicates, file.counts.possibleDuplicates], [5, 190, 0])

    service.clock.advance(30 * minute)
    for (const [index, truth] of late.entries()) await push(truth, lastTime, index + 1)
    assert.deepEqual(await bank.inbox(), [])

    // What the bank dated tomorrow, and nothing else, is asked about: one operation decides all of it.
    service.clock.advance(day)
    const tomorrow = truths.flatMap((truth) =>
      truth.oddity === 'dated-tomorrow' ? rowOf(truth, isoDay(service.clock.now)) : [],
    )
    const next = await bank.bring(exchangeOf, tomorrow)
    const waiting = await bank.inbox()
    assert.ok(waiting.length <= 10, `${waiting.length} decisions`)
    assert.equal(next.counts.possibleDuplicates, waiting.length)
    const body = { statementId: next.id, note: 'booked in the evening, dated the next day' }
    const decided = (await bank.operator.call('POST', '/transfers/decide', body)).body.transfers
    assert.deepEqual(
      decided.map((each: { state: string }) => each.state),
      waiting.map(() => 'done'),
    )

    assert.deepEqual(await bank.inbox(), [])
    assert.equal(
      await bank.balanceOf(`bank:${bank.requisiteId}`),
      truths.reduce((sum, { amount }) => sum + amount, 0),
    )
    const statuses = await Promise.all(truths.map(async ({ orderId }) => bank.shop.status(orderId)))
    assert.deepEqual(new Set(statuses), new Set(['paid']))
  },
)
