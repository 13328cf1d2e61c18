// Disputes in the merchant API and the operator API: what is refused, files, and claims of payers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiveProof } from '../../src/engine/disputes/claims/receive-proof.ts'
import { day, hour } from '../../src/rules/time.ts'
import { openCourt, pngFile } from '../support/disputes.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, payIn, send } from '../support/shop.ts'

const opened = shareService()

test('a claim needs an amount above 0, no more decimals than the currency, and known fields', async () => {
  const court = await openCourt(opened())
  await court.create('order')
  await court.expire()
  assertProblem(await court.claim('order', { amount: 0 }), 400, 'validation_failed', ['amount'])
  assertProblem(await court.claim('order', { amount: 1.001 }), 422, 'amount_precision', ['amount'])
  assertProblem(await court.claim('order', { colour: 'red' }), 400, 'validation_failed', ['colour'])
  assertProblem(await court.claim('order', { reason: 'because' }), 400, 'validation_failed', ['reason'])
  assertProblem(await court.claim('order', { note: 'a\u0000' }), 400, 'validation_failed', ['note'])
  assertProblem(await court.claim('nobody'), 404, 'payment_not_found')
  assertProblem(await court.dispute('order'), 404, 'resource_not_found')
  assertProblem(await court.withdraw('order'), 404, 'resource_not_found')
  assert.equal(await court.shop.status('order'), 'expired')
})

test('a payment whose time is not over, and one that is paid, cannot be claimed', async () => {
  const service = opened()
  const court = await openCourt(service)
  await court.create('open')
  assertProblem(await court.claim('open'), 409, 'invalid_state')
  const paid = await court.create('paid', { amount: 6000 })
  await payIn(service, { requisiteId: paid.requisiteId, minor: 6000_00n })
  assertProblem(await court.claim('paid'), 409, 'invalid_state')
})

test('a merchant claims the same payment twenty times at most, an operator as often as there is need', async () => {
  const court = await openCourt(opened())
  const payment = await court.create('again and again')
  await court.expire()
  for (let claims = 0; claims < 20; claims++) {
    assert.equal((await court.claim(payment.orderId)).status, 201)
    assert.equal((await court.withdraw(payment.orderId)).status, 200)
  }
  assertProblem(await court.claim(payment.orderId), 409, 'invalid_state')
  assert.equal((await court.correct(payment, 5000)).status, 201)
})

test('a dispute of another merchant is not there, and reading needs no right to write', async () => {
  const service = opened()
  const court = await openCourt(service)
  const payment = await court.create('mine')
  await court.expire()
  const { id } = (await court.claim('mine')).body
  const stranger = await openShop(service)
  assertProblem(await stranger.get('/payments/byOrderId/mine/dispute'), 404, 'payment_not_found')
  assertProblem(await stranger.post('/payments/byOrderId/mine/dispute/withdraw', {}), 404, 'payment_not_found')
  assertProblem(await court.anna.get(`/disputes/${stranger.merchantId}/${id}`), 404, 'resource_not_found')
  assertProblem(await court.anna.get(`/disputes/${court.shop.merchantId}/${unknownId}`), 404, 'resource_not_found')
  const reader = await openShop(service, { scopes: ['payments:read'] })
  assertProblem(await reader.post('/payments/byOrderId/x/dispute', { amount: 1 }), 403, 'scope_missing')
  assert.equal(payment.orderId, 'mine')
})

test('files are recognised by their content, kept once, at most ten, at most 5 MB, and only while it is undecided', async () => {
  const court = await openCourt(opened())
  await court.create('files')
  await court.expire()
  assertProblem(await court.upload('files', pngFile()), 404, 'resource_not_found')
  const { id } = (await court.claim('files')).body
  const named = await court.upload('files', Buffer.from('%PDF-1.7 and more'), 'image/png')
  assert.equal(named.body.evidence[0].contentType, 'application/pdf')
  assertProblem(await court.upload('files', Buffer.from('<svg/>')), 415, 'unsupported_media_type')
  assertProblem(await court.upload('files', Buffer.alloc(0)), 415, 'unsupported_media_type')
  assertProblem(await court.upload('files', Buffer.from('{}'), 'application/json'), 415, 'unsupported_media_type')
  const form = await court.upload('files', Buffer.from('a=b'), 'text/plain')
  assertProblem(form, 415, 'unsupported_media_type')
  assert.match(form.body.detail, /^Send a PNG, JPEG, WebP, HEIC or PDF file/)
  const large = Buffer.concat([pngFile(), Buffer.alloc(5 * 1024 * 1024)])
  const tooLarge = await court.upload('files', large)
  assertProblem(tooLarge, 413, 'payload_too_large')
  assert.match(tooLarge.body.detail, /: 5 MB\.$/)
  assert.equal((await court.upload('files', large.subarray(0, 5 * 1024 * 1024))).body.evidence.length, 2)
  assert.equal((await court.upload('files', Buffer.from('%PDF-1.7 and more'))).body.evidence.length, 2)
  for (let file = 3; file <= 10; file++) await court.upload('files', pngFile(String(file)))
  assertProblem(await court.upload('files', pngFile('eleven')), 409, 'invalid_state')

  const path = `/disputes/${court.shop.merchantId}/${id}`
  const { evidence } = (await court.anna.get(path)).body
  assert.equal(evidence.length, 10)
  const file = await court.anna.get(`${path}/evidence/${evidence[0].id}`)
  assert.equal(file.body, '%PDF-1.7 and more')
  assert.equal(file.headers.get('content-type'), 'application/pdf')
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="evidence-.*\.pdf"$/)
  assert.equal((await court.anna.lastAudit()).action, 'evidence.read')
  assertProblem(await court.anna.get(`${path}/evidence/${unknownId}`), 404, 'resource_not_found')
})

test('operators add files, too; decisions are checked before anything is done', async () => {
  const service = opened()
  const court = await openCourt(service)
  const payment = await court.create('order')
  await court.expire()
  const { id } = (await court.correct(payment, 5000)).body
  const path = `/disputes/${court.shop.merchantId}/${id}`
  const uploaded = await send(service, `/api/v1/operator${path}/evidence`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.operatorTokens['anna']}`, 'content-type': 'image/png' },
    body: new Uint8Array(pngFile()),
  })
  assert.equal(uploaded.body.evidence[0].by, 'operator:anna')
  const transfers = [{ requisiteId: payment.requisiteId, id: unknownId }]
  const refused = { decision: 'reject', amount: 1, transfers }
  assertProblem(await court.step('decision', id, refused), 400, 'validation_failed', ['amount', 'transfers'])
  assertProblem(await court.step('decision', id, { decision: 'accept', transfers }), 404, 'resource_not_found')
  assert.equal((await court.preview(id, { decision: 'accept', transfers })).code, 'resource_not_found')
  assertProblem(await court.step('decision', id, { decision: 'maybe' }), 400, 'validation_failed', ['decision'])
  assertProblem(await court.step('confirm', id, { amount: 5000 }, court.boris), 409, 'invalid_state')
  const twice = [...transfers, ...transfers]
  assertProblem(await court.step('decision', id, { decision: 'accept', transfers: twice }), 400, 'validation_failed')
  const reopened = await court.correct(payment, 5000)
  assertProblem(reopened, 409, 'dispute_exists')
  const listed = (await court.anna.get(`/disputes?state=open&merchantId=${court.shop.merchantId}`)).body.disputes
  assert.deepEqual(
    listed.map((each: { id: string }) => each.id),
    [id],
  )
})

test('an operator asks for more; the merchant reads it in the history, and nobody is asked about what is decided', async () => {
  const court = await openCourt(opened())
  await court.create('order')
  await court.expire()
  const { id } = (await court.claim('order')).body
  const ask = (text: string) => court.anna.call('POST', `/disputes/${court.shop.merchantId}/${id}/ask`, { text })
  assertProblem(await ask(''), 400, 'validation_failed', ['text'])
  assert.equal((await ask('At what time?')).body.history.at(-1).by, 'operator:anna')
  assert.equal((await court.anna.lastAudit()).action, 'dispute.ask')
  const { kind, by, note } = (await court.dispute('order')).body.history.at(-1)
  assert.deepEqual([kind, by, note], ['asked', 'operator', 'At what time?'])
  await court.step('decision', id, { decision: 'reject' })
  assertProblem(await ask('And now?'), 409, 'invalid_state')
})

test('an operator without a token of its own confirms nothing that it proposed itself', async () => {
  const service = opened()
  const court = await openCourt(service)
  const payment = await court.create('order')
  await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n })
  const main = openOperator(service)
  const { id } = (await court.correct(payment, 1000, main)).body
  assertProblem(await court.step('confirm', id, { amount: 1000 }, main), 409, 'invalid_state')
  assert.equal((await court.step('confirm', id, { amount: 1000 }, court.anna)).body.status, 'disput')
  assert.equal((await court.step('decision', id, { decision: 'reject' })).body.status, 'paid')
})

test('a payer’s claim with a receipt becomes a dispute when money can no longer be matched to the payment', async () => {
  const service = opened()
  const court = await openCourt(service)
  const file = { type: 'image/png', content: pngFile() } as const
  const prove = (payment: { merchantId: string; id: string }, receipt: boolean) =>
    receiveProof(service.context, payment, {
      claim: { amount: 4999_00n, paidAt: service.clock.now },
      receipt: receipt ? file : undefined,
    })
  const late = await court.create('late')
  const without = await court.create('without', { amount: 6000 })
  const canceled = await court.create('canceled', { amount: 7000 })
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
  await court.expire()
  await prove(late, true)
  await prove(without, false)
  await prove(canceled, true)
  await service.runJobs()
  const statuses = () => Promise.all(['late', 'without', 'canceled'].map((order) => court.shop.status(order)))
  assert.deepEqual(await statuses(), ['expired', 'expired', 'disput'])
  service.clock.advance(day + hour)
  await service.runJobs()
  assert.deepEqual(await statuses(), ['disput', 'expired', 'disput'])
  // The receipt may come after the claim.
  await receiveProof(service.context, without, { receipt: file })
  await service.runJobs()
  assert.deepEqual(await statuses(), ['disput', 'disput', 'disput'])
  const { body } = await court.dispute('late')
  assert.deepEqual([body.claimant, body.amount, body.reason], ['payer', 4999, 'paid-not-credited'])
  const seen = (await court.anna.get(`/disputes/${court.shop.merchantId}/${body.id}`)).body
  assert.equal(seen.receipts.length, 1)
  assertProblem(await court.withdraw('late'), 409, 'invalid_state')
  assert.equal((await court.step('decision', body.id, { decision: 'reject' })).body.status, 'expired')
  await service.runJobs()
  assert.equal(await court.shop.status('late'), 'expired', 'what was decided is not opened again')
})
