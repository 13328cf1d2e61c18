// Rules that book money out. The bound of one person is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { enrolMember } from '../support/console.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { csvOf, mt940Of } from '../support/statement-files.ts'

const environment = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_TRUST_PROXY: '127.0.0.1' }
const { onEngines, onOne } = shareEngines(environment)

/** A day later nobody has explained anything within 24 hours. */
const openAccount = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { requisiteId } = bank
  const list = async (filter = '') => (await anna.get(`/outgoing?requisiteId=${requisiteId}${filter}`)).body.outgoing
  const post = async (path: string, body?: object, by = anna) => {
    const answer = await by.call('POST', path, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  return {
    ...{ ...bank, anna, boris, list, post },
    /** Money that leaves the bank by a file of two people. */
    send: async (minor: bigint, text = 'service fee', payer = 'Some Bank') => {
      await bank.bringAgreed(mt940Of, [{ minor: -minor, text, payer }])
      return (await list('&limit=1'))[0]
    },
    book: (id: string, purpose = 'fee', by = anna) =>
      post(`/outgoing/${requisiteId}/${id}/book`, { purpose, reason: 'as agreed' }, by),
    add: (more: object = {}, by = anna) =>
      post('/outgoing-rules', { requisiteId, text: 'service fee', purpose: 'fee', reason: 'bank fees', ...more }, by),
    states: async () =>
      (await list()).map((each: { amount: number; purpose?: string; state: string; decidedBy?: string }) =>
        [each.amount, each.purpose ?? each.state, each.decidedBy].filter(Boolean).join(' '),
      ),
  }
}

type Row = { amount: number; outcome: string }
const outcomes = ({ rows }: { readonly rows: readonly Row[] }) =>
  rows.map(({ amount, outcome }) => `${amount} ${outcome}`)

onEngines('a rule books within the bound of whoever added it, until another operator approves it', async (service) => {
  const bank = await openAccount(service)
  const { anna, boris, send, add, book, post, states } = bank
  await book((await send(10_00n, 'Service fee, other')).id, 'other')
  await book((await send(20_00n)).id)
  await send(4000_00n)
  await send(30_000_00n, 'rent')
  const tried = await add({ dryRun: true })
  assert.deepEqual(outcomes(tried), ['4000 books', '20 same', '10 other'])
  assert.deepEqual((await anna.get(`/outgoing-rules`)).body.rules, [])
  assert.deepEqual(await states(), [
    '30000 unexplained',
    '4000 unexplained',
    '20 fee operator:anna',
    '10 other operator:anna',
  ])

  const { id, ...rule } = await add()
  assert.deepEqual([rule.addedBy, rule.approvedBy, outcomes(rule)], ['operator:anna', undefined, outcomes(tried)])
  const { action, details } = await anna.lastAudit()
  assert.deepEqual([action, (details['booked'] as string[]).length], ['outgoing-rule.add', 1])
  assert.equal(details['addedAt'], rule.addedAt, 'as people read it')
  const booked = await send(5000_00n)
  assert.deepEqual([booked.state, booked.decidedBy, booked.reason], ['booked', 'operator:anna', 'bank fees'])
  assert.equal(booked.documentId, id)
  // 9,030 roubles of 9,250 are explained.
  await send(221_00n)
  const own = await send(222_00n, 'rent')
  assert.equal((await book(own.id, 'other')).proposedBy, 'operator:anna')
  assert.deepEqual((await states()).slice(0, 2), ['222 other', '221 unexplained'])
  await assertHealthy(service)

  assertProblem(await anna.call('POST', `/outgoing-rules/${id}/approve`), 403, 'second_person_required')
  assert.deepEqual(outcomes(await post(`/outgoing-rules/${id}/approve`, undefined, boris)).slice(0, 2), [
    '221 books',
    '5000 same',
  ])
  assertProblem(await boris.call('POST', `/outgoing-rules/${id}/approve`), 409, 'invalid_state')
  assert.equal((await send(50_000_00n)).decidedBy, 'operator:anna, operator:boris')
  // What two have agreed on is nobody's own word.
  assert.equal((await book((await send(9000_00n, 'rent')).id, 'other', boris)).state, 'booked')
  assert.equal((await post(`/outgoing-rules/${id}/remove`)).reason, 'bank fees')
  assert.equal((await send(1_00n)).state, 'unexplained')
  await assertHealthy(service)
})

onOne('what somebody has explained leaves the rules of the same one less', async (service) => {
  const { send, add, book } = await openAccount(service)
  await book((await send(9000_00n, 'rent')).id, 'other')
  for (const minor of [200_00n, 51_00n]) await send(minor)
  assert.deepEqual(outcomes(await add()), ['51 waits', '200 books'])
  assert.equal((await send(52_00n)).state, 'unexplained')
  assert.equal((await send(50_00n)).decidedBy, 'operator:anna')
})

onOne('a rule leaves what may be something else', async (service) => {
  const { shop, requisiteId, bringAgreed, boris, send, add, book, post, states, list } = await openAccount(service)
  const { id } = await add()
  await post(`/outgoing-rules/${id}/approve`, undefined, boris)
  await shop.create('twice', { amount: 200 })
  for (const reference of ['once', 'again']) await payIn(service, { requisiteId, minor: 200_00n, reference })
  const refund = await send(200_00n, 'service fee and return of twice')
  assert.deepEqual([refund.state, refund.proposals.length], ['unexplained', 1])
  for (const text of ['service fee 1', 'service fee 2'])
    await bringAgreed(csvOf, [{ minor: -300_00n, text, payer: 'Some Bank' }])
  assert.deepEqual((await states()).slice(0, 2), ['300 unexplained', '300 fee operator:anna, operator:boris'])
  assert.equal((await list('&limit=1'))[0].duplicateOf, (await list('&limit=2'))[1].id)
  const large = await send(20_000_00n, 'rent')
  await book(large.id, 'other')
  const other = await add({ text: 'rent', reason: 'rents' })
  assert.deepEqual(outcomes(await post(`/outgoing-rules/${other.id}/approve`, undefined, boris)), ['20000 waits'])
  assert.equal((await send(400_00n, 'rent with service fee')).state, 'unexplained')
  await assertHealthy(service)
})

onOne('what was booked twice is suggested as a rule, which books what waits', async (service) => {
  const { anna, requisiteId, send, book, post } = await openAccount(service)
  const payer = 'Payee 40702810000000009999'
  for (const minor of [1_00n, 2_00n]) await book((await send(minor, 'fee for 40817810000000001111', payer)).id)
  await send(7_00n, 'fee for 40817810000000001111', payer)
  const suggest = async () =>
    (await anna.get('/outgoing-rules/suggestions')).body.suggestions.filter(
      (each: { requisiteId: string }) => each.requisiteId === requisiteId,
    )
  const [{ id, text, times, waiting, purpose }, ...others] = await suggest()
  assert.deepEqual([text, times, waiting, purpose, others.length], ['fee for •••• 1111', 2, 1, 'fee', 0])
  const made = await post(`/outgoing-rules/like/${requisiteId}/${id}`, { purpose, reason: 'monthly' })
  assert.deepEqual(outcomes(made), ['7 books', '2 same', '1 same'])
  assert.doesNotMatch(JSON.stringify([made, await anna.lastAudit()]), /0000/)
  assert.deepEqual(await suggest(), [])
})

onEngines('a withdrawn statement takes what a rule has booked with it', async (service) => {
  const bank = await openAccount(service)
  await bank.add()
  const before = await bank.balanceOf('bank-fees')
  const { id } = await bank.bring(mt940Of, [{ minor: -700_00n, text: 'service fee' }])
  assert.equal((await bank.balanceOf('bank-fees')) - before, 700)
  await bank.post(`/statements/${id}/withdraw`, { reason: 'wrong' })
  await service.runJobs()
  assert.deepEqual([await bank.balanceOf('bank-fees'), await bank.states()], [before, ['700 withdrawn']])
  await assertHealthy(service)
})

onOne('a rule names an account or a currency, and something to know the money by', async (service) => {
  const { anna, account, shop, requisiteId, add, send, post } = await openAccount(service)
  for (const [wanted, field] of [
    [{ text: 'fee' }, 'currency'],
    [{ text: 'fee', requisiteId, currency: 'rub' }, 'currency'],
    [{ requisiteId }, 'text'],
    [{ requisiteId, text: '—' }, 'text'],
  ] as const) {
    const { body } = await anna.call('POST', '/outgoing-rules', { ...wanted, purpose: 'fee', reason: 'fees' })
    assert.deepEqual([body.code, body.errors[0].field], ['validation_failed', field], JSON.stringify(wanted))
  }
  const { id } = await send(1_00n, '—', '')
  const like = await anna.call('POST', `/outgoing-rules/like/${requisiteId}/${id}`, { purpose: 'fee', reason: 'x' })
  assertProblem(like, 400, 'validation_failed')
  const sharing = shop.requisiteIds.find((each) => each !== requisiteId)
  await anna.call('PUT', '/statement-accounts', {
    accounts: [{ number: account, requisiteIds: [requisiteId, sharing] }],
  })
  await send(2_00n)
  const ofOther = await add({ requisiteId: sharing })
  assert.deepEqual([outcomes(ofOther), (await send(4_00n)).state], [['2 books'], 'booked'])
  await post(`/outgoing-rules/${ofOther.id}/remove`)
  await add({ requisiteId: undefined, currency: 'rub', text: undefined, payee: 'some bank', maxAmount: 5.5 })
  assert.deepEqual(
    [(await send(5_50n)).state, (await send(5_51n)).state, (await send(5_50n, 'x', 'Somebody')).state],
    ['booked', 'unexplained', 'unexplained'],
  )
})

/** One token decides about money. */
const alone = { ...environment, PAYIN_OPERATOR_TOKENS: `vera/auditor:${'va1ueOfVera'.repeat(3)}` }

test('the rule of somebody who has lost access books nothing, also where one person is left', async (t) => {
  const service = await openTestService(usualEngine(), { ...alone, PAYIN_SECOND_PERSON_AGE_DAYS: '0' })
  t.after(() => service.stop())
  const { operator, requisiteId, bring } = await openBank(service)
  const send = async (minor: bigint) => {
    await bring(mt940Of, [{ minor: -minor, text: 'service fee' }])
    return (await operator.get('/outgoing?limit=1')).body.outgoing[0]
  }
  const member = await enrolMember(service, { role: 'finance' })
  const rule = { requisiteId, text: 'service fee', purpose: 'fee', reason: 'bank fees' }
  assert.equal((await member.operate('/outgoing-rules', rule)).status, 200)
  assert.equal((await send(1_00n)).decidedBy, `operator:${member.name}`)
  const disabled = await operator.call('PATCH', `/members/${member.name}`, { isDisabled: true })
  assert.equal(disabled.status, 200, JSON.stringify(disabled.body))
  assert.equal((await send(2_00n)).state, 'unexplained')
})

test('the rule of whoever works alone has no bound', async (t) => {
  const service = await openTestService(usualEngine(), alone)
  t.after(() => service.stop())
  const { operator, requisiteId, bring } = await openBank(service)
  const rule = { requisiteId, text: 'service fee', purpose: 'fee', reason: 'bank fees' }
  assert.equal((await operator.call('POST', '/outgoing-rules', rule)).status, 200)
  await bring(mt940Of, [{ minor: -20_000_00n, text: 'service fee' }])
  const [{ state, decidedBy }] = (await operator.get('/outgoing')).body.outgoing
  assert.deepEqual([state, decidedBy], ['booked', 'operator:operator'])
})

onOne('no rule books what goes back to a payer, however many others have paid as much since', async (service) => {
  const bank = await openAccount(service)
  const { anna, boris, requisiteId, shop } = bank
  const { id } = await bank.add({ maxAmount: 2000 })
  assert.equal((await boris.call('POST', `/outgoing-rules/${id}/approve`)).status, 200)
  const text = 'service fee, return to payer'
  const orders = [
    { orderId: 'by name', amount: 1000, payer: { senderName: 'KUZNETSOV ANTON' }, payee: { payer: 'KUZNETSOV ANTON' } },
    { orderId: 'by number', amount: 1200, payer: { sender: '+79991112255' }, payee: { payerAccount: '79991112255' } },
  ]
  for (const { orderId, amount, payer } of orders) {
    const minor = BigInt(amount) * 100n
    await shop.create(orderId, { amount })
    await payIn(service, { requisiteId, minor, channel: 'mt940', ...payer, reference: orderId })
    const bookedAt = new Date(service.clock.now + 1000).toISOString()
    const later = Array.from({ length: 30 }, (_, index) => ({
      ...{ amount, currency: 'rub', bookedAt, bankReference: `${amount}-${index}`, senderName: `PAYER ${index}` },
    }))
    assert.equal((await bank.feed(later)).status, 200)
  }
  await bank.bringAgreed(
    mt940Of,
    orders.map(({ amount, payee }) => ({ minor: BigInt(-amount) * 100n, text, payer: '', ...payee })),
  )
  const rows = (await anna.get(`/outgoing?requisiteId=${requisiteId}`)).body.outgoing
  assert.deepEqual(
    rows
      .map((each: { state: string; proposals: readonly { orderId: string }[] }) => [
        each.state,
        each.proposals.map(({ orderId }) => orderId),
      ])
      .toSorted(),
    [
      ['unexplained', ['by name']],
      ['unexplained', ['by number']],
    ],
  )
})
