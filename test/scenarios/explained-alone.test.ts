// Money out that one operator alone explains: what nobody else has checked may have been the refund of an overpayment. The
// bound is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { enrolMember } from '../support/console.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { csvOf, mt940Of } from '../support/statement-files.ts'

const environment = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_TRUST_PROXY: '127.0.0.1' }
const { onEngines, onOne } = shareEngines(environment)

type Booking = { purpose: string; reason?: string; merchantId?: string; settlementId?: string; transferId?: string }

/** A day later nobody has explained anything within 24 hours. */
const openAccount = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const path = `/outgoing/${bank.requisiteId}`
  return {
    ...{ ...bank, anna, boris },
    outgoing: async (filter = '') =>
      (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}${filter}`)).body.outgoing,
    /** Money that leaves the bank; returns what books it. */
    send: async (minor: bigint, text = '') => {
      await bank.bring(mt940Of, [{ minor: -minor, text, payer: 'Somebody' }])
      const [{ id }] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
      return {
        id: id as string,
        read: async () => (await anna.get(`${path}/${id}`)).body,
        call: (verb: string, body: object, by = anna) => by.call('POST', `${path}/${id}/${verb}`, body),
        book: (booking: Booking, by = anna) =>
          by.call('POST', `${path}/${id}/book`, { reason: 'as agreed', ...booking }),
      }
    },
  }
}

onEngines('beyond the bound of one person, two book the same purpose', async (service) => {
  const bank = await openAccount(service)
  const [before, expenses] = [await bank.balanceOf('unexplained'), await bank.balanceOf('expenses')]
  const moved = async () => [
    (await bank.balanceOf('unexplained')) - before,
    (await bank.balanceOf('expenses')) - expenses,
  ]
  const rent = await bank.send(20_000_00n)
  for (let times = 0; times < 2; times++) {
    const { status, body } = await rent.book({ purpose: 'other', reason: 'rent' })
    assert.deepEqual(
      [status, body.state, body.purpose, body.reason, body.proposedBy, body.decidedBy, body.decidedAt],
      [200, 'unexplained', 'other', 'rent', 'operator:anna', undefined, undefined],
    )
  }
  const proposal = await bank.anna.lastAudit()
  assert.deepEqual(
    [proposal.actor, proposal.action, proposal.details['purpose'], proposal.details['proposed']],
    ['operator:anna', 'outgoing.book', 'other', true],
  )
  assert.deepEqual(await moved(), [20_000, 0])
  await assertHealthy(service)
  // It is unexplained for everybody else.
  assert.deepEqual(
    [(await bank.outgoing('&purpose=other')).length, (await bank.outgoing('&state=unexplained')).length],
    [0, 1],
  )
  assert.equal((await rent.call('unbook', { reason: 'mine' })).body.code, 'invalid_state')

  const { body } = await rent.book({ purpose: 'other', reason: 'rent of May' }, bank.boris)
  assert.deepEqual(
    [body.state, body.purpose, body.reason, body.proposedBy, body.decidedBy],
    ['booked', 'other', 'rent of May', undefined, 'operator:anna, operator:boris'],
  )
  const agreement = await bank.anna.lastAudit()
  assert.deepEqual([agreement.actor, agreement.details['proposed']], ['operator:boris', undefined])
  assert.deepEqual(await moved(), [0, 20_000])
  // What two have explained leaves each the bound of one.
  assert.equal((await (await bank.send(9000_00n)).book({ purpose: 'fee' })).body.state, 'booked')
  assert.equal((await (await bank.send(9100_00n)).book({ purpose: 'fee' }, bank.boris)).body.state, 'booked')
  await assertHealthy(service)
})

onOne('what one operator explains within a day is summed', async (service) => {
  const bank = await openAccount(service)
  const book = async (minor: bigint, purpose: string) => (await (await bank.send(minor)).book({ purpose })).body
  assert.equal((await book(4000_00n, 'fee')).state, 'booked')
  assert.equal((await book(5000_00n, 'settlement')).state, 'booked')
  assert.equal((await book(250_00n, 'other')).decidedBy, 'operator:anna')
  const penny = await bank.send(1n)
  assert.equal((await penny.book({ purpose: 'other' })).body.state, 'unexplained')
  // Unbooking makes the money a question again, and room for other money.
  const [rest] = await bank.outgoing('&purpose=other')
  const unbooked = await bank.anna.call('POST', `/outgoing/${bank.requisiteId}/${rest.id}/unbook`, { reason: 'wrong' })
  assert.equal(unbooked.body.state, 'unexplained')
  assert.equal((await penny.book({ purpose: 'other' })).body.state, 'booked')
  // Money between own accounts is proved by the transfer that arrived.
  const other = await openBank(service)
  await payIn(service, { requisiteId: other.requisiteId, minor: 50_000_00n, reference: `own-${service.engine}` })
  const own = await bank.send(50_000_00n)
  assert.equal((await own.book({ purpose: 'other' })).body.state, 'unexplained')
  const paired = (await own.book({ purpose: 'own-account' })).body
  assert.deepEqual([paired.state, paired.purpose, paired.decidedBy], ['booked', 'own-account', 'operator:anna'])
  service.clock.advance(25 * hour)
  assert.equal((await book(9000_00n, 'fee')).state, 'booked')
  await assertHealthy(service)
})

onOne('what another operator has booked stays booked, however small it is', async (service) => {
  const bank = await openAccount(service)
  const fee = await bank.send(100n)
  assert.equal((await fee.book({ purpose: 'fee' })).body.state, 'booked')
  assertProblem(await fee.call('unbook', { reason: 'mine' }, bank.boris), 403, 'second_person_required')
  assert.equal((await fee.call('unbook', { reason: 'wrong' })).body.state, 'unexplained')
})

onEngines('another purpose or settlement is another proposal', async (service) => {
  const bank = await openAccount(service)
  const { merchantId } = bank.shop
  const paid = await bank.send(20_000_00n)
  const propose = async (booking: Booking, by = bank.anna) => {
    const { body } = await paid.book(booking, by)
    return [body.state, body.purpose, body.documentId, body.proposedBy ?? body.decidedBy]
  }
  await propose({ purpose: 'other' })
  assert.deepEqual(await propose({ purpose: 'fee' }, bank.boris), ['unexplained', 'fee', undefined, 'operator:boris'])
  assert.deepEqual(await propose({ purpose: 'other' }), ['unexplained', 'other', undefined, 'operator:anna'])

  await bank.shop.create('sold', { amount: 9000 })
  await payIn(service, { requisiteId: bank.requisiteId, minor: 9000_00n, reference: `sold-${service.engine}` })
  const destinationId = await openDestination(service, merchantId)
  const settle = async (reference: string): Promise<string> => {
    const wish = { merchantId, reference, destinationId, amount: 10 }
    const { body } = await bank.anna.call('POST', '/settlements', wish)
    assert.equal((await bank.boris.call('POST', `/settlements/${merchantId}/${body.id}/approve`)).status, 200)
    return body.id
  }
  const [one, two] = [await settle('one'), await settle('two')]
  const to = (settlementId: string) => ({ purpose: 'settlement', merchantId, settlementId })
  assert.deepEqual(await propose(to(one)), ['unexplained', 'settlement', one, 'operator:anna'])
  assert.deepEqual(await propose({ purpose: 'settlement' }, bank.boris), [
    'unexplained',
    'settlement',
    undefined,
    'operator:boris',
  ])
  assert.deepEqual(await propose(to(two)), ['unexplained', 'settlement', two, 'operator:anna'])
  await assertHealthy(service)
  assert.deepEqual(await propose(to(one), bank.boris), ['unexplained', 'settlement', one, 'operator:boris'])
  assert.deepEqual(await propose(to(one)), ['booked', 'settlement', one, 'operator:boris, operator:anna'])
  await assertHealthy(service)
})

onOne('a proposal explains nothing: the money is confirmed, withdrawn or a duplicate as before', async (service) => {
  const bank = await openAccount(service)
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  for (const reference of ['once', 'again'])
    await payIn(service, {
      requisiteId: bank.requisiteId,
      minor: 20_000_00n,
      reference: `${reference}-${service.engine}`,
    })
  const refund = await bank.send(20_000_00n, `return of ${body.payment.id}`)
  await refund.book({ purpose: 'other' })
  assert.equal((await refund.read()).proposals[0].paymentId, body.payment.id)
  const confirmed = (await refund.call('confirm', {})).body
  assert.deepEqual(
    [confirmed.state, confirmed.purpose, confirmed.paymentId, confirmed.decidedBy, confirmed.proposedBy],
    ['booked', 'refund', body.payment.id, 'operator:anna', undefined],
  )

  const rows = (text: string) => [{ minor: -30_000_00n, text, payer: 'Somebody' }]
  await bank.bring(csvOf, rows('first'))
  const again = await bank.bring(csvOf, rows('second'))
  const [doubtful] = await bank.outgoing()
  const book = async () => {
    const booked = await bank.anna.call('POST', `/outgoing/${bank.requisiteId}/${doubtful.id}/book`, {
      ...{ purpose: 'other', reason: 'rent' },
    })
    assert.deepEqual([booked.body.state, booked.body.purpose], ['unexplained', 'other'])
  }
  const decide = async (decision: string, by = bank.anna) => {
    const wish = { decision, outgoing: [{ requisiteId: bank.requisiteId, id: doubtful.id }], reason: 'seen' }
    const decided = await by.call('POST', '/outgoing/decide', wish)
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
    const { state, purpose, proposedBy } = decided.body.outgoing[0]
    return [state, purpose, proposedBy]
  }
  await book()
  // It may have been the refund of another overpayment, so two must say that it was the same money, too.
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await decide('same-money'), ['unexplained', undefined, 'operator:anna'])
  assert.deepEqual((await bank.anna.lastAudit()).details['proposed'], [doubtful.id])
  await assertHealthy(service)
  assert.deepEqual(await decide('same-money', bank.boris), ['duplicate', undefined, undefined])
  await assertHealthy(service)
  // Both take it back, else one would bring the money out again.
  assert.deepEqual(await decide('other-money'), ['duplicate', undefined, undefined])
  assert.deepEqual((await bank.anna.lastAudit()).details['proposed'], [doubtful.id])
  assert.deepEqual(await decide('other-money', bank.boris), ['unexplained', undefined, undefined])
  await book()
  for (const by of [bank.operator, bank.boris]) {
    const withdrawn = await by.call('POST', `/statements/${again.id}/withdraw`, { reason: 'wrong' })
    assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body))
  }
  await service.runJobs()
  const [last] = await bank.outgoing('&state=withdrawn')
  assert.deepEqual([last.id, last.purpose, last.proposedBy], [doubtful.id, undefined, undefined])
  await assertHealthy(service)
})

onOne('what one operator calls the same money counts as explained', async (service) => {
  const bank = await openAccount(service)
  const rows = (text: string) => [{ minor: -5000_00n, text, payer: 'Somebody' }]
  for (const text of ['first', 'second']) await bank.bring(csvOf, rows(text))
  const [{ id }] = await bank.outgoing()
  const outgoing = [{ requisiteId: bank.requisiteId, id }]
  const decide = async (decision: string) => {
    const { body } = await bank.anna.call('POST', '/outgoing/decide', { decision, outgoing, reason: 'seen' })
    return body.outgoing[0].state
  }
  assert.equal(await decide('same-money'), 'duplicate')
  const fee = await bank.send(5001_00n)
  assert.equal((await fee.book({ purpose: 'fee' })).body.state, 'unexplained')
  assert.equal(await decide('other-money'), 'unexplained')
  assert.equal((await fee.book({ purpose: 'fee' })).body.state, 'booked')
})

onOne(
  'what the service books as what one has announced is summed, also if that one would unbook it',
  async (service) => {
    const { anna, shop, requisiteId, bringAgreed, outgoing } = await openAccount(service)
    const { merchantId } = shop
    const leave = async (amount: number, text: string) => {
      service.clock.advance(hour / 60)
      await bringAgreed(mt940Of, [{ minor: BigInt(-amount) * 100n, payer: '', text: `ATM CASH ${text}` }])
      return (await outgoing('&limit=1'))[0]
    }
    const refund = async (amount: number, word: string) => {
      const { body: paid } = await shop.create(`twice-${amount}`, { amount })
      for (const reference of ['A', 'B'])
        await payIn(service, { requisiteId, minor: BigInt(amount) * 100n, reference: `${reference} ${amount}` })
      const decision = { reference: word, decision: 'refund', requisiteId, reason: 'paid twice' }
      await anna.call('POST', `/overpayments/${merchantId}/${paid.payment.id}/decisions`, decision)
      return leave(amount, word)
    }
    const first = await refund(4000, 'tverskaya')
    const { body } = await anna.call('POST', `/outgoing/${requisiteId}/${first.id}/unbook`, { reason: 'x' })
    assert.deepEqual([body.state, body.decidedBy], ['booked', 'service, operator:anna'])
    // Money that the operator has moved to an order named like the cash.
    const { id } = await payIn(service, { requisiteId, minor: 4001_00n, reference: 'moved' })
    service.clock.advance(hour / 60)
    const { body: order } = await shop.create('arbat-70111', { amount: 4001 })
    const shares = [{ merchantId, paymentId: order.payment.id }]
    await anna.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
    await anna.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'the bank says so' })
    assert.deepEqual(
      [(await leave(4001, 'arbat-70111')).state, (await refund(4002, 'sadovaya')).state],
      ['booked', 'unexplained'],
    )
  },
)

onOne('nobody agrees with oneself: a new account explains nothing, and is no second person', async (service) => {
  const bank = await openAccount(service)
  const [fee, large] = [await bank.send(1_00n), await bank.send(20_000_00n)]
  await large.book({ purpose: 'fee' })
  const puppet = await enrolMember(service, { role: 'finance' })
  const body = { purpose: 'fee', reason: 'monthly' }
  const book = async (id: string) => puppet.operate(`/outgoing/${bank.requisiteId}/${id}/book`, body)
  assert.equal((await book(fee.id)).body.proposedBy, `operator:${puppet.name}`)
  assertProblem(await book(large.id), 403, 'second_person_required')
  assert.equal((await large.read()).proposedBy, 'operator:anna')
})

onOne('the refund of an overpayment is not explained away and given to the merchant', async (service) => {
  for (const isFirst of [true, false]) {
    const bank = await openAccount(service)
    const start = await bank.balanceOf('unexplained')
    const amounts = [3000, 3100, 3200, 20_000]
    for (const amount of amounts) {
      const reference = `${service.engine}-${isFirst}-${amount}`
      const { body } = await bank.shop.create(reference, { amount })
      const minor = BigInt(amount) * 100n
      for (const each of ['paid', 'paid again'])
        await payIn(service, { requisiteId: bank.requisiteId, minor, reference: `${reference} ${each}` })
      const assign = async () => {
        const path = `/overpayments/${bank.shop.merchantId}/${body.payment.id}/decisions`
        const decision = { reference, decision: 'assign', reason: 'ours' }
        assert.equal((await bank.anna.call('POST', path, decision)).status, 200)
      }
      if (isFirst) await assign()
      await (await bank.send(minor)).book({ purpose: 'other', reason: 'rent' })
      if (!isFirst) await assign()
    }
    // Two of them are explained: 6,100 roubles, and with the third one it would be 9,300.
    assert.equal((await bank.balanceOf('unexplained')) - start, 23_200)
    assert.equal((await bank.outgoing('&state=unexplained')).length, 2)
    await assertHealthy(service)
  }
})

test('whoever works alone explains without a bound', async (t) => {
  const only = { PAYIN_OPERATOR_TOKENS: `vera/auditor:${'va1ueOfVera'.repeat(3)}` }
  const service = await openTestService(usualEngine(), { ...environment, ...only })
  t.after(() => service.stop())
  const bank = await openBank(service)
  await bank.bring(mt940Of, [{ minor: -20_000_00n }])
  const [{ id }] = (await bank.operator.get('/outgoing')).body.outgoing
  const body = { purpose: 'other', reason: 'rent' }
  const booked = await bank.operator.call('POST', `/outgoing/${bank.requisiteId}/${id}/book`, body)
  assert.deepEqual([booked.body.state, booked.body.decidedBy], ['booked', 'operator:operator'])
})
