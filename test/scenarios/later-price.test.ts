// A locked rate is no free option: created at 80, paid at 95. Each story ends with all invariants at zero rows.
import assert from 'node:assert/strict'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { type Court, openCourt, pngFile } from '../support/disputes.ts'
import { owedIn } from '../support/ledger.ts'
import { assertProblem } from '../support/problem.ts'
import { openApprovedFeed } from '../support/push.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

const setPrice = async (court: Court, price: number): Promise<void> => {
  const { status, body } = await court.anna.call('PUT', '/rates/rub', { price })
  assert.equal(status, 200, JSON.stringify(body))
}

/** A payment that was created at 80, in a shop without fees; now the price is 95. */
const openMoved = async (service: TestService, terms: object = {}, amount = 8000) => {
  const court = await openCourt(service, { perMethod: 1, terms: { feePpm: 0, ...terms } })
  await setPrice(court, 80)
  const payment = await court.create('moved', { amount })
  await setPrice(court, 95)
  const pay = (minor: bigint, reference?: string) =>
    payIn(service, { requisiteId: payment.requisiteId, minor, ...(reference === undefined ? {} : { reference }) })
  return { court, payment, pay, owed: () => owedIn(service, payment.merchantId) }
}

onEngines('the exact amount in time is credited at the locked rate', async (service) => {
  const { court, pay, owed } = await openMoved(service)
  await pay(8000_00n)
  assert.equal(await court.shop.status('moved'), 'paid')
  assert.ok((await owed()).includes('available 100.000000 USDT'))
  await assertHealthy(service)
})

onEngines('late money is credited at the worse rate, and the operator sees which', async (service) => {
  const { court, payment, pay, owed } = await openMoved(service)
  await court.expire()
  await pay(8000_00n)
  assert.equal(await court.shop.status('moved'), 'paid')
  assert.ok((await owed()).includes('available 84.210526 USDT'))
  const { rate } = (await court.anna.get(`/payments/${payment.merchantId}/${payment.id}`)).body
  assert.deepEqual([rate.price, rate.laterPrice], [80, 95])
  await assertHealthy(service)
})

onOne('the made-up rate of the demo is no later price', async (service) => {
  const { court, pay, owed } = await openMoved(service)
  await service.context.transaction((tx) =>
    setRate(tx, { currency: 'rub', price: 160_00000000n, source: 'demo', validUntil: null }),
  )
  await court.expire()
  await pay(8000_00n)
  assert.ok((await owed()).includes('available 84.210526 USDT'))
})

onEngines('what exceeds the amount is credited at the worse rate, and leaves first', async (service) => {
  const { court, payment, owed } = await openMoved(service)
  const feed = await openApprovedFeed(service, 'exceeds', [payment.requisiteId])
  const bookedAt = new Date(service.clock.now).toISOString()
  for (const [amount, fields, left] of [
    [9900, {}, 'available 120.000000 USDT'],
    [950, { status: 'reversed' }, 'available 110.000000 USDT'],
    [4950, { status: 'reversed' }, 'available 50.000000 USDT'],
  ] as const) {
    const { requisiteId } = payment
    const row = { requisiteId, amount, currency: 'rub', bookedAt, bankReference: 'exceeds-1', ...fields }
    assert.equal((await feed([row])).status, 200)
    assert.ok((await owed()).includes(left), String(await owed()))
  }
  assert.equal(await court.shop.status('moved'), 'disput-paid')
  await assertHealthy(service)
})

onOne('a merchant may agree on the locked rate for everything', async (service) => {
  const { court, pay, owed } = await openMoved(service, { ratePolicy: 'locked' })
  await court.expire()
  await pay(8000_00n)
  assert.ok((await owed()).includes('available 100.000000 USDT'))
  await assertHealthy(service)
})

onOne('a correction keeps the worse rate of late money, and a rejected one gives the credit back', async (service) => {
  const { court, payment, pay, owed } = await openMoved(service)
  await court.expire()
  await pay(8000_00n)
  await setPrice(court, 80)
  for (const decision of [{ decision: 'reject' }, { decision: 'accept', amount: 7600 }]) {
    const { id, amount } = (await court.correct(payment, 7600)).body
    await court.step('confirm', id, { amount }, court.boris)
    assert.ok(!(await owed()).some((line) => line.startsWith('available')))
    assert.equal((await court.step('decision', id, decision)).status, 200)
    const left = decision.decision === 'reject' ? '84.210526' : '80.000000'
    assert.ok((await owed()).includes(`available ${left} USDT`), String(await owed()))
  }
  await assertHealthy(service)
})

onEngines('an overpayment is assigned at the worse rate', async (service) => {
  const { court, payment, pay, owed } = await openMoved(service)
  await pay(8000_00n, 'first')
  await pay(8000_00n, 'again')
  const path = `/overpayments/${payment.merchantId}/${payment.id}/decisions`
  const body = { reference: 'assign it', decision: 'assign', amount: 7600, reason: 'agreed' }
  assert.equal((await court.anna.call('POST', path, body)).status, 200)
  assert.ok((await owed()).includes('available 180.000000 USDT'), String(await owed()))
  await assertHealthy(service)
})

onEngines('more than the cap waits in the inbox, and assigning it opens a dispute', async (service) => {
  const { court, payment, pay, owed } = await openMoved(service, { mismatchBoundPpm: 1_000_000_000 }, 100)
  const { id, outcome, suggestions } = await pay(299_999_00n)
  assert.deepEqual([outcome, suggestions.map(({ orderId }) => orderId)], ['ambiguous', ['moved']])
  const shares = [{ merchantId: payment.merchantId, paymentId: payment.id }]
  const path = `/transfers/${payment.requisiteId}/${id}/assign`
  assert.equal((await court.anna.call('POST', path, { shares })).status, 200)
  assert.equal(await court.shop.status('moved'), 'disput')
  await service.runJobs()
  const [dispute] = (await court.anna.get(`/disputes?merchantId=${payment.merchantId}`)).body.disputes
  await court.step('decision', dispute.id, { decision: 'accept', amount: 195 })
  assert.ok((await owed()).includes('available 2.250000 USDT'), String(await owed()))
  await assertHealthy(service)
})

onEngines('a claim names at most the amount of its payment, or what a bank has reported', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const { requisiteId } = await court.create('claimed', { amount: 2222 })
  const feed = await openApprovedFeed(service, 'claims', [requisiteId])
  const bookedAt = new Date(service.clock.now + minute).toISOString()
  service.clock.advance(hour)
  await service.runJobs()
  assertProblem(await court.claim('claimed', { amount: 250_000 }), 422, 'amount_above_max')
  await payIn(service, { requisiteId, minor: 250_000_00n, channel: 'operator' })
  assertProblem(await court.claim('claimed', { amount: 250_000 }), 422, 'amount_above_max')
  await feed([{ requisiteId, amount: 20_000, currency: 'rub', bookedAt, bankReference: 'far-off' }])
  const claimed = await court.claim('claimed', { amount: 20_000 })
  assert.equal(claimed.status, 201, JSON.stringify(claimed.body))
  const { correction } = (await court.step('decision', claimed.body.id, { decision: 'accept' })).body
  assert.equal(correction.amount, 2222, 'only money of the payment itself covers more')
  await assertHealthy(service)
})

onEngines('more than the payment asked for takes evidence and a second person', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('more', { amount: 2222 })
  await court.expire()
  const { id } = (await court.correct(payment, 250_000)).body
  const accept = { decision: 'accept', amount: 250_000 }
  assert.equal((await court.preview(id, accept)).code, 'invalid_state')
  assertProblem(await court.step('decision', id, accept), 409, 'invalid_state')
  await court.upload('more', pngFile())
  assert.equal((await court.step('decision', id, accept)).body.correction.amount, 250_000)
  const confirm = { amount: 250_000 }
  assertProblem(await court.step('confirm', id, confirm, court.anna), 409, 'invalid_state')
  assert.equal((await court.step('confirm', id, confirm, court.boris)).body.finalAmount, 250_000)
  await assertHealthy(service)
})
