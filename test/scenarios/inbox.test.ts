// What operators do with money that no payment claims: each story ends with all invariants at zero rows.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { getBalances } from '../../src/engine/ledger/read.ts'
import { type Court, type Made, openCourt } from '../support/disputes.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, payIn } from '../support/shop.ts'

const { onEngines } = shareEngines()

type Stray = { readonly requisiteId: string; readonly id: string }

/** Money that came for nobody: its payments had expired long before. */
const stray = async (service: TestService, payment: Made, minor: bigint): Promise<Stray> => {
  const { id, kind } = await payIn(service, { requisiteId: payment.requisiteId, minor })
  assert.equal(kind, 'suspense')
  return { requisiteId: payment.requisiteId, id }
}

const share = (payment: Made, amount: number) => ({ merchantId: payment.merchantId, paymentId: payment.id, amount })

const decide = (court: Court, { requisiteId, id }: Stray, name: string, body: object): Promise<Answer> =>
  court.anna.call('POST', `/transfers/${requisiteId}/${id}/${name}`, body)

const kinds = ({ body }: Answer): string[] =>
  body.parts.map((part: { kind: string; amount: number }) => `${part.kind} ${part.amount}`)

const accountOf = async (service: TestService, account: string): Promise<bigint> =>
  (await getBalances(service.context, { merchantId: null, mode: 'live' })).find(
    (row) => row.account === account && row.currency === 'rub',
  )?.balance ?? 0n

onEngines('an operator assigns a transfer that came after the late window to its payment', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('too-late')
  service.clock.advance(2 * day)
  await service.runJobs()
  const transfer = await stray(service, payment, 5000_00n)
  const body = { shares: [share(payment, 5000)], note: 'the payer called' }
  const [first, second] = await Promise.all([
    decide(court, transfer, 'assign', body),
    decide(court, transfer, 'assign', body),
  ])
  assert.deepEqual(
    [first.status, second.status].toSorted((a, b) => a - b),
    [200, 409],
  )
  const answer = first.status === 200 ? first : second
  assert.deepEqual(kinds(answer), ['payment 5000'])
  assert.equal(answer.body.parts[0].by, 'operator:anna')
  assert.equal(await court.shop.status('too-late'), 'paid')
  assert.deepEqual(await court.ledger(payment), [
    'bank:requisite → fx:rub 500000 rub',
    'fx:rub → fees 540540 USDT',
    'fx:rub → merchant:merchant:available 53513514 USDT',
  ])
  assert.deepEqual(await court.inbox(), [])
  assert.equal((await court.anna.lastAudit()).action, 'transfer.assign')
})

onEngines('one transfer is split over two payments and a rest that goes on waiting', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const one = await court.create('one', { amount: 1000 })
  const two = await court.create('two', { amount: 2000 })
  const transfer = await stray(service, one, 3500_00n)
  const shares = [share(one, 1000), share(two, 2000)]
  assertProblem(await decide(court, transfer, 'assign', { shares: [share(one, 3500.01)] }), 400, 'validation_failed')
  assertProblem(await decide(court, transfer, 'assign', { shares: [shares[0], shares[0]] }), 400, 'validation_failed')
  const split = await decide(court, transfer, 'assign', { shares })
  assert.deepEqual(kinds(split), ['payment 1000', 'payment 2000', 'suspense 500'])
  assert.deepEqual([await court.shop.status('one'), await court.shop.status('two')], ['paid', 'paid'])
  assert.equal((await court.inbox()).length, 1)
  // The payer of the first one sent too much.
  const rest = await decide(court, transfer, 'assign', { shares: [share(one, 500)] })
  assert.deepEqual(kinds(rest), ['payment 1000', 'payment 2000', 'overpayment 500'])
  assert.equal((await court.inbox()).length, 0)
  assert.ok((await court.ledger(one)).includes('bank:requisite → overpayment:payment 50000 rub'))
})

onEngines('money that belongs to no payment is set aside with a reason, and returned to the inbox', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('own')
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'own' })
  const before = await accountOf(service, 'ignored')
  const transfer = await stray(service, payment, 777_00n)
  const ignored = await decide(court, transfer, 'ignore', { reason: 'our own money' })
  assert.deepEqual(kinds(ignored), ['ignored 777'])
  assert.equal(await accountOf(service, 'ignored'), before - 777_00n)
  assert.deepEqual(await court.inbox(), [])
  assertProblem(await decide(court, transfer, 'ignore', { reason: 'again' }), 409, 'invalid_state')
  assert.deepEqual(kinds(await decide(court, transfer, 'unassign', { reason: 'a payer’s after all' })), [
    'suspense 777',
  ])
  assert.equal(await accountOf(service, 'ignored'), before)
  assert.equal((await court.inbox()).length, 1)
  assertProblem(await decide(court, transfer, 'unassign', { reason: 'again' }), 409, 'invalid_state')
})

onEngines('a part that went to the wrong payment is unassigned, and assigned to the right one', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const wrong = await court.create('wrong', { amount: 9000 })
  const part = await payIn(service, { requisiteId: wrong.requisiteId, minor: 4000_00n })
  assert.equal(part.outcome, 'under')
  const right = await court.create('right', { amount: 4000 })
  const transfer = { requisiteId: wrong.requisiteId, id: part.id }
  assert.deepEqual(kinds(await decide(court, transfer, 'unassign', { reason: 'for another order' })), ['suspense 4000'])
  assert.deepEqual(await court.ledger(wrong), [
    'bank:requisite → suspense 400000 rub',
    'suspense → bank:requisite 400000 rub',
  ])
  assert.deepEqual(kinds(await decide(court, transfer, 'assign', { shares: [share(right, 4000)] })), ['payment 4000'])
  assert.equal(await court.shop.status('right'), 'paid')
  service.clock.advance(3 * hour)
  await service.runJobs()
  assert.equal(await court.shop.status('wrong'), 'expired')
})

onEngines('a second transfer after paid is an overpayment, and can be unassigned', async (service) => {
  const court = await openCourt(service)
  const paid = await court.create('paid')
  await payIn(service, { requisiteId: paid.requisiteId, minor: 5000_00n, reference: 'a' })
  const again = await payIn(service, { requisiteId: paid.requisiteId, minor: 5000_00n, reference: 'b' })
  assert.equal(again.outcome, 'paid-again')
  const transfer = { requisiteId: paid.requisiteId, id: again.id }
  assert.deepEqual(kinds(await decide(court, transfer, 'unassign', { reason: 'for another payment' })), [
    'suspense 5000',
  ])
  assert.ok((await court.ledger(paid)).includes('overpayment:payment → bank:requisite 500000 rub'))
  assertProblem(
    await decide(court, { ...transfer, id: paid.id }, 'unassign', { reason: 'unknown' }),
    404,
    'resource_not_found',
  )
})

onEngines('money stays with payments that could have received it', async (service) => {
  const court = await openCourt(service)
  const canceled = await court.create('canceled')
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  const elsewhere = await court.create('elsewhere', { method: 'card-to-card', amount: 6000 })
  const transfer = await stray(service, canceled, 5000_00n)
  for (const payment of [canceled, elsewhere]) {
    const answer = await decide(court, transfer, 'assign', { shares: [share(payment, 5000)] })
    assertProblem(answer, 409, 'invalid_state')
  }
  const nobody = { ...canceled, id: transfer.id }
  assertProblem(await decide(court, transfer, 'assign', { shares: [share(nobody, 1)] }), 404, 'payment_not_found')
  assert.equal((await court.inbox()).length, 1)
})
