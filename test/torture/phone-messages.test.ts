// Messages of phones get lost, are repeated, come late and in another order, and are forged. No payment is credited twice,
// no more is credited on their word than the phone may, every loss shows in the balances, and the statement of the evening
// pays what the messages did not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { creditOf, openPhone, printedNow } from '../support/phones.ts'
import { oneOf, randomFrom, type Random } from '../support/random.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { camtOf } from '../support/statement-files.ts'
import { countOf, isTorture, openSightings, repeat, seedOf } from '../support/torture.ts'

const count = countOf(6)
const seed = seedOf()

/** How many payments wait in a day; large days cost less for each message. */
const payments = isTorture ? 60 : 12
/** How long the messages of a day go on. */
const dayMs = 12 * minute

/** Roubles for which a USDT is sold in the tests. */
const rate = 92.5

/** A message with the time at which its bank sent it, and how many steps later the phone delivers it. */
type Sent = { readonly fields: object; readonly after: number }

const isOneIn = (random: Random, times: number): boolean => random(times) === 0

const playRound = async (service: TestService, random: Random, note: (what: string) => void) => {
  const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
  service.clock.advance(morning - service.clock.now)
  const isForging = isOneIn(random, 2)
  const dailyLimit = isForging ? oneOf(random, [20, 60, 1000]) : 100_000
  const bank = await openBank(service)
  const phone = await openPhone(service, [bank.requisiteId], { dailyLimit })
  const amounts = Array.from({ length: payments }, (_, index) => 1000 + index * 17 + random(10))
  for (const [index, amount] of amounts.entries())
    assert.equal((await bank.shop.create(`order-${index}`, { amount })).status, 201)
  const paid = amounts.filter(() => !isOneIn(random, 3))

  const forward = async (fields: object): Promise<void> => {
    assert.equal((await phone.forward(fields)).status, 200)
    note('messages')
  }
  let balance = 5000
  const under = new Map<number, Sent[]>()
  const queue = (step: number, fields: object): void => {
    const after = step + (step > 0 && isOneIn(random, 4) ? 1 + random(4) : 0)
    for (let times = isOneIn(random, 4) ? 2 : 1; times > 0; times--)
      under.set(after + times - 1, [...(under.get(after + times - 1) ?? []), { fields, after }])
  }
  const movements = [...paid, ...Array.from({ length: payments / 3 }, () => -(10 + random(90)))]
    .map((moved) => ({ moved, at: random(1000) }))
    .toSorted((one, other) => one.at - other.at)
  let lost = 0
  let lostBefore = 0
  for (const [step, { moved }] of movements.entries()) {
    service.clock.advance(Math.round(dayMs / movements.length))
    balance += moved
    const sentStamp = service.clock.now
    const isPushed = moved > 0 && isOneIn(random, 2)
    const text =
      moved > 0
        ? creditOf(service, moved, balance)
        : `СЧЁТ4071 ${printedNow(service)} Покупка ${-moved}р MAGNIT Баланс: ${balance}р`
    const title = 'Перевод от ИННА ПАВЛОВНА П. Т-Банк'
    const shown = `+ ${moved} ₽ - Баланс: ${balance} ₽ СЧЁТ •• 4071`
    const isLost = [isOneIn(random, 6), !isPushed || isOneIn(random, 3)]
    // The first message begins the chain, so that what is lost before it is not missed.
    if (step > 0 && isLost[0] && isLost[1]) {
      lost += moved
      note('lost')
    } else {
      lostBefore = lost
      if (step === 0 || !isLost[0]) queue(step, { from: '900', text, sentStamp })
      if (isPushed && !isLost[1])
        queue(step, { package: 'ru.sberbankmobile', title, text: shown, timestamp: sentStamp })
    }
    if (isForging && isOneIn(random, 2)) {
      const forged = creditOf(service, oneOf(random, amounts), isOneIn(random, 2) ? null : random(100_000))
      queue(step, { from: '900', text: forged, sentStamp: sentStamp + 1 })
      note('forged')
    }
    const due = step === 0 ? (under.get(0) ?? []) : (under.get(step) ?? [])
    under.delete(step)
    for (const { fields } of due) await forward(fields)
  }
  for (const { fields } of [...under.values()].flat()) await forward(fields)
  service.clock.advance(11 * minute)
  await service.runJobs()

  const statuses = async () => Promise.all(amounts.map((_, index) => bank.shop.status(`order-${index}`)))
  const credited = (await statuses()).reduce(
    (sum, status, index) => sum + (status === 'paid' ? (amounts[index] ?? 0) : 0),
    0,
  )
  assert.ok(credited <= dailyLimit * rate, `${credited} roubles were credited, the limit is ${dailyLimit} USDT`)
  const messages = (await bank.operator.get(`/phone-messages?phoneId=${phone.id}&limit=500`)).body.messages
  if (!isForging) {
    const missing = messages.reduce((sum: number, each: { missing?: number }) => sum + (each.missing ?? 0), 0)
    assert.equal(missing, lostBefore, JSON.stringify(messages))
    if (lostBefore !== 0) note('gaps')
    for (const [index, status] of (await statuses()).entries())
      if (status === 'paid') assert.ok(paid.includes(amounts[index] ?? 0), `order-${index} was paid without money`)
  }
  const rows = paid.map((amount, index) => ({
    minor: BigInt(amount) * 100n,
    reference: `ROUND-${service.clock.now}-${index}`,
  }))
  await bank.bringAgreed(camtOf, rows)
  const after = await statuses()
  for (const [index, amount] of amounts.entries()) {
    const { body } = await bank.shop.get(`/payments/byOrderId/order-${index}`)
    if (paid.includes(amount))
      assert.equal(after[index], 'paid', `order-${index} over ${amount}: ${JSON.stringify(body)}`)
    // A credit is never for more than was asked, so no money was credited twice.
    if (after[index] === 'paid') assert.equal(body.payment?.amount ?? body.amount, amount)
  }
  if (!isForging) assert.deepEqual(await bank.inbox(), [])
  await service.runJobs()
}

test('lost, repeated, late and forged messages credit nothing twice and nothing beyond the limit', async () => {
  const service = await openTestService(usualEngine())
  const seen = openSightings()
  try {
    const rounds = await repeat(
      'phones',
      count,
      (index) => playRound(service, randomFrom(seed * 1000 + index), (what) => seen.note(what)),
      () => seen.text(),
    )
    console.log(`phones seed ${seed}: ${rounds} rounds; ${seen.text()}`)
    await assertHealthy(service)
    if (rounds >= 6) for (const what of ['lost', 'forged', 'gaps']) assert.ok(seen.count(what) > 0, `never ${what}`)
  } finally {
    await service.stop()
  }
})
