import assert from 'node:assert/strict'
import { integer, query, text } from 'payin-database'
import { hour, minute } from '../../src/rules/time.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { block, decisionsOf, limit, tellPhone } from '../support/risk.ts'
import { assertProblem } from '../support/problem.ts'
import { onPostgres } from '../support/service.ts'
import { openShop, payIn, send, type Shop } from '../support/shop.ts'
import { shareRisk } from './share-risk.ts'

const onEngines = shareRisk()

const reasonOf = async (operator: Operator, shop: Shop, id: string) => {
  const { body } = await operator.get(`/payments/${shop.merchantId}/${id}`)
  return [body.status, body.statusReason]
}

const heldSlots = query('test_risk_held_slots', {
  parameters: { paymentId: text },
  row: { held: integer },
  text: `select count(*)::integer as held from slots where payment_id::text = :paymentId and held_until > taken_at`,
})

onEngines('a blocked user: the payment is failed at once, shows no requisite and keeps no slot', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const operator = openOperator(service)
  const { id: ruleId } = await block(operator, { kind: 'user', value: 'user-1', merchantId: shop.merchantId })
  for (const type of ['direct', 'staged']) {
    const { status, body } = await shop.create(type, { type, userId: 'user-1' })
    assert.equal(status, 201)
    assert.equal(body.payment.status, 'failed')
    assert.deepEqual(Object.keys(body.card).toSorted(), ['bankIssuer', 'id'])
    const { id } = body.payment
    assert.equal(await shop.status(type), 'failed')
    assert.deepEqual(await reasonOf(operator, shop, id), ['failed', 'risk'])
    assert.deepEqual(await service.context.query(heldSlots, { paymentId: id }), [{ held: 0 }])
    const page = await send(service, new URL(body.redirectUrl).pathname)
    assert.doesNotMatch(page.body, /data-copy|Chargebacks|block/)
    const [decision, ...others] = await decisionsOf(operator, id)
    assert.deepEqual(others, [])
    const { checkpoint, outcome, rule, kind, explanation } = decision
    const recorded = { checkpoint, outcome, rule, ruleId: decision.ruleId, kind, explanation }
    const wanted = { checkpoint: 'create', outcome: 'refused', rule: 'block', ruleId, kind: 'user' }
    assert.deepEqual(recorded, { ...wanted, explanation: { reason: 'Chargebacks' } })
    const audit = await operator.lastAudit()
    assert.deepEqual([audit.actor, audit.action], ['service', 'risk.refuse'])
    assert.equal(audit.subject, `payment:${shop.merchantId}/${id}`)
  }
  // The same request again tells the same, and gives nothing away either.
  const again = await shop.create('direct', { userId: 'user-1' })
  assert.deepEqual([again.status, again.body.payment.status, again.body.card.phone], [200, 'failed', undefined])
  // Everybody else pays as ever, on the same slot.
  for (const fields of [{ userId: 'user-2' }, { amount: 5001 }]) {
    const { body } = await shop.create(JSON.stringify(fields), fields)
    assert.equal(body.payment.status, 'new')
    assert.match(body.card.phone, /^7/)
  }
})

onEngines(
  'a block is of its merchant, ends in time or by an operator, and an order made before stays',
  async (service) => {
    const shop = await openShop(service)
    const other = await openShop(service, { name: 'Other' })
    const operator = openOperator(service)
    assert.equal((await shop.create('before', { userId: 'u' })).body.payment.status, 'new')
    const endsAt = new Date(service.clock.now + hour).toISOString()
    const own = { kind: 'user', value: 'u', merchantId: shop.merchantId }
    const { id } = await block(operator, { ...own, endsAt })
    assertProblem(await operator.call('POST', '/risk/blocks', { ...own, reason: 'Again' }), 409, 'already_exists')
    const statusOf = async (orderId: string) => (await shop.create(orderId, { userId: 'u' })).body.payment.status
    assert.equal(await statusOf('before'), 'new')
    assert.equal(await statusOf('during'), 'failed')
    assert.equal((await other.create('1', { userId: 'u' })).body.payment.status, 'new')
    service.clock.advance(hour)
    assert.equal(await statusOf('after'), 'new')
    const { id: second } = await block(operator, own)
    assert.equal(await statusOf('second'), 'failed')
    assert.equal((await operator.call('POST', `/risk/blocks/${second}/end`)).status, 200)
    assertProblem(await operator.call('POST', `/risk/blocks/${second}/end`), 404, 'resource_not_found')
    assert.equal(await statusOf('lifted'), 'new')
    const { body } = await operator.get('/risk/blocks')
    assert.deepEqual(
      body.blocks
        .filter((each: { merchantId?: string }) => each.merchantId === shop.merchantId)
        .map((each: { id: string; value: string }) => [each.id, each.value]),
      [second, id].map((each) => [each, 'u••••']),
    )
    const found = await operator.call('POST', '/risk/blocks/find', own)
    assert.equal(found.body.blocks.length, 2)
    const auditor = openOperator(service, 'vera')
    assert.equal((await auditor.call('POST', '/risk/blocks/find', own)).status, 200)
    const phone = { kind: 'phone', value: '+79991234567' }
    assertProblem(await auditor.call('POST', '/risk/blocks/find', phone), 403, 'role_missing')
  },
)

onEngines(
  'a blocked or busy phone: the payment fails when the payer tells it, and the page does not say why',
  async (service) => {
    const shop = await openShop(service)
    const operator = openOperator(service)
    // Written in another way than the payer writes it.
    await block(operator, { kind: 'phone', value: '8 (926) 123-45-67' })
    const { body } = await shop.create('1', { type: 'staged', locale: 'en' })
    assert.equal(body.payment.status, 'new')
    assert.equal((await tellPhone(service, body.redirectUrl)).status, 303)
    const page = await send(service, new URL(body.redirectUrl).pathname)
    assert.match(page.body, /<h1[^>]*>[^<]*/)
    assert.doesNotMatch(page.body, /data-copy|Chargebacks|blocked/)
    assert.equal(await shop.status('1'), 'failed')
    assert.deepEqual(await reasonOf(operator, shop, body.payment.id), ['failed', 'risk'])
    const [decision] = await decisionsOf(operator, body.payment.id)
    assert.deepEqual([decision.checkpoint, decision.rule, decision.kind], ['page', 'block', 'phone'])
    const stranger = await shop.create('2', { type: 'staged' })
    assert.equal((await tellPhone(service, stranger.body.redirectUrl, '+79260000000')).status, 303)
    assert.equal(await shop.status('2'), 'new')

    // A rule for all merchants counts them together, live ones apart from sandboxes.
    await limit(operator, { kind: 'phone', maxCount: 1 })
    const shops = [await openShop(service), await openShop(service, { mode: 'sandbox' }), await openShop(service)]
    const statuses: string[] = []
    for (const each of shops) {
      const created = await each.create('1', { type: 'staged' })
      await tellPhone(service, created.body.redirectUrl, '+79260000001')
      statuses.push(await each.status('1'))
    }
    assert.deepEqual(statuses, ['new', 'new', 'failed'])
  },
)

onEngines('a velocity rule for users counts per window, and by sum', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  const operator = openOperator(service)
  const counted = await limit(operator, { kind: 'user', maxCount: 2 })
  const make = async (orderId: string, fields: object) => (await shop.create(orderId, { userId: 'u', ...fields })).body
  assert.match((await make('1', {})).card.phone, /^7/)
  service.clock.advance(minute)
  assert.equal((await make('2', {})).payment.status, 'new')
  const third = await make('3', {})
  assert.equal(third.payment.status, 'failed')
  const [decision] = await decisionsOf(operator, third.payment.id)
  const explanation = { reason: 'New users', windowMs: hour, count: 3, maxCount: 2 }
  assert.deepEqual([decision.ruleId, decision.explanation], [counted.id, explanation])
  assert.equal((await make('other', { userId: 'v' })).payment.status, 'new')
  assert.equal((await shop.create('nobody')).body.payment.status, 'new')
  service.clock.advance(hour - minute - 1)
  assert.equal((await make('4', {})).payment.status, 'failed')
  service.clock.advance(1)
  assert.equal((await make('5', {})).payment.status, 'new')
  assert.equal((await operator.call('POST', `/risk/rules/${counted.id}/end`)).status, 200)
  await limit(operator, { kind: 'user', currency: 'rub', maxAmount: 7000, merchantId: shop.merchantId })
  assert.equal((await make('6', { userId: 'w' })).payment.status, 'new')
  const over = await make('7', { userId: 'w', amount: 2000.01 })
  assert.equal(over.payment.status, 'failed')
  const [summed] = await decisionsOf(operator, over.payment.id)
  assert.deepEqual([summed.explanation.amountMinor, summed.explanation.maxAmountMinor], ['700001', '700000'])
  assert.equal((await make('8', { userId: 'w', amount: 2000 })).payment.status, 'new')

  // What is refused for want of a requisite is not counted.
  const narrow = await openShop(service, { perMethod: 1 })
  await limit(operator, { kind: 'user', maxCount: 1, merchantId: narrow.merchantId })
  await narrow.create('taken', { userId: 'other' })
  assertProblem(await narrow.create('1', { userId: 'u' }), 409, 'requisites_unavailable')
  assert.equal((await narrow.create('1', { userId: 'u', amount: 5001 })).body.payment.status, 'new')
})

onEngines('money of a blocked account is credited and flagged, as is an account beyond its rule', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  const pay = async (orderId: string, sender: string) => {
    const { body } = await shop.create(orderId)
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, sender })
    assert.equal(await shop.status(orderId), 'paid')
    return decisionsOf(operator, body.payment.id)
  }
  const sender = '40817810000000000001'
  await block(operator, { kind: 'account', value: sender })
  const [flag] = await pay('1', sender)
  assert.deepEqual([flag.checkpoint, flag.outcome, flag.rule], ['transfer', 'flagged', 'block'])
  assert.equal((await operator.lastAudit()).action, 'risk.flag')
  await limit(operator, { kind: 'account', maxCount: 1 })
  assert.deepEqual(await pay('2', '40817810000000000002'), [])
  const [second] = await pay('3', '40817810000000000002')
  assert.deepEqual([second.outcome, second.explanation.count], ['flagged', 2])
})

onEngines('concurrent creates of one payer never pass a velocity rule', async (service) => {
  const shop = await openShop(service, { perMethod: 24, settings: { maxHeldPerUser: null } })
  await limit(openOperator(service), { kind: 'user', maxCount: 3 })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => shop.create(`${index}`, { userId: 'u' })))
  const statuses = answers.map(({ body }) => body.payment.status)
  assert.equal(statuses.filter((status) => status === 'new').length, 3)
  assert.equal(statuses.filter((status) => status === 'failed').length, 9)
})

onPostgres('concurrent transactions, as of several nodes, never pass a velocity rule', async (service) => {
  const { context } = service
  const shop = await openShop(service, { perMethod: 24 })
  const operator = openOperator(service)
  await limit(operator, { kind: 'user', maxCount: 3 })
  await limit(operator, { kind: 'phone', maxCount: 2 })
  const { merchantId } = shop
  const common = { type: 'direct', amount: '5000', currency: 'rub', method: 'sbp' } as const
  const batches = Array.from({ length: 10 }, (_, index) =>
    createPayments(context, [{ merchantId, request: { ...common, orderId: `${index}`, userId: 'u' } }]),
  )
  const results = (await Promise.all(batches)).flat()
  const made = results.filter((result) => result.kind === 'created' && result.payment.status === 'new')
  assert.equal(made.length, 3)
  const staged = await Promise.all(
    Array.from({ length: 8 }, (_, index) => shop.create(`s${index}`, { type: 'staged' })),
  )
  await Promise.all(staged.map(({ body }) => tellPhone(service, body.redirectUrl)))
  const statuses = await Promise.all(staged.map((_, index) => shop.status(`s${index}`)))
  assert.equal(statuses.filter((status) => status === 'new').length, 2)
})
