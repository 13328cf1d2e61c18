// One person's word is not two because somebody else's report lies next to it.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { recordReversals } from '../../src/engine/transfers/reversals/reversals.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openFeed } from '../support/push.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { exchangeOf, mt940Of } from '../support/statement-files.ts'

const bounds = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' }
const { onEngines, onOne } = shareEngines(bounds)

/** A bank with a feed that two people know, and two operators, each with a day's bound that is not used yet. */
const open = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const feed = await openFeed(service, `feed of ${bank.account}`, [bank.requisiteId])
  await boris.call('POST', `/statement-sources/${feed.sourceId}/approve`, { version: feed.version })
  const { merchantId } = bank.shop
  const bookedAt = new Date(service.clock.now).toISOString()
  const money = { requisiteId: bank.requisiteId, amount: 20_000, currency: 'rub', bookedAt }
  const decide = async (by: typeof anna, id: string, decision: string, more: object = {}) => {
    const transfers = [{ requisiteId: bank.requisiteId, id, decision, ...more }]
    const { body } = await by.call('POST', '/transfers/decide', { transfers, note: 'seen' })
    return { id: body.id, state: body.transfers[0].state, code: body.transfers[0].code }
  }
  return {
    ...{ bank, anna, boris, merchantId, decide },
    report: async (bankReference: string): Promise<string> =>
      (await feed([{ ...money, bankReference }])).body.transfers[0].id,
    typeIn: async (more: object = {}): Promise<string> => {
      const typed = await anna.call('POST', '/transfers', { transfers: [{ ...money, ...more }] })
      assert.equal(typed.status, 200, JSON.stringify(typed.body))
      return typed.body.transfers[0].id
    },
    assign: (by: typeof anna, id: string, paymentId: string) =>
      decide(by, id, 'assign', { shares: [{ merchantId, paymentId }] }),
  }
}

onEngines('what the bank reports is not held up by what one person typed in, nor used twice', async (service) => {
  const { bank, anna, boris, report, typeIn, decide, assign } = await open(service)
  const { body } = await bank.shop.create('fake', { amount: 20_001 })
  const typed = await typeIn()
  const { body: honest } = await bank.shop.create('honest', { amount: 20_000 })
  const pushed = await report('REAL')
  assert.equal(await bank.shop.status('honest'), 'paid')
  const read = async (id: string) => (await anna.get(`/transfers/${bank.requisiteId}/${id}`)).body
  assert.equal((await read(pushed)).paymentId, honest.payment.id)
  // It is not certain that both are the same money, and she cannot say that they are not.
  assert.deepEqual([(await read(typed)).kind, (await read(typed)).duplicateOf], ['suspense', pushed])
  assert.equal((await assign(anna, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await assign(boris, typed, body.payment.id)).code, 'second_person_required')
  const same = await decide(anna, typed, 'same-money')
  assert.equal(same.state, 'done')
  assert.equal((await anna.call('POST', `/decisions/${same.id}/revoke`, { reason: 'a mistake' })).status, 200)
  assert.equal((await assign(anna, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await decide(anna, typed, 'same-money')).state, 'done')
  await service.runJobs()
  await assertHealthy(service)
})

onOne('what the bank says of its money counts, whatever one person typed in before', async (service) => {
  const { bank, anna, boris, typeIn, assign } = await open(service)
  const { body } = await bank.shop.create('fake', { amount: 20_001 })
  const earlier = new Date(service.clock.now - 2 * day).toISOString()
  const [typed, backdated] = [
    await typeIn({ amount: 30_000 }),
    await typeIn({ amount: 31_000, bankReference: 'DATED0000001', bookedAt: earlier }),
  ]
  for (const [amount, order] of [
    [30_000, 'PLAIN-01'],
    [31_000, 'DATED-01'],
  ] as const) {
    await bank.shop.create(order, { amount })
    service.clock.advance(minute)
  }
  const rows = [
    { minor: 30_000_00n, payer: 'PYOTR PAYER', payerAccount: '40817810099910004312', text: 'order PLAIN-01' },
    { minor: 31_000_00n, reference: 'DATED0000001', text: 'order DATED-01' },
  ]
  const { id: file } = await bank.upload(mt940Of, rows)
  assert.equal((await boris.call('POST', `/statements/${file}/confirm`)).status, 200)
  await service.runJobs()
  for (const order of ['PLAIN-01', 'DATED-01']) assert.equal(await bank.shop.status(order), 'paid')
  for (const id of [typed, backdated]) assert.equal((await assign(anna, id, body.payment.id)).code, 'invalid_state')
  await service.runJobs()
  await assertHealthy(service)
})

onOne('a file takes the place of what one person typed in only if its preview says so', async (service) => {
  const { bank, anna, boris, typeIn } = await open(service)
  const { shop, requisiteId } = bank
  const create = async (orderId: string, amount: number) => {
    const { body } = await shop.create(orderId, { amount })
    return [{ merchantId: shop.merchantId, paymentId: body.payment.id }]
  }
  const upload = (orderId: string, minor: bigint) =>
    bank.upload(mt940Of, [{ minor, text: `order ${orderId}`, reference: `R-${orderId}` }])
  const confirm = async (id: string) => {
    assert.equal((await boris.call('POST', `/statements/${id}/confirm`)).status, 200)
    await service.runJobs()
    return (await anna.get(`/statements/${id}/rows`)).body.rows[0].transferId
  }
  // It is used when the file is read, and waits when two have confirmed the file.
  const used = await create('used', 7000)
  const typed = await typeIn({ amount: 6900 })
  const decideAlone = (decision: object) =>
    anna.call('POST', '/transfers/decide', { transfers: [{ requisiteId, id: typed, ...decision }], note: 'seen' })
  assert.equal((await decideAlone({ decision: 'assign', shares: used })).body.transfers[0].state, 'done')
  const shares = await create('HIDDEN-01', 6900)
  const hidden = await upload('HIDDEN-01', 6900_00n)
  assert.deepEqual([hidden.counts.duplicates, hidden.counts.replacing], [1, 0])
  const back = await anna.call('POST', `/transfers/${requisiteId}/${typed}/unassign`, { reason: 'wrong' })
  assert.equal(back.status, 200, JSON.stringify(back.body))
  const id = await confirm(hidden.id)
  const { body } = await anna.get(`/transfers/${requisiteId}/${id}`)
  assert.equal(body.kind, 'suspense')
  assert.match(body.reasons[0], /^the preview of its file showed it/)
  for (const [by, state] of [
    [anna, 'refused'],
    [boris, 'done'],
  ] as const) {
    const transfers = [{ requisiteId, id, decision: 'assign', shares }]
    const { body: decided } = await by.call('POST', '/transfers/decide', { transfers, note: 'seen' })
    assert.equal(decided.transfers[0].state, state)
  }

  await typeIn({ amount: 30_000 })
  await create('SHOWN-01', 30_000)
  const shown = await upload('SHOWN-01', 30_000_00n)
  assert.deepEqual([shown.counts.new, shown.counts.duplicates, shown.counts.replacing], [0, 1, 1])
  await confirm(shown.id)
  assert.equal(await shop.status('SHOWN-01'), 'paid')
  await assertHealthy(service)
})

onOne('money out that a file of one person shows as known becomes new by two', async (service) => {
  const { bank, boris } = await open(service)
  const span = { openedOn: bank.date, closedOn: bank.date }
  await bank.bringAgreed(mt940Of, [{ minor: -50_000_00n, reference: 'RENTRENT0001', text: 'rent' }])
  const held = await bank.balanceOf(`bank:${bank.requisiteId}`)
  const files = []
  for (const reference of ['70011', '70012'])
    files.push(await bank.upload(exchangeOf, [{ minor: -50_000_00n, reference, payer: 'PYOTR PAYER' }], span))
  for (const { id, counts } of files) {
    assert.deepEqual([counts.new, counts.alreadyKnown], [0, 1])
    await bank.confirm(id)
  }
  const { outgoing } = (await boris.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=20`)).body
  const { id } = outgoing.find((each: { state: string }) => each.state === 'duplicate')
  const callOther = async (by: typeof boris) => {
    const wish = { decision: 'other-money', outgoing: [{ requisiteId: bank.requisiteId, id }], reason: 'seen' }
    const { state, decidedBy } = (await by.call('POST', '/outgoing/decide', wish)).body.outgoing[0]
    return [state, decidedBy]
  }
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await callOther(bank.operator), ['duplicate', 'service, operator:operator'])
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), held)
  assert.deepEqual(await callOther(boris), ['unexplained', undefined])
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), held - 50_000)
  await assertHealthy(service)
})

onEngines('a report of one operator is not called separate money by another one alone', async (service) => {
  const { bank, anna, boris, report, typeIn, decide, assign } = await open(service)
  await bank.shop.create('paid', { amount: 20_000 })
  await report('ONLY')
  assert.equal(await bank.shop.status('paid'), 'paid')
  const { body } = await bank.shop.create('of boris', { amount: 20_001 })
  const typed = await typeIn()
  // What anna typed in is the money that the bank has reported, as far as she has said.
  assert.equal((await assign(boris, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await decide(boris, typed, 'other-money')).state, 'done')
  const unassign = `/transfers/${bank.requisiteId}/${typed}/unassign`
  assert.equal((await boris.call('POST', unassign, { reason: 'separate' })).status, 200)
  assert.equal((await assign(boris, typed, body.payment.id)).code, 'second_person_required')
  // Nor has he said that it came, so she does not assign it herself.
  assert.equal((await assign(anna, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await decide(anna, typed, 'other-money')).state, 'done')
  assert.equal((await boris.call('POST', unassign, { reason: 'separate' })).status, 200)
  assert.equal((await assign(boris, typed, body.payment.id)).state, 'done')
  await service.runJobs()
  await assertHealthy(service)
})

onOne('money within the bound that its reporter uses again gives way to the report of the bank', async (service) => {
  const { bank, anna, typeIn, decide } = await open(service)
  const bankReference = `AGAIN ${bank.account}`
  const typed = await typeIn({ amount: 9000, bankReference })
  service.clock.advance(minute)
  assert.equal((await decide(anna, typed, 'ignore')).state, 'done')
  const unassign = `/transfers/${bank.requisiteId}/${typed}/unassign`
  assert.equal((await anna.call('POST', unassign, { reason: 'again' })).status, 200)
  await bank.shop.create('honest', { amount: 9000 })
  await bank.push(bankReference, { amount: 9000, text: 'order honest' })
  assert.equal(await bank.shop.status('honest'), 'paid')
})

onOne('outgoing money did not come in as what the same person typed in', async (service) => {
  const { bank, anna, boris } = await open(service)
  const other = await openBank(service)
  await bank.bringAgreed(mt940Of, [{ minor: -20_000_00n, payer: 'Somebody' }])
  const { body } = await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)
  const path = `/outgoing/${bank.requisiteId}/${body.outgoing[0].id}/book`
  const bookedAt = new Date(service.clock.now).toISOString()
  const arrived = { requisiteId: other.requisiteId, amount: 20_000, currency: 'rub', bookedAt }
  const typed = await anna.call('POST', '/transfers', { transfers: [arrived] })
  const own = { purpose: 'own-account', reason: 'ours', transferId: typed.body.transfers[0].id }
  assertProblem(await anna.call('POST', path, own), 409, 'invalid_state')
  assertProblem(await boris.call('POST', path, own), 409, 'invalid_state')
})

onOne('a refunded overpayment is not taken back on the word of one person', async (service) => {
  const { bank, anna, merchantId } = await open(service)
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  const ids: string[] = []
  for (const each of ['first', 'second']) {
    const reference = `${each} of ${bank.account}`
    ids.push((await payIn(service, { requisiteId: bank.requisiteId, minor: 20_000_00n, reference })).id)
  }
  const wanted = { reference: 'given', decision: 'refund', requisiteId: bank.requisiteId, reason: 'given back' }
  const path = `/overpayments/${merchantId}/${body.payment.id}/decisions`
  assert.equal((await anna.call('POST', path, wanted)).status, 200)
  await bank.bringAgreed(mt940Of, [{ minor: -20_000_00n, payer: 'Somebody' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
  const confirm = `/outgoing/${bank.requisiteId}/${sent.id}/confirm`
  assertProblem(await anna.call('POST', confirm, { transferId: ids[1] }), 403, 'second_person_required')
  assertProblem(await bank.decide(ids[1] ?? '', 'reverse', { reason: 'x' }), 403, 'second_person_required')
})

onOne('an assigned overpayment that one person says was taken back leaves its merchant', async (service) => {
  const { bank, anna, merchantId } = await open(service)
  const available = async () => (await bank.shop.get('/balance')).body.available
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  const ids: string[] = []
  for (const each of ['first', 'second']) {
    const reference = `${each} of ${bank.account}`
    ids.push((await payIn(service, { requisiteId: bank.requisiteId, minor: 20_000_00n, reference })).id)
  }
  const once = await available()
  const wanted = { reference: 'given', decision: 'assign', reason: 'ours' }
  const path = `/overpayments/${merchantId}/${body.payment.id}/decisions`
  assert.equal((await anna.call('POST', path, wanted)).status, 200)
  await bank.bringAgreed(mt940Of, [{ minor: -20_000_00n, text: `return of ${body.payment.id}` }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
  const confirm = `/outgoing/${bank.requisiteId}/${sent.id}/confirm`
  assert.equal((await anna.call('POST', confirm, { transferId: ids[1] })).body.purpose, 'reversal')
  assert.equal(await available(), once)
})

onOne(
  'a refund that one person takes back is not given to the merchant if the bank has taken the money',
  async (service) => {
    const { bank, anna, merchantId } = await open(service)
    const { requisiteId } = bank
    const { body } = await bank.shop.create('twice', { amount: 20_000 })
    const paymentId = body.payment.id
    for (const each of ['first', 'second'])
      await payIn(service, { requisiteId, minor: 20_000_00n, reference: `${each} of ${bank.account}` })
    await bank.bringAgreed(mt940Of, [{ minor: -20_000_00n, text: `return of ${body.payment.id}` }])
    const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
    const book = (verb: string, fields: object) =>
      anna.call('POST', `/outgoing/${requisiteId}/${sent.id}/${verb}`, fields)
    assert.equal((await book('confirm', { merchantId, paymentId })).body.purpose, 'refund')
    const second = `second of ${bank.account}`
    assert.ok(await reportReversal(service, requisiteId, 20_000_00n, second))
    assert.equal((await book('unbook', { reason: 'a mistake' })).body.state, 'unexplained')
    const path = `/overpayments/${merchantId}/${paymentId}/decisions`
    const wanted = { reference: 'given', decision: 'assign', reason: 'ours' }
    for (const amount of [{}, { amount: 1 }])
      assertProblem(await anna.call('POST', path, { ...wanted, ...amount }), 409, 'balance_insufficient')
    assert.equal((await anna.call('POST', path, { ...wanted, decision: 'write-off', amount: 1 })).status, 200)
  },
)

let reports = 0
/** The bank's report of a reversal, by default of one that means no transfer for certain. Returns its id. */
const reportReversal = async (
  service: TestService,
  requisiteId: string,
  amount: bigint,
  reference?: string,
): Promise<string> => {
  const fields = { requisiteId, currency: 'rub', amount, bookedAt: service.clock.now, sender: null }
  const named = { bankReference: reference ?? `UNKNOWN-${++reports}`, source: 'file', channel: 'file:x' }
  const report = { ...fields, ...named, dedupeKey: `reversal:${named.bankReference}` }
  const [done] = await service.context.transaction((tx) => recordReversals(tx, [report]))
  assert.ok(done)
  assert.equal(done.transferId === null, reference === undefined)
  return done.id
}

onEngines('a reversal beyond the bound of one person is set aside by two', async (service) => {
  const { bank, anna, boris } = await open(service)
  const { requisiteId } = bank
  const nameless = ({ requisite: _, ...rest }: Record<string, unknown>) => rest
  const ignore = async (by: typeof anna, id: string) =>
    by.call('POST', `/reversals/${requisiteId}/${id}/ignore`, { reason: 'before our time' })
  const listed = async () =>
    (await anna.get('/reversals?limit=100')).body.reversals.filter(
      (each: { requisiteId: string }) => each.requisiteId === requisiteId,
    )
  const large = await reportReversal(service, requisiteId, 19_000_00n)
  for (let times = 0; times < 2; times++)
    assert.deepEqual(nameless((await ignore(anna, large)).body), {
      requisiteId,
      id: large,
      proposedBy: 'operator:anna',
    })
  const proposal = await anna.lastAudit()
  assert.deepEqual([proposal.action, proposal.details['proposed']], ['reversal.ignore', true])
  const [{ proposedBy, reason }] = await listed()
  assert.deepEqual([proposedBy, reason], ['operator:anna', 'before our time'])
  assert.deepEqual(nameless((await ignore(boris, large)).body), { requisiteId, id: large })
  assert.deepEqual([(await boris.lastAudit()).details['proposed'], await listed()], [undefined, []])
  // 9,250 roubles are the bound of each; what two have set aside does not count.
  const [first, second, third] = [
    await reportReversal(service, requisiteId, 5000_00n),
    await reportReversal(service, requisiteId, 4000_00n),
    await reportReversal(service, requisiteId, 300_00n),
  ]
  const proposedFor = async (by: typeof anna, id: string) => (await ignore(by, id)).body.proposedBy
  assert.equal(await proposedFor(anna, first), undefined)
  assert.equal(await proposedFor(anna, second), undefined)
  assert.equal(await proposedFor(anna, third), 'operator:anna')
  service.clock.advance(25 * hour)
  assert.equal(await proposedFor(anna, third), undefined)
  // One that its transfer explains is no longer proposed.
  const early = await reportReversal(service, requisiteId, 19_500_00n)
  await ignore(anna, early)
  await payIn(service, { requisiteId, minor: 19_500_00n, reference: `UNKNOWN-${reports}` })
  await service.runJobs()
  assert.deepEqual(await listed(), [])
  await assertHealthy(service)
})

onOne('a reversal is not assigned by one person to a transfer whose money was given away', async (service) => {
  const { bank, anna, merchantId } = await open(service)
  const { requisiteId } = bank
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  const ids: string[] = []
  for (const each of ['first', 'second']) {
    const reference = `${each} of ${bank.account}`
    ids.push((await payIn(service, { requisiteId, minor: 20_000_00n, reference })).id)
  }
  const wanted = { reference: 'given', decision: 'refund', requisiteId, amount: 5000, reason: 'given back' }
  const decided = await anna.call('POST', `/overpayments/${merchantId}/${body.payment.id}/decisions`, wanted)
  assert.equal(decided.status, 200)
  const reversal = `/reversals/${requisiteId}/${await reportReversal(service, requisiteId, 19_000_00n)}`
  for (const verb of ['preview', 'assign'])
    assertProblem(await anna.call('POST', `${reversal}/${verb}`, { transferId: ids[1] }), 403, 'second_person_required')
  assert.equal((await anna.call('POST', `${reversal}/assign`, { transferId: ids[0] })).status, 200)
})

onOne('nobody takes the name of a decision that the service records', async (service) => {
  const { bank, anna, merchantId } = await open(service)
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  for (const reference of ['first', 'second'])
    await payIn(service, {
      requisiteId: bank.requisiteId,
      minor: 20_000_00n,
      reference: `${reference} ${bank.account}`,
    })
  const wanted = { reference: 'outgoing:1', decision: 'assign', reason: 'ours' }
  const refused = await anna.call('POST', `/overpayments/${merchantId}/${body.payment.id}/decisions`, wanted)
  assertProblem(refused, 400, 'validation_failed', ['reference'])
})

onEngines('money between own accounts is not named as what the bank has taken back', async (service) => {
  const { bank, anna, boris } = await open(service)
  const { requisiteId } = bank
  const other = await openBank(service)
  const { id: transferId } = await payIn(service, { requisiteId, minor: 20_003_00n, reference: `OWN ${bank.account}` })
  await other.bringAgreed(mt940Of, [{ minor: -20_003_00n, payer: 'Ours' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${other.requisiteId}&limit=1`)).body.outgoing
  const own = { purpose: 'own-account', reason: 'ours', transferId }
  const outgoing = `/outgoing/${other.requisiteId}/${sent.id}`
  assert.equal((await boris.call('POST', `${outgoing}/book`, own)).body.state, 'booked')
  // The reversal of a credit of this amount, or a payout.
  const reversal = await reportReversal(service, requisiteId, 20_003_00n)
  await bank.bringAgreed(mt940Of, [{ minor: -20_003_00n, payer: 'Somebody' }])
  const [payout] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
  for (const refused of [
    await anna.call('POST', `/reversals/${requisiteId}/${reversal}/assign`, { transferId }),
    await anna.call('POST', `/outgoing/${requisiteId}/${payout.id}/confirm`, { transferId }),
    await anna.call('POST', `/transfers/${requisiteId}/${transferId}/reverse`, { reason: 'the bank took it' }),
  ]) {
    assertProblem(refused, 409, 'invalid_state')
    assert.match(refused.body.detail, /^It is the other side of outgoing transfer .*: unbook that one first\.$/)
  }
  assert.equal((await boris.call('POST', `${outgoing}/unbook`, { reason: 'a mistake' })).status, 200)
  const unassign = `/transfers/${requisiteId}/${transferId}/unassign`
  service.clock.advance(1000)
  assert.equal((await boris.call('POST', unassign, { reason: 'a mistake' })).status, 200)
  const named = await anna.call('POST', `/reversals/${requisiteId}/${reversal}/assign`, { transferId })
  assert.equal(named.status, 200)
  await assertHealthy(service)
})
