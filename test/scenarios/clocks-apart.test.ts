// Two processes whose clocks differ by less than what is tolerated: what one has begun, the other decides a minute earlier.
import assert from 'node:assert/strict'
import { instant, query, text } from 'payin-database'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt, pngFile } from '../support/disputes.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertHealthy, onBothEngines } from '../support/service.ts'
import { payIn } from '../support/shop.ts'

onBothEngines('what a clock that is a minute behind decides is not dated before what it is about', async (service) => {
  const court = await openCourt(service, { perMethod: 8 })
  const { shop, anna, boris } = court
  const { clock } = service

  await court.create('claimed')
  await court.create('shown')
  await court.expire()
  const claimed = await court.claim('claimed')
  clock.advance(-minute)
  const first = await court.step('decision', claimed.body.id, { decision: 'reject' })
  assert.equal(first.body.decidedAt, claimed.body.openedAt)

  const shown = await court.claim('shown')
  clock.advance(5 * minute)
  const receivedAt = clock.now
  assert.equal((await court.upload('shown', pngFile())).status, 200)
  clock.advance(-minute)
  const second = await court.step('decision', shown.body.id, { decision: 'reject' })
  assert.equal(second.body.decidedAt, new Date(receivedAt).toISOString())

  const credited = await court.create('credited')
  await payIn(service, { requisiteId: credited.requisiteId, minor: 5000_00n })
  assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'credited' })).status, 200)
  clock.advance(10 * minute)
  const proposed = await court.correct(credited, 4000)
  assert.equal(proposed.status, 201, JSON.stringify(proposed.body))
  clock.advance(-minute)
  const confirmed = await court.step('confirm', proposed.body.id, { amount: 4000 }, boris)
  assert.equal(confirmed.body.correction?.confirmedAt, proposed.body.openedAt, JSON.stringify(confirmed.body))

  const rule = { kind: 'user', windowMs: hour, maxCount: 100, reason: 'many' }
  const loose = await anna.call('POST', '/risk/rules', rule)
  assert.equal(loose.status, 201, JSON.stringify(loose.body))
  for (let count = 0; count < 4; count++)
    await court.create(`of-user-${count}`, { amount: 1000 + count, userId: 'user-1' })
  clock.advance(-minute)
  assert.equal((await anna.call('POST', '/risk/rules', { ...rule, maxCount: 2 })).status, 201)

  clock.advance(10 * minute)
  await service.runJobs('all')
  await assertHealthy(service)
})

onBothEngines(
  'what a clock that was a year ahead has dated uses up no bound',
  async (service) => {
    const court = await openCourt(service, { perMethod: 2 })
    const { requisiteId } = await court.create('paid', { amount: 100_000 })
    await payIn(service, { requisiteId, minor: 100_000_00n })
    const { merchantId } = court.shop
    const destinationId = await openDestination(service, merchantId)
    const act = async (reference: string) => {
      const bookedAt = new Date(service.clock.now).toISOString()
      const typed = { requisiteId, currency: 'rub', amount: 6000, bookedAt, bankReference: `TYPED-${reference}` }
      const { body } = await court.anna.call('POST', '/transfers', { transfers: [typed] })
      const settlement = { merchantId, reference, destinationId, amount: 60 }
      const drafted = await court.anna.call('POST', '/settlements', settlement)
      return [/alone/.test(body.transfers[0].reasons.join()), drafted.body.secondPerson]
    }
    service.clock.advance(400 * day)
    assert.deepEqual(await act('ahead'), [false, false])
    service.clock.advance(-400 * day)
    assert.deepEqual(await act('right'), [false, false])
  },
  { PAYIN_SECOND_PERSON_ABOVE: '100' },
)

const selectAhead = query('test_times_ahead', {
  parameters: { now: instant },
  row: { name: text },
  text: `select 'message' from phone_messages where received_at > :now
    union select 'template' from message_templates where used_since > :now
    union select 'binding' from statement_accounts where bound_at > :now
    union select 'requisite' from requisites where created_at > :now`,
})

onBothEngines(
  'messages, templates and accounts of a year ahead are of now once the clock is right',
  async (service) => {
    const { clock, context } = service
    clock.advance(400 * day)
    const { anna, create } = await openCourt(service, { perMethod: 1 })
    const { requisiteId } = await create('missing', { amount: 3000 })
    const phone = await openPhone(service, [requisiteId])
    await phone.sms('Слово: привет 1')
    const [{ id: messageId }] = await phone.messages()
    const lesson = { messageId, kind: 'other', marked: 'Слово: привет {text:1}' }
    assert.equal((await anna.call('POST', '/message-templates', lesson)).status, 201)
    await phone.sms(creditOf(service, 10, 10_000))
    await phone.sms(creditOf(service, 20, 15_000))
    const accounts = [{ number: '40702810000000005599', requisiteIds: [requisiteId] }]
    assert.equal((await anna.call('PUT', '/statement-accounts', { accounts })).status, 200)
    clock.advance(-400 * day)
    const ahead = async () => (await context.query(selectAhead, { now: clock.now })).map(({ name }) => name).toSorted()
    assert.deepEqual(await ahead(), ['binding', 'message', 'requisite', 'template'])
    await service.runJobs('all')
    assert.deepEqual(await ahead(), [])
    clock.advance(11 * minute)
    await service.runJobs('all')
    const states = (await phone.messages()).map(({ state }: { state: string }) => state)
    assert.deepEqual(states, ['recorded', 'recorded', 'noted'])
  },
)
