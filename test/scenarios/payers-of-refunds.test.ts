// Who gets a refund: whoever sent the money that paid, as a bank has reported it.
import assert from 'node:assert/strict'
import { formatInstant } from '../../src/rules/time.ts'
import { assertProblem } from '../support/problem.ts'
import { openRefundDesk, payerAccount } from '../support/refund-desk.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { payIn } from '../support/shop.ts'

const stranger = payerAccount(66)

type Desk = Awaited<ReturnType<typeof openRefundDesk>>

/** A payment, paid by this sender, with what a refund of it can do. */
const openPaid = async (service: TestService, desk: Desk, from: object) => {
  const { shop, requisiteId, finance } = desk
  const { body } = await shop.create('ord-1', { amount: 9000 })
  await payIn(service, { requisiteId, minor: 9000_00n, reference: 'real', ...from })
  assert.equal(await shop.status('ord-1'), 'paid')
  const paymentId: string = body.payment.id
  return {
    ask: async (more: object = {}) => {
      const asked = await shop.post('/payments/byOrderId/ord-1/refunds', { reference: 'refund-1', ...more })
      assert.equal(asked.status, 201, JSON.stringify(asked.body))
      return (verb: string, about: object = {}) =>
        finance.call('POST', `/refunds/${shop.merchantId}/${asked.body.id}/${verb}`, about)
    },
    /** Assigns money that waits in the inbox to the payment, as an overpayment. */
    assign: async () => {
      const [waiting] = await desk.inbox()
      const shares = [{ merchantId: shop.merchantId, paymentId }]
      const { status } = await finance.call('POST', `/transfers/${requisiteId}/${waiting?.id}/assign`, { shares })
      assert.equal(status, 200)
    },
  }
}

const whole = { sender: payerAccount(1), senderName: 'Иванов Иван', senderBank: 'bank-a' }

/** One operator alone types in money from the stranger. */
const typeIn = async (service: TestService, { requisiteId, finance }: Desk): Promise<void> => {
  const bookedAt = formatInstant(service.clock.now)
  const typed = { requisiteId, amount: 9100, currency: 'rub', bookedAt, sender: stranger, senderName: 'Чужой Пётр' }
  assert.equal((await finance.call('POST', '/transfers', { transfers: [typed] })).status, 200)
}

const fileText = (body: { content: string }): string => Buffer.from(body.content, 'base64').toString()

onBothEngines('nobody becomes the payer of a refund by an overpayment, however large it is', async (service) => {
  const desk = await openRefundDesk(service)
  const paid = await openPaid(service, desk, whole)
  const other = { sender: stranger, senderName: 'Чужой Пётр', senderBank: 'bank-a' }
  await payIn(service, { requisiteId: desk.requisiteId, minor: 9500_00n, reference: 'more', ...other })
  await paid.assign()
  await typeIn(service, desk)
  await paid.assign()
  const step = await paid.ask()
  assert.equal((await step('approve')).body.status, 'approved')
  assert.equal((await step('reveal', { reason: 'to send it' })).body.number, whole.sender)
  const text = fileText((await desk.file({ format: 'csv' })).body)
  assert.ok(text.includes(whole.sender) && !text.includes(stranger), text)
  // Nor does the bank's report of money to the stranger prove the refund.
  const { refunds } = (await desk.shop.get('/refunds')).body
  const sent = { minor: -9000_00n, text: 'Возврат' }
  await desk.bring({ ...sent, payer: other.senderName, payerAccount: stranger, reference: 'A' })
  assert.equal(await desk.statusOf(refunds[0].id), 'sent')
  await desk.bring({ ...sent, payer: whole.senderName, payerAccount: whole.sender, reference: 'B' })
  assert.equal(await desk.statusOf(refunds[0].id), 'done')
})

onBothEngines('what one person types in makes no payer known whom the bank has not named', async (service) => {
  const desk = await openRefundDesk(service)
  const paid = await openPaid(service, desk, { sender: '*1234' })
  await typeIn(service, desk)
  await paid.assign()
  const unnamed = await paid.ask()
  assertProblem(await unnamed('approve'), 409, 'invalid_state')
  assertProblem(await unnamed('reveal', { reason: 'to send it' }), 409, 'invalid_state')
  assert.equal((await unnamed('refuse', { reason: 'Name the account' })).status, 200)
  const named = await paid.ask({ reference: 'named', payTo: `Иванов Иван, ${payerAccount(2)}` })
  assert.equal((await named('approve')).body.status, 'approved')
})

onOneEngine(
  'of two who sent the same, of whom the bank names one, neither file nor person is given one',
  async (service) => {
    const desk = await openRefundDesk(service)
    const { shop, requisiteId, finance } = desk
    const { body } = await shop.create('ord-1', { amount: 9000 })
    for (const [reference, from] of [
      ['a', { senderName: 'Петров Пётр' }],
      ['b', whole],
    ] as const) {
      const { id } = await payIn(service, { requisiteId, minor: 4500_00n, reference, ...from })
      const shares = [{ merchantId: shop.merchantId, paymentId: body.payment.id }]
      await finance.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
    }
    assert.equal(await shop.status('ord-1'), 'paid')
    const { id } = (await shop.post('/payments/byOrderId/ord-1/refunds', { reference: 'refund-1' })).body
    const step = (verb: string, about: object = {}) =>
      finance.call('POST', `/refunds/${shop.merchantId}/${id}/${verb}`, about)
    assert.equal((await step('approve')).body.status, 'approved')
    assertProblem(await step('reveal', { reason: 'to send it' }), 409, 'invalid_state')
    assert.match((await desk.file({ format: 'csv' })).body.leftOut[0].why, /Several accounts have paid as much/)
  },
)

onOneEngine('a file sends nobody more than that payer sent, less what was refunded before', async (service) => {
  const desk = await openRefundDesk(service)
  const { shop, requisiteId, finance } = desk
  await shop.create('parts', { amount: 9000 })
  const other = { sender: payerAccount(2), senderName: 'Петров Пётр', senderBank: 'bank-a' }
  await payIn(service, { requisiteId, minor: 4400_00n, reference: 'first', ...whole })
  const [waiting] = await desk.inbox()
  const shares = [{ merchantId: shop.merchantId, paymentId: (await shop.get('/payments/byOrderId/parts')).body.id }]
  if (waiting) await finance.call('POST', `/transfers/${requisiteId}/${waiting.id}/assign`, { shares })
  await payIn(service, { requisiteId, minor: 4600_00n, reference: 'second', ...other })
  const [more] = await desk.inbox()
  if (more) await finance.call('POST', `/transfers/${requisiteId}/${more.id}/assign`, { shares })
  assert.equal(await shop.status('parts'), 'paid')
  const ask = async (reference: string, amount: number) => {
    const { body } = await shop.post('/payments/byOrderId/parts/refunds', { reference, amount })
    await finance.call('POST', `/refunds/${shop.merchantId}/${body.id}/approve`)
    return body.id as string
  }
  const whole2 = await ask('too-much', 4600.01)
  const left = (await desk.file({ format: 'csv' })).body
  assert.equal(await desk.statusOf(whole2), 'approved')
  assert.match(JSON.stringify(left), /more than the one who sent the most has sent/)
  await shop.post(`/refunds/${whole2}/cancel`, {})
  const first = await ask('first', 4000)
  const second = await ask('second', 600.01)
  await desk.file({ format: 'csv' })
  assert.deepEqual([await desk.statusOf(first), await desk.statusOf(second)].toSorted(), ['approved', 'sent'])
})
