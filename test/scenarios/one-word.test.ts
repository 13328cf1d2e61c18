// One person's word is not two because somebody else's report lies next to it.
import assert from 'node:assert/strict'
import { hour } from '../../src/domain/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openFeed } from '../support/push.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

const bounds = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' }
const { onEngines, onOne } = shareEngines(bounds)

/** A bank with a feed that two people know, and two operators, each with a day's bound that is not used yet. */
const open = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const feed = await openFeed(service, `feed of ${bank.account}`, [bank.requisiteId])
  await boris.call('POST', `/statement-sources/${feed.sourceId}/key/approve`, { keyPrefix: feed.keyPrefix })
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

onEngines('whoever typed money in does not confirm it by calling a report of the bank the same', async (service) => {
  const { bank, anna, boris, report, typeIn, decide, assign } = await open(service)
  const { body } = await bank.shop.create('fake', { amount: 20_001 })
  const [typed, pushed] = [await typeIn(), await report('REAL')]
  const same = await decide(anna, pushed, 'same-money')
  assert.equal(same.state, 'done')
  assert.equal((await assign(anna, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await anna.call('POST', `/decisions/${same.id}/revoke`, { reason: 'a mistake' })).status, 200)
  assert.equal((await assign(anna, typed, body.payment.id)).code, 'second_person_required')
  assert.equal((await decide(boris, pushed, 'same-money')).state, 'done')
  assert.equal((await assign(anna, typed, body.payment.id)).state, 'done')
})

onOne('outgoing money did not come in as what the same person typed in', async (service) => {
  const { bank, anna, boris } = await open(service)
  const other = await openBank(service)
  await bank.bring(mt940Of, [{ minor: -20_000_00n, payer: 'Somebody' }])
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
  await bank.bring(mt940Of, [{ minor: -20_000_00n, payer: 'Somebody' }])
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
  await bank.bring(mt940Of, [{ minor: -20_000_00n, payer: 'Somebody' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
  const confirm = `/outgoing/${bank.requisiteId}/${sent.id}/confirm`
  assert.equal((await anna.call('POST', confirm, { transferId: ids[1] })).body.purpose, 'reversal')
  assert.equal(await available(), once)
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
