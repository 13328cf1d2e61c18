// Transfers, payments, balances, doctor and audit in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute } from '../../src/rules/time.ts'
import { verifyAudit } from '../../src/engine/audit/verify-audit.ts'
import { previewSuggestions } from '../../src/engine/transfers/decisions/decide-transfer.ts'
import { insertPaymentNote } from '../../src/engine/payments/store.ts'
import { openOperator, setAgreedRate, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openApprovedFeed } from '../support/push.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const opened = shareService()

const transfer = (service: TestService, requisiteId: string, fields: object = {}) => ({
  requisiteId,
  amount: 5000,
  currency: 'rub',
  bookedAt: new Date(service.clock.now).toISOString(),
  ...fields,
})

onBothEngines('200: a transfer pays its payment, whose timeline and ledger show it', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service)
  const created = await shop.create('order', { amount: 5000.37 })
  const reported = transfer(service, created.body.card.id, {
    amount: 5000.37,
    bankReference: 'A-1',
    sender: '+7 999 123-45-67',
    text: 'for order, card 4111 1111 1111 1111',
  })
  const first = await operator.call('POST', '/transfers', { transfers: [reported] })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  const [recorded] = first.body.transfers
  assert.equal(recorded.outcome, 'exact')
  assert.equal(recorded.kind, 'payment')
  assert.equal(recorded.alreadyKnown, false)
  assert.equal(recorded.paymentId, created.body.payment.id)
  assert.equal(await shop.status('order'), 'paid')

  const again = await operator.call('POST', '/transfers', { transfers: [reported] })
  assert.deepEqual(again.body.transfers, [{ ...recorded, alreadyKnown: true }])

  const read = (await operator.get(`/transfers/${created.body.card.id}/${recorded.id}`)).body
  assert.deepEqual([read.text, read.statements, read.channel], ['for order, card •••• 1111', [], 'operator'])
  const shown = (await operator.get(`/payments/${shop.merchantId}/${recorded.paymentId}`)).body
  assert.equal(shown.merchantId, shop.merchantId)
  assert.equal(shown.receivedAmount, 5000.37)
  assert.equal(shown.sourcePan, '•••• 4567')
  assert.deepEqual(shown.rate.price, 92.5)
  assert.deepEqual(shown.total, { currency: 'USDT', amount: 54.058054 })
  assert.deepEqual(
    shown.events.map((event: { sequence: number; status: string; actor: string }) => [
      event.sequence,
      event.status,
      event.actor,
    ]),
    [
      [1, 'new', 'merchant'],
      [2, 'paid', 'bank'],
    ],
  )
  const [money] = shown.transfers
  assert.deepEqual(
    [shown.transfers.length, money.id, money.kind, money.amount, money.by, money.sender, money.bankReference],
    [1, recorded.id, 'payment', 5000.37, 'service', '•••• 4567', 'A-1'],
  )
  assert.deepEqual([shown.disputes, shown.deliveries], [[], []])
  const entries = shown.entries.map((entry: { kind: string; currency: string; amount: number }) => [
    entry.kind,
    entry.currency,
    entry.amount,
  ])
  assert.deepEqual(entries, [
    ['credit', 'rub', 5000.37],
    ['credit', 'USDT', 53.517474],
    ['fee', 'USDT', 0.54058],
  ])
  const { balances } = (await operator.get(`/ledger/balances?merchantId=${shop.merchantId}`)).body
  const available = balances.find(
    (each: { account: string }) => each.account === `merchant:${shop.merchantId}:available`,
  )
  assert.deepEqual(available, {
    account: `merchant:${shop.merchantId}:available`,
    currency: 'USDT',
    balance: '-53.517474',
    merchantId: shop.merchantId,
    merchantName: 'Test Shop',
  })
  const audit = await operator.lastAudit()
  assert.equal(audit.action, 'transfers.record')
  assert.ok(!JSON.stringify((await operator.get('/audit')).body).includes('4567'))
})

test('400, 422: refuses all transfers when one is wrong, naming its field', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service)
  const created = await shop.create('all-or-none')
  const { id } = created.body.card
  const record = (...transfers: object[]) => operator.call('POST', '/transfers', { transfers })
  const right = transfer(service, id)
  const ahead = new Date(service.clock.now + 5 * minute + 1000).toISOString()
  assertProblem(await record(right, { ...right, bookedAt: ahead }), 400, 'validation_failed', ['transfers.1.bookedAt'])
  assertProblem(await record(right, { ...right, bookedAt: '0001-01-01T00:00:00Z' }), 400, 'validation_failed')
  assertProblem(await record(right, { ...right, bookedAt: '2026-01-31' }), 400, 'validation_failed', [
    'transfers.1.bookedAt',
  ])
  assertProblem(await record(right, { ...right, bookedAt: '2026-01-31T23:59:60Z' }), 400, 'validation_failed')
  assertProblem(await record(right, { ...right, amount: 5000.001 }), 422, 'amount_precision', ['transfers.1.amount'])
  assertProblem(await record(right, { ...right, amount: -1 }), 400, 'validation_failed', ['transfers.1.amount'])
  assertProblem(await record(right, { ...right, requisiteId: unknownId }), 400, 'validation_failed', [
    'transfers.1.requisiteId',
  ])
  assertProblem(await record(right, { ...right, currency: 'usd' }), 400, 'validation_failed', ['transfers.1.currency'])
  assertProblem(await record(right, { ...right, sender: 'Ivan' }), 400, 'validation_failed', ['transfers.1.sender'])
  assertProblem(await record(right, { ...right, bankReference: 'a\u0000' }), 400, 'validation_failed')
  assertProblem(await record(), 400, 'validation_failed', ['transfers'])
  assert.equal(await shop.status('all-or-none'), 'new')
  assert.equal((await record({ ...right, requisiteId: id.toUpperCase() })).body.transfers[0].outcome, 'exact')
})

test('200: takes a thousand transfers; what nobody waits for stays in the inbox', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { requisiteIds } = await openShop(service)
  const [requisiteId = ''] = requisiteIds
  const transfers = Array.from({ length: 1000 }, (_, index) =>
    transfer(service, requisiteId, { amount: index + 1, bankReference: `many-${index}`, sender: '79991112233' }),
  )
  const recorded = await operator.call('POST', '/transfers', { transfers })
  assert.equal(recorded.status, 200, JSON.stringify(recorded.body).slice(0, 500))
  assert.equal(recorded.body.transfers.filter((each: { kind: string }) => each.kind === 'suspense').length, 1000)
  const first = (await operator.get('/transfers?unmatched=true&limit=500')).body
  const second = (await operator.get(`/transfers?unmatched=true&limit=500&cursor=${first.nextCursor}`)).body
  const references = [...first.transfers, ...second.transfers].map((each) => each.bankReference)
  assert.deepEqual(references.filter((each) => each?.startsWith('many-')).length, 1000)
  assert.deepEqual(first.transfers[0].sender, '•••• 2233')
  assertProblem(
    await operator.call('POST', '/transfers', { transfers: [...transfers, transfers[0]] }),
    400,
    'validation_failed',
  )
})

test('422: refuses money that would make a balance larger than is kept; what fits is taken', async () => {
  const service = opened()
  const shop = await openShop(service)
  const { body } = await shop.create('order', { amount: 5000 })
  const feed = await openApprovedFeed(service, 'a bank with enormous amounts', [body.card.id])
  const report = (count: number, amount: number) =>
    feed(
      Array.from({ length: count }, () =>
        transfer(service, body.card.id, { amount, bankReference: service.context.newId() }),
      ),
    )
  const most = 9_999_999_999_999.99
  assert.equal((await report(900, most)).status, 200)
  assertProblem(await report(200, most), 422, 'amount_above_max')
  assert.equal((await report(1, 7)).status, 200)
  assert.equal((await openOperator(service).get('/ledger/trial-balance')).status, 200)
})

test('200: suggests payments for a transfer that could belong to several', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 1 })
  const first = await shop.create('one', { amount: 1000 })
  await shop.create('two', { amount: 1001 })
  const odd = transfer(service, first.body.card.id, { amount: 1000.5, bankReference: 'odd' })
  const { body } = await operator.call('POST', '/transfers', { transfers: [odd] })
  assert.equal(body.transfers[0].outcome, 'ambiguous')
  const { transfers } = (await operator.get('/transfers?unmatched=true&limit=500')).body
  const listed = transfers.find((each: { id: string }) => each.id === body.transfers[0].id)
  assert.deepEqual(listed.suggestions, body.transfers[0].suggestions)
  assert.deepEqual(listed.suggestions.map((each: { orderId: string }) => each.orderId).toSorted(), ['one', 'two'])
  const one = listed.suggestions.find((each: { orderId: string }) => each.orderId === 'one')
  assert.deepEqual([one.amount, one.difference, one.payer], [1000, 0.5, undefined])
  assert.equal(one.createdAt, new Date(service.clock.now).toISOString())
  assert.deepEqual(
    Object.entries(one.evidence).map(([criterion, finding]) => [criterion, (finding as { verdict: string }).verdict]),
    [
      ['amount', 'unknown'],
      ['number', 'unknown'],
      ['name', 'unknown'],
      ['order', 'unknown'],
      ['bank', 'unknown'],
      ['time', 'unknown'],
    ],
  )
  assert.match(one.evidence.amount.why, /^0\.50 more than is missing/)

  const path = `/transfers/${listed.requisiteId}/${listed.id}`
  const shown = (await operator.get(path)).body
  assert.equal(shown.suggestions.length, 2)
  const kindsFor = (order: string): string[] =>
    shown.suggestions
      .find((each: { orderId: string }) => each.orderId === order)
      .entries.map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kindsFor('one'), ['reverse', 'credit', 'credit', 'fee'])
  assert.deepEqual(kindsFor('two'), ['reverse', 'receive'])
  const endOf = (order: string) => {
    const { payments, revocable } = shown.suggestions.find((each: { orderId: string }) => each.orderId === order)
    return [payments[0].before, payments[0].after, payments[0].finalAmount, revocable]
  }
  assert.deepEqual(endOf('one'), ['new', 'disput-paid', 1000.5, false])
  assert.deepEqual(endOf('two'), ['new', 'processing', undefined, true])
  // A part of the money that a split was suggested for may be assigned by now.
  const [{ merchantId: owner, paymentId: owed }] = shown.suggestions
  const split = [{ merchantId: owner, paymentId: owed, amount: '2000.00' }]
  const stale = { currency: 'rub', suggestions: [{ merchantId: owner, paymentId: owed, split }] }
  const decider = { actor: 'operator:anna', note: null, refuseOnePerson: async () => {}, loneReport: async () => null }
  const effects = await previewSuggestions(service.context, listed, stale, decider)
  assert.deepEqual(effects, [{ refused: 'The shares add up to more than what waits of the transfer.' }])
  // It was only tried.
  assert.deepEqual((await operator.get(path)).body, shown)
  const merchants = ['one', 'two'].map((order) => shop.get(`/payments/byOrderId/${order}/status`))
  for (const { body: payment } of await Promise.all(merchants)) assert.equal(payment.status, 'new')

  const cancel = await operator.call('POST', `/payments/${shop.merchantId}/${first.body.payment.id}/cancel`)
  assert.equal(cancel.status, 200)
  const after = (await operator.get(path)).body.suggestions
  const canceled = after.find((each: { orderId: string }) => each.orderId === 'one')
  assert.deepEqual([typeof canceled.refused, canceled.entries], ['string', undefined])
  const { merchantId, paymentId } = after.find((each: { orderId: string }) => each.orderId === 'two')
  const assigned = await operator.call('POST', `${path}/assign`, { shares: [{ merchantId, paymentId }] })
  assert.equal(assigned.status, 200)
  assert.deepEqual((await operator.get(path)).body.suggestions, [])
})

test('200: notes about a payment have their author and time; 404: there is no such payment', async () => {
  const service = opened()
  const operator = openOperator(service, 'anna')
  const shop = await openShop(service)
  const { payment } = (await shop.create('noted')).body
  const path = `/payments/${shop.merchantId}/${payment.id}`
  assert.deepEqual((await operator.get(path)).body.notes, [])
  await operator.call('POST', `${path}/notes`, { text: 'the payer called' })
  const { body } = await operator.call('POST', `${path}/notes`, { text: 'and sent it' })
  const at = new Date(service.clock.now).toISOString()
  assert.deepEqual(body.notes, [
    { text: 'the payer called', by: 'operator:anna', at },
    { text: 'and sent it', by: 'operator:anna', at },
  ])
  assert.deepEqual((await operator.get(path)).body.notes, body.notes)
  const audited = await operator.lastAudit()
  assert.deepEqual([audited.action, audited.details], ['payment.note', { text: 'and sent it' }])
  const unknown = await operator.call('POST', `/payments/${shop.merchantId}/${unknownId}/notes`, { text: 'x' })
  assertProblem(unknown, 404, 'payment_not_found')
})

test('409: a payment with 500 notes gets no more', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service)
  const { payment } = (await shop.create('much noted')).body
  await service.context.transaction(async (tx) => {
    const note = { text: 'x', writtenBy: 'x', writtenAt: tx.now, most: 500 }
    for (let count = 1; count < 500; count++) {
      const ofPayment = { merchantId: shop.merchantId, paymentId: payment.id, id: tx.newId() }
      await tx.query(insertPaymentNote, { ...note, ...ofPayment })
    }
  })
  const path = `/payments/${shop.merchantId}/${payment.id}`
  const write = () => operator.call('POST', `${path}/notes`, { text: 'one more' })
  assert.equal((await write()).status, 200)
  assertProblem(await write(), 409, 'invalid_state')
  assert.equal((await operator.get(path)).body.notes.length, 500)
})

test('200: cancels a payment for the operator; 409: not once money came', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service)
  const open = await shop.create('to cancel')
  const path = `/payments/${shop.merchantId}/${open.body.payment.id}`
  const canceled = await operator.call('POST', `${path}/cancel`)
  assert.equal(canceled.body.status, 'canceled')
  assert.equal(canceled.body.statusReason, 'canceled-by-operator')
  assert.equal((await operator.get(path)).body.events.at(-1).actor, 'operator:operator')
  assert.equal((await operator.lastAudit()).subject, `payment:${shop.merchantId}/${open.body.payment.id}`)
  const partly = await shop.create('partly')
  await operator.call('POST', '/transfers', { transfers: [transfer(service, partly.body.card.id, { amount: 4000 })] })
  const before = await operator.lastAudit()
  const refused = await operator.call('POST', `/payments/${shop.merchantId}/${partly.body.payment.id}/cancel`)
  assertProblem(refused, 409, 'invalid_state')
  assert.deepEqual(await operator.lastAudit(), before)
})

test('200: lists payments by merchant, status and acknowledgement, in pages', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service)
  const other = await openShop(service)
  const paid = await shop.create('paid')
  await shop.create('open', { amount: 300 })
  await other.create('elsewhere', { amount: 400 })
  await operator.call('POST', '/transfers', { transfers: [transfer(service, paid.body.card.id)] })
  const orders = async (query: string) =>
    (await operator.get(`/payments?merchantId=${shop.merchantId}${query}`)).body.payments.map(
      (each: { orderId: string }) => each.orderId,
    )
  assert.deepEqual(await orders(''), ['open', 'paid'])
  assert.deepEqual(await orders('&status=new'), ['open'])
  assert.deepEqual(await orders('&acknowledged=false'), ['paid'])
  await shop.post('/payments/byOrderId/ack', { orderId: 'paid' })
  assert.deepEqual(await orders('&acknowledged=false'), [])
  assert.deepEqual(await orders('&acknowledged=true'), ['paid'])
  const page = (await operator.get('/payments?limit=1')).body
  assert.equal(page.payments[0].orderId, 'elsewhere')
  const next = (await operator.get(`/payments?limit=2&cursor=${page.nextCursor}`)).body
  assert.deepEqual(
    next.payments.map((each: { merchantId: string }) => each.merchantId),
    [shop.merchantId, shop.merchantId],
  )
})

test('200: the doctor finds every invariant whole', async () => {
  const { body } = await openOperator(opened()).get('/doctor')
  assert.equal(body.healthy, true)
  assert.ok(body.checks.length > 0)
  for (const { name, broken, examples } of body.checks)
    assert.deepEqual({ broken, examples }, { broken: 0, examples: [] }, name)
})

test('200: the audit lists the last entries, or those after a number, and its chain is whole', async () => {
  const service = opened()
  const operator = openOperator(service)
  for (let count = 0; count < 3; count++) await operator.call('PUT', '/rates/amd', { price: 390 + count })
  service.clock.advance(hour)
  const last = (await operator.get('/audit?limit=2')).body.entries
  assert.deepEqual(
    last.map((entry: { details: { price: number } }) => entry.details.price),
    [391, 392],
  )
  const [first, second] = last
  assert.equal(second.sequence, first.sequence + 1)
  assert.deepEqual((await operator.get(`/audit?after=${first.sequence}`)).body.entries, [second])
  assert.deepEqual((await operator.get('/audit?after=0&limit=1')).body.entries[0].sequence, 1)
  assert.deepEqual(await verifyAudit(service.context), [])
})

test('a refused change leaves no audit entry', async () => {
  const operator = openOperator(opened())
  await setAgreedRate(opened(), 'amd', 390)
  const before = await operator.lastAudit()
  assertProblem(await operator.call('PUT', '/rates/amd', { price: 1 }), 409, 'rate_outside_band')
  assertProblem(await operator.call('PATCH', `/merchants/${unknownId}`, { name: 'x' }), 404, 'resource_not_found')
  assert.deepEqual(await operator.lastAudit(), before)
})
