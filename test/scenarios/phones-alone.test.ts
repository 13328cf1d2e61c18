// What one person may do with a phone where two may decide. The bound of one person is 100 USDT; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openCourt } from '../support/disputes.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_LONE_REPORTS_ABOVE: '100' })

/** A day later nobody has reported anything within 24 hours. */
const openDay = async (service: TestService) => {
  service.clock.advance(Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour - service.clock.now)
  return openCourt(service, { perMethod: 1 })
}

onEngines(
  'one operator assigns what only a phone reports within the bound of one person, then another one',
  async (service) => {
    const court = await openDay(service)
    const { requisiteId } = await court.create('first', { amount: 6000 })
    await court.create('second', { amount: 6100 })
    const phone = await openPhone(service, [requisiteId], { dailyLimit: 0 })
    await phone.sms(creditOf(service, 6000, 10_000))
    await phone.sms(creditOf(service, 6100, 16_100))
    const [first, second] = (await court.inbox()).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const accept = async (id = '', by = court.anna) =>
      (await by.call('POST', '/transfers/decide', { transfers: [{ requisiteId, id, decision: 'accept' }] })).body
        .transfers[0]
    assert.equal((await accept(first?.id)).state, 'done')
    const refused = await accept(second?.id)
    assert.deepEqual([refused.state, refused.code], ['refused', 'second_person_required'])
    assert.match(refused.detail ?? refused.message ?? '', /Only a message on a phone reports it/)
    assert.equal((await accept(second?.id, court.boris)).state, 'done')
    assert.equal(await court.shop.status('second'), 'paid')
  },
)

onEngines('whoever alone added a phone credits by it no more than one person may', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('within', { amount: 6000 })
  await court.create('beyond', { amount: 6100 })
  const phone = await openPhone(service, [requisiteId], { operator: court.anna, isApproved: false, dailyLimit: 9999 })
  await phone.sms(creditOf(service, 6000, 10_000))
  await phone.sms(creditOf(service, 6100, 16_100))
  assert.deepEqual([await court.shop.status('within'), await court.shop.status('beyond')], ['paid', 'new'])
  const [waiting] = await court.inbox()
  const transfers = [{ requisiteId, id: waiting?.id, decision: 'accept' }]
  const { body } = await court.anna.call('POST', '/transfers/decide', { transfers })
  assert.equal(body.transfers[0].code, 'second_person_required')
})

for (const isPaused of [false, true])
  onOne(
    `the money of a ${isPaused ? 'paused' : 'new'} phone stands on its own word when a message of another one releases it`,
    async (service) => {
      const court = await openDay(service)
      const { requisiteId } = await court.create('missing', { amount: 6000 })
      await court.create('beyond', { amount: 9500 })
      const approved = await openPhone(service, [requisiteId], { dailyLimit: 9999 })
      const own = await openPhone(service, [requisiteId], {
        operator: court.anna,
        isApproved: isPaused,
        dailyLimit: 9999,
      })
      if (isPaused) assert.equal((await court.boris.call('POST', `/phones/${own.id}/pause`)).status, 200)
      await approved.sms(creditOf(service, 10, 10_000))
      await own.sms(creditOf(service, 9500, 25_500))
      await approved.sms(creditOf(service, 6000, 16_000))
      assert.deepEqual(
        (await own.messages()).map((each: { state: string }) => each.state),
        ['recorded'],
      )
      assert.deepEqual([await court.shop.status('missing'), await court.shop.status('beyond')], ['paid', 'new'])
    },
  )

onOne('one person makes no more of the money of a phone by a lower rate that came later', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('other', { amount: 300_000 })
  const phone = await openPhone(service, [requisiteId], { dailyLimit: 100 })
  await phone.sms(creditOf(service, 9000, 10_000))
  service.clock.advance(hour)
  assert.equal((await court.anna.call('PUT', '/rates/rub', { price: 75 })).status, 200)
  const { merchantId, id: paymentId } = await court.create('cheap', { amount: 9000 })
  const [waiting] = await court.inbox()
  const body = { shares: [{ merchantId, paymentId }], note: 'his' }
  const assigned = await court.anna.call('POST', `/transfers/${requisiteId}/${waiting?.id}/assign`, body)
  assert.equal(assigned.body.code, 'second_person_required')
})

onOne('a forged message that nobody believes uses up nothing of what a phone may credit', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('first', { amount: 1000 })
  await court.create('second', { amount: 2000 })
  await court.create('third', { amount: 3000 })
  const phone = await openPhone(service, [requisiteId], { dailyLimit: 100 })
  await phone.sms(creditOf(service, 1000, 10_000))
  // One has a wrong balance, the other is beyond the limit and comes with honest money.
  await phone.sms(creditOf(service, 90_000, 777_777, { from: 'НИКТО Н.' }))
  service.clock.advance(11 * minute)
  await service.runJobs()
  await phone.forward([
    { from: '900', text: creditOf(service, 91_000, null, { from: 'НИКТО Н.' }), sentStamp: service.clock.now - 1 },
    { from: '900', text: creditOf(service, 2000, 12_000), sentStamp: service.clock.now },
  ])
  await phone.sms(creditOf(service, 3000, 15_000))
  const statuses = await Promise.all(['first', 'second', 'third'].map((each) => court.shop.status(each)))
  assert.deepEqual(statuses, ['paid', 'paid', 'paid'])
})

onOne(
  'forged messages to a phone that nobody has approved keep neither honest ones nor its owner away',
  async (service) => {
    const court = await openDay(service)
    const { requisiteId } = await court.create('first', { amount: 2000 })
    const phone = await openPhone(service, [requisiteId], { operator: court.anna, isApproved: false })
    const forged = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        ...{ from: '900', text: 'СЧЁТ4071 Перевод из Т-Банк +9999999999р от НИКТО Н.' },
        sentStamp: service.clock.now + from + index,
      }))
    for (let from = 0; from < 1000; from += 100) assert.equal((await phone.forward(forged(from))).status, 200)
    await phone.sms(creditOf(service, 2000, 3000))
    assert.equal(await court.shop.status('first'), 'paid')
    const { status, body } = await court.anna.call('POST', '/transfers', {
      transfers: [{ requisiteId, amount: 3000, currency: 'rub', bookedAt: new Date(service.clock.now).toISOString() }],
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.doesNotMatch(JSON.stringify(body), /another operator decides/)
  },
)
