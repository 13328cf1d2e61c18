import assert from 'node:assert/strict'
import { hour, minute } from '../../src/rules/time.ts'
import type { Context } from '../../src/engine/context.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { forgetUses } from '../../src/engine/risk/uses.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { block, decisionsOf, limit, phone, tellPhone } from '../support/risk.ts'
import { onBothEngines, onPostgres } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { shareRisk } from './share-risk.ts'

const onEngines = shareRisk()

onEngines('a merchant reads, hears once of and need not acknowledge a payment refused by risk', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  await block(operator, { kind: 'user', value: 'u', merchantId: shop.merchantId })
  const { status, body } = await shop.create('1', { userId: 'u' })
  // Every field of docs/contract.md §2.3 is there, but for the number that nobody may pay to.
  assert.deepEqual([status, Object.keys(body).toSorted()], [201, ['card', 'payment', 'redirectUrl']])
  assert.deepEqual(Object.keys(body.payment).toSorted(), [
    ...['amount', 'currency', 'expiredAt', 'id', 'orderId', 'rate', 'sourcePan', 'status', 'total', 'userId'],
  ])
  assert.match(body.redirectUrl, /\/payment-sbp$/)
  const read = await shop.get('/payments/byOrderId/1')
  const detail = { id: body.payment.id, orderId: '1', amount: 5000, status: 'failed', currency: 'rub' }
  assert.deepEqual(read.body, detail)
  assertProblem(await shop.post('/payments/byOrderId/ack', { orderId: '1' }), 409, 'payment_not_paid')
  assertProblem(await shop.post('/payments/byOrderId/cancel', { orderId: '1' }), 409, 'invalid_state')
  assert.deepEqual((await shop.get('/payments?acknowledged=false')).body.payments, [])
  // Nobody has seen the requisite, so that it says nothing about how it does.
  const { requisites } = (await operator.get('/requisites/health?mode=live&method=sbp')).body
  assert.deepEqual(
    new Set(
      requisites
        .filter((each: { id: string }) => shop.requisiteIds.includes(each.id))
        .map((each: { lastDay: { payments: number } }) => each.lastDay.payments),
    ),
    new Set([0]),
  )
  await service.runJobs()
  service.clock.advance(25 * hour)
  await service.runJobs()
  const { events } = (await shop.get('/events')).body
  assert.deepEqual(
    events.map(({ type, data }: { type: string; data: Record<string, unknown> }) => [
      ...[type, data['orderId'], data['sequence'], data['status'], data['statusReason']],
    ]),
    [['payment.failed', '1', 2, 'failed', 'risk']],
  )
})

onEngines('a user who gave a blocked phone is refused at the next creation, until the block ends', async (service) => {
  const shop = await openShop(service)
  const other = await openShop(service, { name: 'Other' })
  const operator = openOperator(service)
  const { id: ruleId } = await block(operator, { kind: 'phone', value: phone })
  const statusOf = async (orderId: string, userId: string, at = shop) =>
    (await at.create(orderId, { userId })).body.payment.status
  const staged = (await shop.create('1', { type: 'staged', userId: 'u' })).body
  assert.equal(staged.payment.status, 'new')
  await tellPhone(service, staged.redirectUrl)
  assert.equal(await shop.status('1'), 'failed')
  const { body } = await shop.create('2', { userId: 'u' })
  assert.deepEqual([body.payment.status, body.card.phone], ['failed', undefined])
  const [decision] = await decisionsOf(operator, body.payment.id)
  assert.deepEqual([decision.checkpoint, decision.ruleId, decision.kind], ['create', ruleId, 'phone'])
  assert.deepEqual(decision.explanation, { reason: 'Chargebacks', shownWith: staged.payment.id })
  // Nobody else, nor the same name at another merchant.
  assert.equal(await statusOf('3', 'v'), 'new')
  assert.equal(await statusOf('1', 'u', other), 'new')
  assert.equal((await operator.call('POST', `/risk/blocks/${ruleId}/end`)).status, 200)
  assert.equal(await statusOf('4', 'u'), 'new')
})

onEngines('a user who paid from a blocked card is credited, and refused at the next creation', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  const card = '4276 8000 0000 0007'
  assert.equal((await operator.call('POST', '/risk/blocks', { kind: 'card', value: card, reason: 'x' })).status, 400)
  const right = '4276 8000 0000 0002'
  const { id } = await block(operator, { kind: 'card', value: right })
  const { body } = await shop.create('1', { userId: 'u' })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, sender: '4276800000000002' })
  assert.equal(await shop.status('1'), 'paid')
  assert.deepEqual(
    (await decisionsOf(operator, body.payment.id)).map((each: { outcome: string; ruleId: string }) => [
      ...[each.outcome, each.ruleId],
    ]),
    [['flagged', id]],
  )
  assert.equal((await shop.create('2', { userId: 'u', amount: 5001 })).body.payment.status, 'failed')
})

onEngines('cards are counted apart from accounts, and what is masked is not counted', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  const operator = openOperator(service)
  // A card and an account that no other test of these has used.
  await limit(operator, { kind: 'card', maxCount: 1 })
  const pay = async (orderId: string, sender: string) => {
    const { body } = await shop.create(orderId)
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, sender })
    const decisions = await decisionsOf(operator, body.payment.id)
    return decisions.map((each: { kind: string; explanation: { count: number } }) => [
      each.kind,
      each.explanation.count,
    ])
  }
  assert.deepEqual(await pay('1', '4276800000000010'), [])
  assert.deepEqual(await pay('2', '4276 8000 0000 0010'), [['card', 2]])
  assert.deepEqual(await pay('3', '40817810000000000001'), [])
  assert.deepEqual(await pay('4', '40817810000000000001'), [])
  assert.deepEqual(await pay('5', '4276 **** **** 0000'), [])
  assert.deepEqual(await pay('6', '4276 **** **** 0000'), [])
})

onEngines('money that an operator gives to a payment is flagged like money that is matched', async (service) => {
  // Two payments that the money could be for.
  const shop = await openShop(service, { perMethod: 1 })
  const operator = openOperator(service)
  const sender = '40817810000000000009'
  await block(operator, { kind: 'account', value: sender })
  const { body } = await shop.create('1')
  await shop.create('2', { amount: 5001 })
  const lost = await payIn(service, { requisiteId: body.card.id, minor: 4321_00n, sender })
  assert.deepEqual(await decisionsOf(operator, body.payment.id), [])
  const share = { merchantId: shop.merchantId, paymentId: body.payment.id, amount: 4321 }
  const address = `/transfers/${lost.requisiteId}/${lost.id}/assign`
  assert.equal((await operator.call('POST', address, { shares: [share] })).status, 200)
  const [flag] = await decisionsOf(operator, body.payment.id)
  assert.deepEqual([flag?.checkpoint, flag?.outcome, flag?.kind], ['transfer', 'flagged', 'account'])
})

/** A context that notes the names of the statements that are run on it. */
const noteStatements = (context: Context): { context: Context; names: string[] } => {
  const names: string[] = []
  const noted = <T extends Pick<Context, 'query'>>(sql: T): T => ({
    ...sql,
    query: (asked, values) => {
      // A payment alone is inserted by a query of its own, in place of that of a set.
      names.push(asked.name === 'insert_payment' ? 'insert_payments' : asked.name)
      return sql.query(asked, values)
    },
  })
  const whole: Context = { ...noted(context), transaction: (work) => context.transaction((tx) => work(noted(tx))) }
  return { context: whole, names }
}

onPostgres('creations are judged as a set, and cost nothing where nobody is watched', async (service) => {
  const shop = await openShop(service, { perMethod: 30, settings: { maxHeldPerUser: null } })
  const operator = openOperator(service)
  const statementsOf = async (prefix: string, count: number) => {
    const { context, names } = noteStatements(service.context)
    const common = { type: 'direct', currency: 'rub', method: 'sbp', userId: 'u' } as const
    const commands = Array.from({ length: count }, (_, index) => ({
      merchantId: shop.merchantId,
      request: { ...common, amount: String(5000 + index), orderId: `${prefix}-${index}` },
    }))
    const results = await createPayments(context, commands)
    for (const result of results) assert.equal(result.kind, 'created')
    return names
  }
  // Once a second a node reads which requisites have open payments.
  await statementsOf('first', 1)
  const plain = await statementsOf('plain', 20)
  assert.equal(plain.length, 1, plain.join())
  const { id } = await limit(operator, { kind: 'phone', maxCount: 1, windowMs: minute })
  assert.deepEqual(await statementsOf('unwatched', 20), plain)
  await operator.call('POST', `/risk/rules/${id}/end`)
  const { id: ruleId } = await limit(operator, { kind: 'user', maxCount: 5 })
  const one = await statementsOf('passing', 1)
  assert.deepEqual(await statementsOf('passing-too', 2), one)
  await statementsOf('filling', 2)
  const refused = await statementsOf('refused', 1)
  assert.deepEqual(await statementsOf('refused-too', 20), refused)
  await operator.call('POST', `/risk/rules/${ruleId}/end`)
  assert.deepEqual(await statementsOf('plain-again', 20), plain)
})

// On services of its own: it counts all that is forgotten.
onBothEngines('payers and their payments are forgotten once no window reaches them', async (service) => {
  const shop = await openShop(service)
  await limit(openOperator(service), { kind: 'user', maxCount: 5 })
  await shop.create('1', { userId: 'u' })
  assert.equal(await forgetUses(service.context), 0)
  service.clock.advance(31 * 24 * hour)
  assert.equal(await forgetUses(service.context), 2)
  assert.equal(await forgetUses(service.context), 0)
})
