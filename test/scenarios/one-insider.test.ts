// What one dishonest operator, Anna, cannot gain from money that banks reported and honest operators decided about. The
// bound of one person is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { type MadeRow, mt940Of } from '../support/statement-files.ts'

const bounds = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' }
const { onEngines, onOne } = shareEngines(bounds)

/** A bank with a feed that two people know and files that two confirm, and operators whose day's bound is unused. */
const open = async (service: TestService) => {
  // From nine in the morning on, 25 hours end on the next day in the zone of the accounts.
  const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
  service.clock.advance(morning - service.clock.now)
  const bank = await openBank(service)
  const [anna, boris, vera] = [openOperator(service, 'anna'), openOperator(service, 'boris'), openOperator(service)]
  const { requisiteId, shop, feed } = bank
  await boris.call('POST', `/statement-sources/${feed.sourceId}/approve`, { version: feed.version })
  const decide = async (by: typeof anna, id: string, decision: string, more: object = {}) => {
    const transfers = [{ requisiteId, id, decision, ...more }]
    const { body } = await by.call('POST', '/transfers/decide', { transfers, note: 'seen' })
    return body.transfers[0].code ?? body.transfers[0].state
  }
  return {
    ...{ bank, anna, boris, vera, requisiteId, decide },
    merchantId: shop.merchantId,
    available: async () => (await shop.get('/balance')).body.available,
    bringAgreed: async (rows: readonly Partial<MadeRow>[]): Promise<string> =>
      (await bank.bringAgreed(mt940Of, rows)).id,
    assign: (by: typeof anna, id: string, paymentId: string) =>
      decide(by, id, 'assign', { shares: [{ merchantId: shop.merchantId, paymentId }] }),
    act: (by: typeof anna, id: string, verb: string, more: object = {}) =>
      by.call('POST', `/transfers/${requisiteId}/${id}/${verb}`, { reason: 'seen', ...more }),
    /** The reversals of the account that wait. */
    waitingReversals: async () =>
      (await anna.get('/reversals?limit=100')).body.reversals.filter(
        (each: { requisiteId: string }) => each.requisiteId === requisiteId,
      ),
    duplicateOf: async (id: string): Promise<string> =>
      (await anna.get(`/transfers?requisiteId=${requisiteId}&limit=20`)).body.transfers.find(
        (each: { duplicateOf?: string }) => each.duplicateOf === id,
      ).id,
  }
}

onOne('a duplicate that one person returns to the inbox absorbs no chargeback and no refund', async (service) => {
  const { bank, anna, boris, requisiteId, decide, available, bringAgreed, act, ...world } = await open(service)
  await bank.shop.create('mine', { amount: 20_000 })
  const pushed = await bank.push(`BOTH-${service.engine}`, { amount: 20_000 })
  await bringAgreed([{ minor: 20_000_00n, text: 'x', reference: `FILE00BOTH${service.engine}` }])
  const duplicate = await world.duplicateOf(pushed)
  const credited = await available()
  assert.equal((await act(anna, duplicate, 'unassign')).status, 200)
  await bringAgreed([
    { minor: -20_000_00n, reversal: true, reference: `BACK${service.engine}`, text: 'chargeback' },
    { minor: -20_000_00n, reference: `OUT${service.engine}`, text: 'out' },
  ])
  const [reversal] = await world.waitingReversals()
  const name = (by: typeof anna, transferId: string) =>
    by.call('POST', `/reversals/${requisiteId}/${reversal.id}/assign`, { transferId })
  const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
  const confirm = `/outgoing/${requisiteId}/${sent.id}/confirm`
  for (const refused of [
    await name(anna, duplicate),
    await act(anna, duplicate, 'reverse'),
    await anna.call('POST', confirm, { transferId: duplicate }),
  ]) {
    assertProblem(refused, 409, 'invalid_state')
    assert.match(refused.body.detail, /^It may be the same money as transfer .*: name that one, or decide first/)
  }
  // Nor when she calls it other money.
  assert.equal(await decide(anna, duplicate, 'other-money'), 'done')
  assertProblem(await name(anna, duplicate), 409, 'invalid_state')
  assert.equal(await available(), credited)
  assert.equal((await name(anna, pushed)).status, 200)
  assert.equal(await available(), 0)
  await assertHealthy(service)
})

onOne('ignored money that was sent back is not used again by one person', async (service) => {
  const world = await open(service)
  const { bank, anna, boris, vera, requisiteId, decide, assign, act, available } = world
  const other = await openBank(service)
  const come = async (amount: number, on = requisiteId) => {
    const reference = `STRAY ${amount} ${on}`
    return (await payIn(service, { requisiteId: on, minor: BigInt(amount) * 100n, reference })).id
  }
  let sendings = 0
  const send = async (amount: number) => {
    const rows = [{ minor: BigInt(-amount) * 100n, reference: `SENT0000${++sendings}${service.engine}` }]
    await bank.bringAgreed(mt940Of, rows)
    return (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing[0].id as string
  }
  const [stray, elsewhere] = [await come(20_001), await come(20_002, other.requisiteId)]
  assert.equal(await decide(boris, stray, 'ignore'), 'done')
  const sent = await send(20_001)
  const book = (by: typeof anna, id: string, more: object) =>
    by.call('POST', `/outgoing/${requisiteId}/${id}/book`, { reason: 'sent back', ...more })
  await book(boris, sent, { purpose: 'other' })
  assert.equal((await book(vera, sent, { purpose: 'other' })).body.state, 'booked')
  const ignored = { reason: 'not ours' }
  assert.equal((await boris.call('POST', `/transfers/${other.requisiteId}/${elsewhere}/ignore`, ignored)).status, 200)
  service.clock.advance(25 * hour)

  // As what the bank took back, what was refunded, or what came in elsewhere.
  await bank.shop.create('charged', { amount: 20_001 })
  const payments = { reference: `PAID ${requisiteId}`, requisiteId, minor: 20_001_00n }
  await payIn(service, payments)
  const before = await available()
  await world.bringAgreed([
    { minor: -20_001_00n, reversal: true, reference: `CB${service.engine}`, text: 'chargeback' },
  ])
  const [reversal] = await world.waitingReversals()
  const name = (by: typeof anna) =>
    by.call('POST', `/reversals/${requisiteId}/${reversal.id}/assign`, { transferId: stray })
  const refund = await send(20_001)
  const transfer = await send(20_002)
  const own = { purpose: 'own-account', transferId: elsewhere }
  for (const refused of [
    await name(anna),
    await act(anna, stray, 'reverse'),
    await anna.call('POST', `/outgoing/${requisiteId}/${refund}/confirm`, { transferId: stray }),
    await book(anna, transfer, own),
  ]) {
    assertProblem(refused, 403, 'second_person_required')
    assert.match(refused.body.detail, /^This money was ignored, .* return it to the inbox, and let another operator/)
  }
  // She may return it to the inbox; another operator decides about it.
  assert.equal((await act(anna, stray, 'unassign')).body.reportedBy, 'operator:anna')
  const { body } = await bank.shop.create('mine', { amount: 20_003 })
  assert.equal(await assign(anna, stray, body.payment.id), 'second_person_required')
  assertProblem(await name(anna), 403, 'second_person_required')
  assert.equal(await available(), before)
  assert.equal((await name(boris)).status, 200)
  const unassign = `/transfers/${other.requisiteId}/${elsewhere}/unassign`
  assert.equal((await boris.call('POST', unassign, { reason: 'it is ours' })).status, 200)
  assertProblem(await book(boris, transfer, own), 403, 'second_person_required')
  assert.equal((await book(anna, transfer, own)).body.state, 'booked')
  await assertHealthy(service)
})

onOne(
  'what one person uses again of ignored money is summed, and the bank’s report does not lift it',
  async (service) => {
    const { bank, anna, boris, decide, assign, act, bringAgreed } = await open(service)
    const pay = async (reference: string, amount: number) => {
      const id = await bank.push(reference, { amount })
      assert.equal(await decide(boris, id, 'ignore'), 'done')
      const { body } = await bank.shop.create(`order ${reference}`, { amount: amount + 1 })
      service.clock.advance(1000)
      assert.equal((await act(anna, id, 'unassign')).status, 200)
      return { id, paymentId: body.payment.id }
    }
    const small = await pay('SMALL-1', 6000)
    assert.equal(await assign(anna, small.id, small.paymentId), 'done')
    const second = await pay('SMALL-2', 6100)
    assert.equal(await assign(anna, second.id, second.paymentId), 'second_person_required')
    await bringAgreed([{ minor: 6100_00n, reference: 'FILE00SMALL2', text: 'x' }])
    assert.equal(await assign(anna, second.id, second.paymentId), 'second_person_required')
    assert.equal(await assign(boris, second.id, second.paymentId), 'done')
  },
)

onOne('what another operator has decided of outgoing money is not undone by one person', async (service) => {
  const { bank, anna, boris, vera, requisiteId, merchantId, available } = await open(service)
  const { body } = await bank.shop.create('twice', { amount: 20_000 })
  for (const each of ['first', 'second'])
    await payIn(service, { requisiteId, minor: 20_000_00n, reference: `${each} of ${bank.account}` })
  const bring = async (amount: number, text = `out ${amount}`) => {
    const { id: statementId } = await bank.bringAgreed(mt940Of, [{ minor: BigInt(-amount) * 100n, text }])
    const [{ id }] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
    const path = `/outgoing/${requisiteId}/${id}`
    return {
      call: (by: typeof anna, verb: string, more: object = {}) =>
        by.call('POST', `${path}/${verb}`, { reason: 'seen', ...more }),
      withdraw: (by: typeof anna) => by.call('POST', `/statements/${statementId}/withdraw`, { reason: 'wrong' }),
      state: async () => (await anna.get(path)).body.state,
    }
  }
  const refund = await bring(20_000, `return of ${body.payment.id}`)
  const confirmed = await refund.call(boris, 'confirm', { merchantId, paymentId: body.payment.id })
  assert.equal(confirmed.body.purpose, 'refund')
  const alone = await refund.call(anna, 'unbook')
  assertProblem(alone, 403, 'second_person_required')
  assert.match(alone.body.detail, /^It is as boris said: let boris take that back/)
  assert.equal((await refund.call(boris, 'unbook')).body.state, 'unexplained')

  // Nobody alone lets it disappear, either.
  for (let times = 0; times < 2; times++) {
    const { state, withdrawnBy, withdrawalProposedBy, withdrawalReason } = (await refund.withdraw(anna)).body
    assert.deepEqual(
      [state, withdrawnBy, withdrawalProposedBy, withdrawalReason],
      ['imported', undefined, 'operator:anna', 'wrong'],
    )
  }
  const path = `/overpayments/${merchantId}/${body.payment.id}/decisions`
  const before = await available()
  await service.runJobs()
  assert.equal(await refund.state(), 'unexplained')
  await assertHealthy(service)
  const agreed = (await refund.withdraw(boris)).body
  assert.deepEqual([agreed.state, agreed.withdrawnBy], ['withdrawing', 'operator:anna, operator:boris'])
  await service.runJobs()
  assert.equal(await refund.state(), 'withdrawn')
  assert.equal((await anna.call('POST', path, { reference: 'given', decision: 'assign', reason: 'ours' })).status, 200)
  assert.ok((await available()) > before)

  // What two have agreed on, both unbook.
  const rent = await bring(21_000)
  await rent.call(anna, 'book', { purpose: 'other' })
  assert.equal((await rent.call(boris, 'book', { purpose: 'other' })).body.state, 'booked')
  assertProblem(await rent.call(vera, 'unbook'), 403, 'second_person_required')
  const half = (await rent.call(anna, 'unbook')).body
  assert.deepEqual([half.state, half.decidedBy], ['booked', 'operator:boris'])
  assert.equal((await anna.lastAudit()).details['proposed'], true)
  assertProblem(await rent.call(anna, 'unbook'), 403, 'second_person_required')
  assert.equal((await rent.call(boris, 'unbook')).body.state, 'unexplained')

  // However small it is, another one has said it. Up to the bound, one person withdraws it: it is summed.
  const small = await bring(6000)
  assert.equal((await small.call(boris, 'book', { purpose: 'fee' })).body.state, 'booked')
  assertProblem(await small.call(anna, 'unbook'), 403, 'second_person_required')
  assert.equal((await small.call(boris, 'unbook')).body.state, 'unexplained')
  assert.equal((await small.withdraw(anna)).body.state, 'withdrawing')
  await service.runJobs()
  const next = await bring(6001)
  assert.equal((await next.withdraw(anna)).body.state, 'imported')
  service.clock.advance(25 * hour)
  assert.equal((await next.withdraw(anna)).body.state, 'withdrawing')
  await service.runJobs()
  await assertHealthy(service)
})

onEngines('separate money that one operator set aside is not used again by another one alone', async (service) => {
  const { bank, anna, boris, decide, assign, act, bringAgreed, ...world } = await open(service)
  await bank.shop.create('mine', { amount: 20_000 })
  const pushed = await bank.push(`ASIDE-${service.engine}`, { amount: 20_000 })
  await bringAgreed([{ minor: 20_000_00n, text: 'x', reference: `FILE0ASIDE${service.engine}` }])
  const { body } = await bank.shop.create('of boris', { amount: 20_001 })
  const duplicate = await world.duplicateOf(pushed)
  assert.equal((await act(anna, duplicate, 'unassign')).status, 200)
  assert.equal(await assign(anna, duplicate, body.payment.id), 'second_person_required')
  service.clock.advance(minute)
  assert.equal(await decide(anna, duplicate, 'other-money'), 'done')
  // She may have sent it back, and Boris may know that.
  assert.equal((await act(boris, duplicate, 'unassign')).status, 200)
  assert.equal(await assign(boris, duplicate, body.payment.id), 'second_person_required')
  assert.equal(await assign(anna, duplicate, body.payment.id), 'done')
  await assertHealthy(service)
})

onEngines('what one person reports takes no pair of the bank’s reports apart', async (service) => {
  const { bank, anna, boris, requisiteId, available, bringAgreed, decide } = await open(service)
  const countOf = async (): Promise<number> => {
    const { transfers } = (await anna.get(`/transfers?requisiteId=${requisiteId}&limit=20`)).body
    return transfers.filter((each: { kind: string }) => each.kind !== 'duplicate').length
  }
  /** A payment that a feed and a file report, with something forged between them; how much more there is then. */
  const pay = async (amount: number, forge: (reference: string) => Promise<unknown>): Promise<number> => {
    const reference = `FEED${amount}${bank.account.slice(-6)}`
    await bank.shop.create(`of ${amount}`, { amount })
    await bank.push(reference, { amount, sender: '79001112233' })
    const [credited, before] = [await available(), await countOf()]
    service.clock.advance(minute)
    await forge(reference)
    const row = { minor: BigInt(amount) * 100n, payerAccount: '40817810099910004312' }
    await bringAgreed([{ ...row, reference: `FILE${amount}${bank.account.slice(-6)}` }])
    assert.equal(await available(), credited)
    return (await countOf()) - before
  }
  const type = async (amount: number, more: object = {}): Promise<string> => {
    const bookedAt = new Date(service.clock.now).toISOString()
    const transfers = [{ requisiteId, amount, currency: 'rub', bookedAt, ...more }]
    const [made] = (await anna.call('POST', '/transfers', { transfers })).body.transfers
    assert.equal(made.kind, 'suspense')
    return made.id
  }
  // From another number, so that it is no duplicate of the feed's: it alone waits.
  assert.equal(await pay(60_000, () => type(60_000, { sender: '79005556677' })), 1)
  // A file that one person confirms brings nothing new; what the bank's file has then is a question.
  const forged = async (reference: string) =>
    bank.confirm((await bank.upload(mt940Of, [{ minor: 61_000_00n, reference }])).id)
  assert.equal(await pay(61_000, forged), 1)
  // Nor does it swallow honest money that its reporter ignores what was typed in.
  await bank.shop.create('honest', { amount: 62_000 })
  const typed = await type(62_000)
  assert.equal(await decide(anna, typed, 'ignore'), 'done')
  await bringAgreed([{ minor: 62_000_00n, text: 'order honest', reference: `HONEST${bank.account.slice(-8)}` }])
  assert.equal(await bank.shop.status('honest'), 'paid')
  assert.equal((await boris.get(`/transfers/${requisiteId}/${typed}`)).body.kind, 'duplicate')
  await service.runJobs()
  await assertHealthy(service)
})

onOne('a file that one person confirms names the payees of no more money out than the bound', async (service) => {
  const { bank, boris } = await open(service)
  const confirm = async (row: Partial<MadeRow>, by = bank.operator) => {
    const { id } = await bank.upload(mt940Of, [{ payer: 'PYOTR PAYER', text: 'refund', ...row }])
    return by.call('POST', `/statements/${id}/confirm`)
  }
  assertProblem(await confirm({ minor: -20_000_00n }), 403, 'second_person_required')
  assert.equal((await confirm({ minor: -6000_00n })).status, 200)
  await service.runJobs()
  // Money that came in, left and was given back is one sum.
  assertProblem(await confirm({ minor: -6001_00n }), 403, 'second_person_required')
  assertProblem(await confirm({ minor: 6002_00n, reversal: true }), 403, 'second_person_required')
  assertProblem(await confirm({ minor: 6003_00n }), 403, 'second_person_required')
  assert.equal((await confirm({ minor: -20_001_00n }, boris)).status, 200)
  await service.runJobs()
})

onOne('typed money that gave way to a file waits for another person after the file is withdrawn', async (service) => {
  const { bank, anna, boris, requisiteId, assign, bringAgreed } = await open(service)
  const { body } = await bank.shop.create('fake', { amount: 20_001 })
  const bookedAt = new Date(service.clock.now).toISOString()
  const dayBefore = new Date(Date.parse(`${bank.date}T00:00:00+03:00`) - minute).toISOString()
  const reference = `REAL0000${service.engine}`
  const transfers = [
    { requisiteId, amount: 20_000, currency: 'rub', bookedAt, bankReference: reference },
    { requisiteId, amount: 20_002, currency: 'rub', bookedAt: dayBefore },
  ]
  const [typed, doubtful] = (await anna.call('POST', '/transfers', { transfers })).body.transfers.map(
    (each: { id: string }) => each.id,
  )
  const read = async (id = typed) => {
    const { kind, duplicateOf, reportedBy } = (await anna.get(`/transfers/${requisiteId}/${id}`)).body
    return [kind, duplicateOf !== undefined, reportedBy]
  }
  service.clock.advance(minute)
  const statementId = await bringAgreed([
    { minor: 20_000_00n, reference },
    { minor: 20_002_00n, reference: `ALSO0000${service.engine}` },
  ])
  assert.deepEqual(await read(), ['duplicate', true, 'operator:anna'])
  assert.deepEqual(await read(doubtful), ['suspense', true, 'operator:anna'])
  for (const by of [anna, boris])
    assert.equal((await by.call('POST', `/statements/${statementId}/withdraw`, { reason: 'wrong' })).status, 200)
  await service.runJobs()
  for (const id of [typed, doubtful]) assert.deepEqual(await read(id), ['suspense', false, 'operator:anna'])
  assert.equal(await assign(anna, typed, body.payment.id), 'second_person_required')
  assert.equal(await assign(boris, typed, body.payment.id), 'done')
  await assertHealthy(service)
})

onEngines('money for a payment that two had credited without money covers that first', async (service) => {
  const { bank, anna, boris, requisiteId, merchantId, available, assign } = await open(service)
  const path = (paymentId: string) => `/overpayments/${merchantId}/${paymentId}/decisions`
  const give = { reference: 'given', decision: 'assign', reason: 'ours' }
  const credit = async (orderId: string, amount: number): Promise<string> => {
    const { body } = await bank.shop.create(orderId, { amount })
    service.clock.advance(3 * hour)
    await service.runJobs()
    const claim = { amount, reason: 'paid-not-credited', note: 'receipt seen' }
    const { id } = (await anna.call('POST', `/payments/${merchantId}/${body.payment.id}/disputes`, claim)).body
    const dispute = `/disputes/${merchantId}/${id}`
    await anna.call('POST', `${dispute}/decision`, { decision: 'accept', amount, note: 'receipt' })
    assert.equal((await boris.call('POST', `${dispute}/confirm`, { amount })).body.state, 'accepted')
    return body.payment.id
  }
  const corrections = await bank.balanceOf('corrections')
  const claimed = await credit('claimed', 20_000)
  const before = await available()
  assert.equal((await bank.balanceOf('corrections')) - corrections, 20_000)
  const pay = async (minor: bigint, reference: string) =>
    payIn(service, { requisiteId, minor, reference: `${reference} ${bank.account}` })
  const come = async (paymentId: string, minor: bigint, reference: string) => {
    const { id, kind } = await pay(minor, reference)
    if (kind === 'suspense') assert.equal(await assign(anna, id, paymentId), 'done')
    const { parts } = (await anna.get(`/transfers/${requisiteId}/${id}`)).body
    return parts.map((part: { kind: string; amount: number }) => [part.kind, part.amount])
  }
  assert.deepEqual(await come(claimed, 20_000_00n, 'LATE'), [['payment', 20_000]])
  assert.equal((await bank.balanceOf('corrections')) - corrections, 0)
  assertProblem(await anna.call('POST', path(claimed), give), 409, 'balance_insufficient')
  assert.equal(await available(), before)
  assert.deepEqual(await come(claimed, 20_000_00n, 'AGAIN'), [['overpayment', 20_000]])

  const other = await credit('also claimed', 21_000)
  assert.deepEqual(await come(other, 22_000_00n, 'MORE'), [
    ['payment', 21_000],
    ['overpayment', 1000],
  ])
  assert.equal((await bank.balanceOf('corrections')) - corrections, 0)
  await assertHealthy(service)
})
