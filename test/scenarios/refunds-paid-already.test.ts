// Refunds whose money has left, and whose outgoing transfer nobody has explained yet.
import assert from 'node:assert/strict'
import { day } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { owedIn } from '../support/ledger.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openRefundDesk, payerAccount } from '../support/refund-desk.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

/** More than one operator may decide alone. */
const large = (index: number): number => 193_000 + index

type Desk = Awaited<ReturnType<typeof openRefundDesk>>

/** A refund of a payment by an account, and what is done about it. */
const ask = async (service: TestService, desk: Desk, index: number, ...verbs: 'approve'[]) => {
  const { shop, requisiteId, finance } = desk
  const orderId = `ord-${index}`
  await shop.create(orderId, { amount: large(index) })
  const sender = { sender: payerAccount(index), senderName: 'Иванов Иван', senderBank: 'bank-a' }
  await payIn(service, { requisiteId, minor: BigInt(large(index)) * 100n, ...sender })
  const asked = await shop.post(`/payments/byOrderId/${orderId}/refunds`, { reference: `refund-${index}` })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  const { id, paymentId } = asked.body
  const step = (verb: string, body: object = {}, by = finance) =>
    by.call('POST', `/refunds/${shop.merchantId}/${id}/${verb}`, body)
  for (const verb of verbs) assert.equal((await step(verb)).status, 200)
  return {
    ...{ id, step },
    statusOf: () => desk.statusOf(id),
    cancel: () => shop.post(`/refunds/${id}/cancel`, {}),
    fail: (by = finance) => step('fail', { reason: 'Not needed' }, by),
    money: { merchantId: shop.merchantId, paymentId },
  }
}

const debitTo = (index: number, more: object = {}) => ({
  ...{ minor: BigInt(-large(index)) * 100n, payer: 'Иванов Иван', payerAccount: payerAccount(index), text: 'Возврат' },
  ...more,
})

const outgoingOf = async (desk: Desk, requisiteId = desk.requisiteId) => {
  const [newest] = (await desk.finance.get(`/outgoing?requisiteId=${requisiteId}`)).body.outgoing
  return {
    ...newest,
    path: `/outgoing/${requisiteId}/${newest.id}`,
  }
}

const mayHavePaid = /\(193001\.00 rub, 20\d\d-\d\d-\d\d\) may have paid it: say first what that was for/

onBothEngines('money that has left, and may be a refund, keeps that from being given up or sent', async (service) => {
  const desk = await openRefundDesk(service)
  const refund = await ask(service, desk, 1, 'approve')
  const owed = await owedIn(service, desk.shop.merchantId)
  await desk.bring(debitTo(1))
  service.clock.advance(8 * day)
  const canceled = await refund.cancel()
  assertProblem(canceled, 409, 'invalid_state')
  assert.match(canceled.body.detail, /Money of this amount left an account on 20\d\d-\d\d-\d\d and may be this refund/)
  const failed = await refund.fail()
  assertProblem(failed, 409, 'invalid_state')
  assert.match(failed.body.detail, mayHavePaid)
  assertProblem(await refund.step('send', { requisiteId: desk.requisiteId }), 409, 'invalid_state')
  const { leftOut } = (await desk.file({ format: 'csv' })).body
  assert.deepEqual([leftOut.length, mayHavePaid.test(leftOut[0].why)], [1, true])
  assert.equal(await refund.statusOf(), 'approved')
  assert.deepEqual(
    (await owedIn(service, desk.shop.merchantId)).filter((line) => line.startsWith('refund')),
    owed.filter((line) => line.startsWith('refund')),
  )
  const { path } = await outgoingOf(desk)
  const confirmed = await desk.finance.call('POST', `${path}/confirm`, { ...refund.money, reason: 'The refund' })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  assert.equal(await refund.statusOf(), 'done')
})

onOneEngine('so does money from another account, if its payee or text fit', async (service) => {
  const desk = await openRefundDesk(service)
  const other = await openBank(service)
  const [toPayer, named, free] = [
    await ask(service, desk, 1, 'approve'),
    await ask(service, desk, 2, 'approve'),
    await ask(service, desk, 3, 'approve'),
  ]
  await other.bringAgreed(mt940Of, [
    debitTo(1, { reference: 'A' }),
    debitTo(2, { payer: 'Петров Пётр', payerAccount: payerAccount(9), text: 'Возврат refund-2', reference: 'B' }),
    debitTo(3, { payer: 'Сидоров Олег', payerAccount: payerAccount(8), text: 'Аренда', reference: 'C' }),
  ])
  for (const refund of [toPayer, named]) {
    assertProblem(await refund.step('send', { requisiteId: desk.requisiteId }), 409, 'invalid_state')
    assertProblem(await refund.fail(), 409, 'invalid_state')
    assertProblem(await refund.cancel(), 409, 'invalid_state')
  }
  const { refunds } = (await desk.file({ format: 'csv' })).body
  assert.deepEqual(
    refunds.map(({ id }: { id: string }) => id),
    [free.id],
  )
})

onOneEngine('money to somebody else, or from before, keeps nobody from giving a refund up', async (service) => {
  const desk = await openRefundDesk(service)
  await desk.bring(debitTo(1, { text: 'ord-1' }))
  service.clock.advance(9 * day)
  await setAgreedRate(service, 'rub', 92.5)
  const [one, two] = [await ask(service, desk, 1, 'approve'), await ask(service, desk, 2)]
  const rent = { payer: 'Петров Пётр', payerAccount: payerAccount(9), text: 'Аренда' }
  await desk.bring(debitTo(1, { ...rent, reference: 'OTHER' }), debitTo(2, { ...rent, reference: 'ANOTHER' }))
  assert.equal((await one.fail()).body.status, 'failed')
  assert.equal((await two.cancel()).body.status, 'canceled')
})

onBothEngines('unbooking what made a refund done gives nobody a way to give it up alone', async (service) => {
  const desk = await openRefundDesk(service)
  const boris = openOperator(service, 'boris')
  const refund = await ask(service, desk, 1, 'approve')
  await desk.bring(debitTo(1))
  const { path } = await outgoingOf(desk)
  await desk.finance.call('POST', `${path}/confirm`, { ...refund.money, reason: 'The refund' })
  assert.equal(await refund.statusOf(), 'done')
  assert.equal((await desk.finance.call('POST', `${path}/unbook`, { reason: 'A mistake' })).status, 200)
  assert.equal(await refund.statusOf(), 'approved')
  const owed = await owedIn(service, desk.shop.merchantId)
  for (const refused of [await refund.fail(), await refund.cancel()]) assertProblem(refused, 409, 'invalid_state')
  assert.deepEqual(await owedIn(service, desk.shop.merchantId), owed)
  // Two say that it was something else: giving up what was once sent takes two as well, and not the merchant.
  for (const by of [desk.finance, boris])
    assert.equal((await by.call('POST', `${path}/book`, { purpose: 'other', reason: 'Rent' })).status, 200)
  assertProblem(await refund.cancel(), 409, 'invalid_state')
  const proposed = await refund.fail()
  assert.deepEqual([proposed.body.status, proposed.body.failingBy], ['approved', 'operator:anna'])
  assert.equal((await desk.finance.lastAudit()).details['proposed'], true)
  const { waiting } = (await desk.finance.get('/overview')).body
  assert.equal(waiting.find(({ kind }: { kind: string }) => kind === 'refunds-to-fail')?.count, 1)
  assert.equal((await refund.fail(boris)).body.status, 'failed')
})

onOneEngine('giving up refunds that were once sent counts towards the bound of one operator', async (service) => {
  const desk = await openRefundDesk(service)
  const unsent = async (index: number) => {
    const orderId = `small-${index}`
    const amount = 61_000 + index
    await desk.shop.create(orderId, { amount })
    const sender = { sender: payerAccount(index), senderName: 'Иванов Иван', senderBank: 'bank-a' }
    await payIn(service, { requisiteId: desk.requisiteId, minor: BigInt(amount) * 100n, ...sender })
    const { body } = await desk.shop.post(`/payments/byOrderId/${orderId}/refunds`, { reference: orderId })
    const base = `/refunds/${desk.shop.merchantId}/${body.id}`
    await desk.finance.call('POST', `${base}/approve`)
    await desk.bring(debitTo(index, { minor: BigInt(-amount) * 100n, reference: orderId }))
    const { path } = await outgoingOf(desk)
    const by = { merchantId: desk.shop.merchantId, paymentId: body.paymentId, reason: 'The refund' }
    await desk.finance.call('POST', `${path}/confirm`, by)
    assert.equal((await desk.finance.call('POST', `${path}/unbook`, { reason: 'A mistake' })).status, 200)
    for (const each of [desk.finance, openOperator(service, 'boris')])
      await each.call('POST', `${path}/book`, { purpose: 'other', reason: 'Rent' })
    return desk.finance.call('POST', `${base}/fail`, { reason: 'Not needed' })
  }
  assert.equal((await unsent(1)).body.status, 'failed')
  // 61,001 roubles are less than 1000 USDT, and with 61,002 more they are not.
  const second = await unsent(2)
  assert.deepEqual([second.body.status, second.body.failingBy], ['approved', 'operator:anna'])
})
