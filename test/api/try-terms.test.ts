// What other terms would have made of past transfers.
import assert from 'node:assert/strict'
import { hour, minute } from '../../src/rules/time.ts'
import { type Court, openCourt } from '../support/disputes.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine } from '../support/service.ts'
import { type Answer, payIn } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

const tryTerms = (court: Court, since: number, terms: object, until = court.service.clock.now): Promise<Answer> =>
  court.anna.call('POST', `/merchants/${court.shop.merchantId}/terms/sbp/try`, {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    terms,
  })

onBothEngines('200: the same terms change nothing, others show what they would have changed', async (service) => {
  const court = await openCourt(service)
  const since = service.clock.now
  const exact = await court.create('exact')
  await payIn(service, { requisiteId: exact.requisiteId, minor: 5000_00n })
  await payIn(service, { requisiteId: exact.requisiteId, minor: 5000_00n, reference: 'again' })
  const near = await court.create('near', { amount: 6000 })
  await payIn(service, { requisiteId: near.requisiteId, minor: 5990_00n })
  const over = await court.create('over', { amount: 7000 })
  await payIn(service, { requisiteId: over.requisiteId, minor: 7500_00n })
  const late = await court.create('late', { amount: 8000 })
  await court.create('canceled', { amount: 9000 })
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  await court.expire()
  await payIn(service, { requisiteId: late.requisiteId, minor: 8000_00n })
  service.clock.advance(minute)
  await service.runJobs()
  const orders = ['exact', 'near', 'over', 'late', 'canceled']
  const before = await Promise.all(orders.map((order) => court.shop.status(order)))
  assert.deepEqual(before, ['paid', 'disput-paid', 'disput-paid', 'paid', 'canceled'])

  const same = (await tryTerms(court, since, {})).body
  assert.deepEqual(same.now, { paid: 2, 'disput-paid': 2, canceled: 1 }, JSON.stringify(same))
  assert.deepEqual([same.transfers, same.payments, same.changed, same.truncated], [5, 5, [], false])

  const terms = { toleranceMinor: 10_00, overpaidPolicy: 'review', latePolicy: 'review' }
  const other = (await tryTerms(court, since, terms)).body
  assert.deepEqual(other.now, same.now)
  assert.deepEqual(other.tried, { paid: 2, disput: 2, canceled: 1 })
  const changes: Record<string, string> = Object.fromEntries(
    other.changed.map(
      (each: { orderId: string; now: { status: string }; tried: { status: string; creditedAmount: number } }) => [
        each.orderId,
        `${each.now.status} → ${each.tried.status} ${each.tried.creditedAmount}`,
      ],
    ),
  )
  assert.deepEqual(changes, {
    near: 'disput-paid → paid 5990',
    over: 'disput-paid → disput 0',
    late: 'paid → disput 0',
  })
  const short = (await tryTerms(court, since, { lateWindowMs: 0, graceMs: 0 })).body
  assert.deepEqual(
    short.changed.map((each: { orderId: string; tried: { status: string } }) => [each.orderId, each.tried.status]),
    [['late', 'expired']],
  )
  assert.deepEqual(await Promise.all(orders.map((order) => court.shop.status(order))), before)
  assertProblem(await tryTerms(court, since, {}, since - hour), 400, 'validation_failed', ['until'])
  assertProblem(await tryTerms(court, since, { colour: 1 }), 400, 'validation_failed')
})

onOneEngine('200: money of an account that requisites share is played for the payments of all', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const since = service.clock.now
  const phone = await court.create('by phone', { amount: 4000 })
  const card = await court.create('by card', { amount: 5000, method: 'card-to-card', sbpEnabled: false })
  assert.notEqual(phone.requisiteId, card.requisiteId)
  const bound = await court.anna.call('PUT', '/statement-accounts', {
    number: '40702810900000000041',
    requisiteIds: [card.requisiteId, phone.requisiteId],
  })
  assert.equal(bound.status, 200, JSON.stringify(bound.body))
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'by card' })
  // Booked on the card, which is the first of the account, and for the phone.
  await payIn(service, { requisiteId: phone.requisiteId, minor: 3990_00n })
  await court.expire()
  assert.equal(await court.shop.status('by phone'), 'disput-paid')
  const { body } = await tryTerms(court, since, { toleranceMinor: 10_00 })
  assert.deepEqual([body.transfers, body.now, body.tried], [1, { 'disput-paid': 1 }, { paid: 1 }], JSON.stringify(body))

  // The same amount on both: as when it came, nobody knows whose it is.
  const later = service.clock.now
  const twin = await court.create('phone again', { amount: 6000 })
  const other = await court.create('card again', { amount: 6000, method: 'card-to-card', sbpEnabled: false })
  assert.deepEqual([other.requisiteId, twin.requisiteId], [card.requisiteId, phone.requisiteId])
  await payIn(service, { requisiteId: twin.requisiteId, minor: 6000_00n })
  assert.equal(await court.shop.status('phone again'), 'new')
  service.clock.advance(1000)
  const again = (await tryTerms(court, later, {})).body
  assert.deepEqual([again.now, again.changed], [{ new: 1 }, []], JSON.stringify(again))
})

onOneEngine('200: transfers of an import that was withdrawn are not played', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const since = service.clock.now
  const { requisiteId } = await court.create('waits', { amount: 4000 })
  // Two payments: other money is for neither of them.
  await court.create('waits, too', { amount: 5000 })
  const number = '40702810900000000042'
  await court.anna.call('PUT', '/statement-accounts', { number, requisiteIds: [requisiteId] })
  const date = new Date(since + 3 * hour).toISOString().slice(0, 10)
  const { body: file } = await uploadFile(service, camtOf({ account: number, rows: [{ minor: 77_00n, date }] }))
  assert.equal((await court.anna.call('POST', `/statements/${file.id}/confirm`)).status, 200)
  await service.runJobs()
  const played = async () => (await tryTerms(court, since, {}, service.clock.now + 1)).body.transfers
  assert.equal(await played(), 1)
  assert.equal((await court.anna.call('POST', `/statements/${file.id}/withdraw`, { reason: 'wrong' })).status, 200)
  await service.runJobs()
  assert.equal(await played(), 0)
})
