// Disputes over HTTP: each story ends with all invariants at zero rows and the ledger as written here.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openCourt, pngFile } from '../support/disputes.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, payIn } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

const sorted = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted((a, b) => a - b)

onEngines('accepted with the transfer that had come too late: previewed, credited, acknowledged', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('late-claim')
  service.clock.advance(2 * day)
  await service.runJobs()
  assert.equal((await payIn(service, { requisiteId: payment.requisiteId, minor: 4800_00n })).outcome, 'none')
  const opened = await court.claim('late-claim', { amount: 4800, note: 'the payer has a receipt' })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  assert.equal(opened.body.state, 'open')
  assert.equal(opened.body.status, 'disput')
  assert.equal(await court.shop.status('late-claim'), 'disput')
  assert.equal((await court.upload('late-claim', pngFile())).body.evidence.length, 1)
  assertProblem(await court.claim('late-claim'), 409, 'dispute_exists')

  const { id } = opened.body
  const [transfer] = await court.inbox()
  assert.ok(transfer)
  const decision = { decision: 'accept', transfers: [{ requisiteId: transfer.requisiteId, id: transfer.id }] }
  const preview = await court.preview(id, decision)
  assert.equal(preview.status, 'disput-paid')
  assert.deepEqual([preview.state, preview.needsSecondOperator], ['possible', false])
  assert.deepEqual(await court.ledger(payment), [], 'a preview leaves nothing behind')
  assert.equal(await court.shop.status('late-claim'), 'disput')

  const decided = await court.step('decision', id, decision)
  assert.equal(decided.body.state, 'accepted', JSON.stringify(decided.body))
  assert.equal(decided.body.decidedBy, 'operator:anna')
  const details = await court.details('late-claim')
  assert.equal(details.status, 'disput-paid')
  assert.equal(details.finalAmount, 4800)
  // 4800 ÷ 92.5 = 51.891891 USDT, the fee is 1 %.
  const expected = [
    'bank:requisite → suspense 480000 rub',
    'fx:rub → fees 518918 USDT',
    'fx:rub → merchant:merchant:available 51372973 USDT',
    'suspense → fx:rub 480000 rub',
  ]
  assert.deepEqual(await court.ledger(payment), expected)
  const posted = (await court.entries(payment)).map((entry) => entry.kind)
  const previewed = new Set(preview.entries.map((entry: { kind: string }) => entry.kind))
  for (const kind of posted) assert.ok(previewed.has(kind), kind)
  assert.deepEqual(await court.inbox(), [])
  assert.equal((await court.shop.post('/payments/byOrderId/ack', { orderId: 'late-claim' })).status, 200)
  const shown = (await court.dispute('late-claim')).body
  assert.equal(shown.decisionNote, 'seen')
  assert.deepEqual(
    shown.history.map((event: { kind: string; by: string }) => `${event.kind} ${event.by}`),
    ['opened merchant', 'evidence-added merchant', 'accepted operator'],
  )
})

onOne('rejected: the payment goes back to the status it came from, and nothing moves', async (service) => {
  const court = await openCourt(service)
  const expired = await court.create('expired')
  await court.expire()
  const canceled = await court.create('canceled')
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  for (const [payment, status] of [
    [expired, 'expired'],
    [canceled, 'canceled'],
  ] as const) {
    const { id } = (await court.claim(payment.orderId)).body
    const preview = await court.preview(id, { decision: 'reject' })
    assert.deepEqual([preview.status, preview.entries], [status, []])
    const decided = (await court.step('decision', id, { decision: 'reject', note: 'no such transfer' })).body
    assert.deepEqual([decided.state, decided.status], ['rejected', status])
    assert.deepEqual(await court.ledger(payment), [])
    assertProblem(await court.step('decision', id, { decision: 'reject' }), 409, 'invalid_state')
    assertProblem(await court.upload(payment.orderId, pngFile()), 409, 'invalid_state')
    assert.equal((await court.claim(payment.orderId)).status, 201, 'a new claim may follow')
  }
})

onOne('withdrawn by the merchant, again and again the same; an operator’s dispute is not its own', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('mine')
  await court.expire()
  assertProblem(await court.dispute('mine'), 404, 'resource_not_found')
  await court.claim('mine')
  const first = await court.withdraw('mine')
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.deepEqual([first.body.state, first.body.status], ['withdrawn', 'expired'])
  assert.deepEqual((await court.withdraw('mine')).body, first.body)
  assert.equal((await court.correct(payment, 5000)).body.state, 'open')
  assertProblem(await court.withdraw('mine'), 409, 'invalid_state')
})

onEngines('an amount that no money covers needs a second operator, who has seen it', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('goodwill')
  await court.expire()
  const { id } = (await court.claim('goodwill')).body
  // A typing error: more than 999,999,999.999999 USDT at the payment's rate.
  const mistyped = { decision: 'accept', amount: 92_500_000_000 }
  assertProblem(await court.step('decision', id, mistyped), 422, 'amount_above_max')
  assert.equal((await court.preview(id, mistyped)).code, 'amount_above_max')
  const preview = await court.preview(id, { decision: 'accept', amount: 4000 })
  assert.equal(preview.needsSecondOperator, true)
  assert.deepEqual(
    preview.entries.map((entry: { debit: string; amount: number }) => `${entry.debit} ${entry.amount}`),
    ['corrections 4000', 'fx:rub 42.810811', 'fx:rub 0.432432'],
  )
  const proposed = (await court.step('decision', id, { decision: 'accept', amount: 4000 })).body
  assert.deepEqual([proposed.state, proposed.status], ['open', 'disput'])
  assert.equal(proposed.correction.by, 'operator:anna')
  assertProblem(await court.step('confirm', id, { amount: 4000 }), 409, 'invalid_state')
  await court.step('decision', id, { decision: 'accept', amount: 4500 })
  assertProblem(await court.step('confirm', id, { amount: 4000 }, court.boris), 409, 'status_changed')
  const confirmed = (await court.step('confirm', id, { amount: 4500 }, court.boris)).body
  assert.deepEqual([confirmed.state, confirmed.finalAmount], ['accepted', 4500])
  assert.equal((await court.details('goodwill')).finalAmount, 4500)
  assert.deepEqual(await court.ledger(payment), [
    'corrections → fx:rub 450000 rub',
    'fx:rub → fees 486486 USDT',
    'fx:rub → merchant:merchant:available 48162162 USDT',
  ])
  assert.equal((await court.boris.lastAudit()).actor, 'operator:boris')
})

onEngines('a second operator confirms what they have seen, and not what was put in its place', async (service) => {
  const court = await openCourt(service, { terms: { underpaidPolicy: 'review' } })
  const open = async (orderId: string) => {
    const { requisiteId } = await court.create(orderId)
    const { id } = await payIn(service, { requisiteId, minor: 4900_00n })
    await court.expire()
    const { disputes } = (await court.anna.get(`/disputes?state=open&merchantId=${court.shop.merchantId}`)).body
    const dispute = disputes.find((each: { orderId: string }) => each.orderId === orderId)
    return { disputeId: dispute.id as string, transfer: { requisiteId, id } }
  }
  const { disputeId, transfer } = await open('swapped')
  const accept = { decision: 'accept', amount: 5000 }
  await court.step('decision', disputeId, accept)
  // The money would be in the inbox, for another payment.
  const swapped = (await court.step('decision', disputeId, { ...accept, unassign: [transfer] })).body
  assert.deepEqual(swapped.correction.unassign, [transfer])
  const confirm = (body: object) => court.step('confirm', disputeId, { amount: 5000, ...body }, court.boris)
  assertProblem(await confirm({}), 409, 'status_changed')
  assertProblem(await confirm({ transfers: [transfer] }), 409, 'status_changed')
  const confirmed = (await confirm({ unassign: [transfer] })).body
  assert.deepEqual([confirmed.state, confirmed.finalAmount], ['accepted', 5000])
})

onEngines('money that two operators have not agreed to take away takes a second one again', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('taken')
  const { requisiteId } = payment
  const { id } = await payIn(service, { requisiteId, minor: 5000_00n })
  const proposed = (await court.correct(payment, 5100)).body
  await court.step('confirm', proposed.id, { amount: 5100 }, court.boris)
  await court.upload('taken', pngFile())
  const accept = { decision: 'accept', amount: 5100, unassign: [{ requisiteId, id }] }
  const waiting = (await court.step('decision', proposed.id, accept)).body
  assert.deepEqual([waiting.state, waiting.correction.confirmedBy], ['open', undefined])
  assert.deepEqual(await court.inbox(), [])
  const done = (await court.step('decision', proposed.id, { decision: 'accept', amount: 5000 })).body
  assert.deepEqual([done.state, done.finalAmount], ['accepted', 5000])
})

onEngines('a paid payment is corrected by two persons: the credit is reversed and made again', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('wrong')
  await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n })
  assert.equal((await court.shop.post('/payments/byOrderId/ack', { orderId: 'wrong' })).status, 200)
  assertProblem(await court.claim('wrong'), 409, 'invalid_state')
  const proposed = (await court.correct(payment, 4000)).body
  assert.deepEqual([proposed.state, proposed.status], ['proposed', 'paid'])
  assertProblem(await court.dispute('wrong'), 404, 'resource_not_found')
  assertProblem(await court.correct(payment, 4000, court.boris), 409, 'dispute_exists')
  assertProblem(await court.step('decision', proposed.id, { decision: 'accept' }), 409, 'invalid_state')
  assertProblem(await court.step('confirm', proposed.id, { amount: 4000 }), 409, 'invalid_state')
  const confirmed = (await court.step('confirm', proposed.id, { amount: 4000 }, court.boris)).body
  assert.deepEqual([confirmed.state, confirmed.status], ['open', 'disput'])
  const credit = [
    'bank:requisite → fx:rub 500000 rub',
    'fx:rub → fees 540540 USDT',
    'fx:rub → merchant:merchant:available 53513514 USDT',
  ]
  const reversal = [
    'fees → fx:rub 540540 USDT',
    'fx:rub → suspense 500000 rub',
    'merchant:merchant:available → fx:rub 53513514 USDT',
  ]
  assert.deepEqual(await court.ledger(payment), [...credit, ...reversal].toSorted())
  const decided = (await court.step('decision', proposed.id, { decision: 'accept', amount: 4000 })).body
  assert.deepEqual([decided.state, decided.finalAmount], ['accepted', 4000])
  assert.deepEqual(
    await court.ledger(payment),
    [
      ...credit,
      ...reversal,
      'suspense → overpayment:payment 100000 rub',
      'suspense → fx:rub 400000 rub',
      // 4000 ÷ 92.5 = 43.243243 USDT.
      'fx:rub → fees 432432 USDT',
      'fx:rub → merchant:merchant:available 42810811 USDT',
    ].toSorted(),
  )
  const details = await court.details('wrong')
  assert.deepEqual([details.status, details.finalAmount], ['disput-paid', 4000])
  assert.equal((await court.shop.post('/payments/byOrderId/ack', { orderId: 'wrong' })).status, 200)
})

onEngines(
  'a correction upwards credits what two have agreed on; a rejected one gives the credit back',
  async (service) => {
    const court = await openCourt(service)
    const payment = await court.create('more')
    await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n })
    const up = (await court.correct(payment, 5500)).body
    await court.step('confirm', up.id, { amount: 5500 }, court.boris)
    await court.upload('more', pngFile())
    // Another amount than the one that was confirmed would need a confirmation of its own.
    assert.equal((await court.preview(up.id, { decision: 'accept', amount: 5600 })).needsSecondOperator, true)
    assert.equal((await court.step('decision', up.id, { decision: 'accept', amount: 5500 })).body.finalAmount, 5500)
    const settled = await court.ledger(payment)
    assert.ok(settled.includes('corrections → fx:rub 50000 rub'))

    const back = (await court.correct(payment, 100)).body
    await court.step('confirm', back.id, { amount: 100 }, court.boris)
    assert.equal(await court.shop.status('more'), 'disput')
    await court.step('decision', back.id, { decision: 'reject' })
    assert.equal((await court.details('more')).finalAmount, 5500)
    const refused = (await court.correct(payment, 200)).body
    assert.equal((await court.step('decision', refused.id, { decision: 'reject' }, court.boris)).body.state, 'rejected')
    assert.equal((await court.details('more')).finalAmount, 5500)
  },
)

onOne('a payment paid with a stranger’s money keeps its credit while the money goes back', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('stranger')
  const { id } = await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n })
  const key = { requisiteId: payment.requisiteId, id }
  const unassign = () =>
    court.anna.call('POST', `/transfers/${key.requisiteId}/${id}/unassign`, { reason: 'a stranger' })
  assertProblem(await unassign(), 409, 'invalid_state')
  const proposed = (await court.correct(payment, 5000)).body
  await court.step('confirm', proposed.id, { amount: 5000 }, court.boris)
  assertProblem(await unassign(), 409, 'invalid_state')
  const decision = { decision: 'accept', amount: 5000, unassign: [key] }
  // They agreed on the amount, and not yet that no money stays for it.
  assert.equal((await court.step('decision', proposed.id, decision)).body.state, 'open')
  const confirmed = await court.step('confirm', proposed.id, { amount: 5000, unassign: [key] }, court.boris)
  assert.equal(confirmed.body.state, 'accepted')
  assert.deepEqual(
    (await court.inbox()).map((transfer) => transfer.id),
    [id],
  )
  assert.ok((await court.ledger(payment)).includes('corrections → fx:rub 500000 rub'))
})

onEngines('money under review: rejected, it goes to the inbox; accepted, it is credited', async (service) => {
  const court = await openCourt(service, { terms: { mismatchPolicy: 'review' } })
  const refused = await court.create('refused')
  const accepted = await court.create('accepted', { amount: 6000 })
  await payIn(service, { requisiteId: refused.requisiteId, minor: 3000_00n })
  await payIn(service, { requisiteId: accepted.requisiteId, minor: 7000_00n })
  await court.expire()
  const queue = (await court.anna.get(`/disputes?merchantId=${court.shop.merchantId}`)).body.disputes.toSorted(
    (a: { orderId: string }, b: { orderId: string }) => a.orderId.localeCompare(b.orderId),
  )
  assert.deepEqual(
    queue.map((each: { orderId: string; reason: string; claimant: string }) => [
      each.orderId,
      each.reason,
      each.claimant,
    ]),
    [
      ['accepted', 'overpaid', 'service'],
      ['refused', 'underpaid', 'service'],
    ],
  )
  assertProblem(await court.claim('refused'), 409, 'dispute_exists')
  const rejected = (await court.step('decision', queue[1].id, { decision: 'reject' })).body
  assert.deepEqual([rejected.status, (await court.inbox()).length], ['expired', 1])
  assert.deepEqual(await court.ledger(refused), [
    'bank:requisite → suspense 300000 rub',
    'suspense → bank:requisite 300000 rub',
  ])
  // All that came may be credited, or what was asked for: then the rest is owed to the payer.
  const decided = (await court.step('decision', queue[0].id, { decision: 'accept', amount: 6000 })).body
  assert.deepEqual([decided.status, decided.finalAmount], ['disput-paid', 6000])
  assert.ok((await court.ledger(accepted)).includes('suspense → overpayment:payment 100000 rub'))
})

onOne(
  'policies of a method: what is a part, late or a repetition waits for a person where they say so',
  async (service) => {
    const terms = { partialPolicy: 'review', latePolicy: 'review', paidAgainPolicy: 'review' } as const
    const court = await openCourt(service, { terms })
    const part = await court.create('part')
    await payIn(service, { requisiteId: part.requisiteId, minor: 2000_00n })
    assert.equal(await court.shop.status('part'), 'disput')
    const twice = await court.create('twice', { amount: 6000 })
    await payIn(service, { requisiteId: twice.requisiteId, minor: 6000_00n, reference: 'one' })
    const again = await payIn(service, { requisiteId: twice.requisiteId, minor: 6000_00n, reference: 'two' })
    assert.deepEqual([again.kind, again.suggestions[0]?.orderId], ['suspense', 'twice'])
    const late = await court.create('late', { amount: 7000 })
    await court.expire()
    await payIn(service, { requisiteId: late.requisiteId, minor: 7000_00n })
    assert.equal(await court.shop.status('late'), 'disput')
    await service.runJobs()
    const disputes: { id: string; orderId: string; reason: string }[] = (
      await court.anna.get(`/disputes?merchantId=${court.shop.merchantId}`)
    ).body.disputes
    assert.deepEqual(disputes.map((each) => `${each.orderId} ${each.reason}`).toSorted(), [
      'late late',
      'part underpaid',
    ])
    for (const { id } of disputes) await court.step('decision', id, { decision: 'accept' })
    assert.equal((await court.details('part')).finalAmount, 2000)
    assert.equal((await court.details('late')).finalAmount, 7000)
    assert.deepEqual(await court.ledger(part), [
      'bank:requisite → suspense 200000 rub',
      'fx:rub → fees 216216 USDT',
      'fx:rub → merchant:merchant:available 21405405 USDT',
      'suspense → fx:rub 200000 rub',
    ])
  },
)

onOne('money that comes while a dispute is open waits for the decision, suggested for it', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('meanwhile')
  await court.expire()
  const { id } = (await court.claim('meanwhile')).body
  const came = await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n })
  assert.equal(came.kind, 'suspense')
  assert.equal(came.suggestions[0]?.orderId, 'meanwhile')
  assert.match(came.reasons.join(), /dispute/)
  const share = { merchantId: payment.merchantId, paymentId: payment.id, amount: 5000 }
  const path = `/transfers/${payment.requisiteId}/${came.id}/assign`
  assertProblem(await court.anna.call('POST', path, { shares: [share] }), 409, 'invalid_state')
  const transfers = [{ requisiteId: payment.requisiteId, id: came.id }]
  assert.equal((await court.step('decision', id, { decision: 'accept', transfers })).body.finalAmount, 5000)
})

onEngines('of two operators who decide at once, one decides and the other is refused', async (service) => {
  const court = await openCourt(service)
  for (let round = 0; round < 4; round++) {
    const orderId = `race-${round}`
    const payment = await court.create(orderId)
    await court.expire()
    const came = await payIn(service, { requisiteId: payment.requisiteId, minor: 999_00n, bookedAt: service.clock.now })
    const { id } = (await court.claim(orderId, { amount: 999 })).body
    const transfers = [{ requisiteId: payment.requisiteId, id: came.id }]
    const [one, two] = await Promise.all([
      court.step('decision', id, { decision: 'accept', transfers }, court.anna),
      round % 2 === 0 ? court.step('decision', id, { decision: 'reject' }, court.boris) : court.withdraw(orderId),
    ])
    assert.deepEqual(sorted([one, two]), [200, 409], JSON.stringify([one.body, two.body]))
    const status = await court.shop.status(orderId)
    assert.equal(status, one.status === 200 ? 'disput-paid' : 'expired')
  }
})

onEngines('two claims at once open one dispute; one transfer serves one of two disputes', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const first = await court.create('first', { amount: 1000 })
  await court.create('second', { amount: 2000 })
  await court.expire()
  const claims = await Promise.all([court.claim('first', { amount: 1000 }), court.claim('first', { amount: 1000 })])
  assert.deepEqual(sorted(claims), [201, 409])
  const came = await payIn(service, { requisiteId: first.requisiteId, minor: 1500_00n })
  const ids = [
    claims.find((claim) => claim.status === 201)?.body.id,
    (await court.claim('second', { amount: 1500 })).body.id,
  ]
  const transfers = [{ requisiteId: first.requisiteId, id: came.id }]
  const decisions = await Promise.all(ids.map((id) => court.step('decision', id, { decision: 'accept', transfers })))
  assert.deepEqual(sorted(decisions), [200, 409], JSON.stringify(decisions))
})

onOne('operators are reminded a day before the deadline, at it and every day after', async (service) => {
  const court = await openCourt(service)
  await court.create('slow')
  await court.expire()
  const { id, dueAt } = (await court.claim('slow')).body
  const reminders = async (): Promise<number> => {
    await service.runJobs()
    const { history } = (await court.anna.get(`/disputes/${court.shop.merchantId}/${id}`)).body
    return history.filter((event: { kind: string }) => event.kind === 'reminded').length
  }
  service.clock.now = Date.parse(dueAt) - day - minute
  assert.equal(await reminders(), 0)
  service.clock.advance(minute)
  assert.equal(await reminders(), 1)
  assert.equal(await reminders(), 1)
  service.clock.advance(day + hour)
  assert.equal(await reminders(), 2)
  service.clock.advance(day)
  assert.equal(await reminders(), 3)
  const waiting: { id: string; dueAt: string }[] = (await court.anna.get('/disputes?state=undecided')).body.disputes
  assert.ok(waiting.some((dispute) => dispute.id === id))
  const deadlines = waiting.map((dispute) => dispute.dueAt)
  assert.deepEqual(deadlines, deadlines.toSorted())
  assert.ok(service.logs.some((line) => line.includes('a dispute waits for a decision') && line.includes(id)))
  assert.ok(!JSON.stringify((await court.dispute('slow')).body).includes('reminded'))
})
