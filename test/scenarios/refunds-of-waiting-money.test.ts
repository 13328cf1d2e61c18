// What of a balance waits for a dispute or a proof is not paid out by refunds of other payments.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { payIn } from '../support/shop.ts'

const payer = { sender: '40817810099910004312', senderName: 'Ivanov Ivan' }

const paid = async (
  service: TestService,
  { shop, requisiteId }: Awaited<ReturnType<typeof openBank>>,
  order: string,
  amount: number,
) => {
  const { body } = await shop.create(order, { amount })
  await payIn(service, { requisiteId, minor: BigInt(amount) * 100n, ...payer })
  assert.equal(await shop.status(order), 'paid')
  return String(body.payment.id)
}

/** The merchant gets all that it may. */
const settleAll = async (service: TestService, merchantId: string): Promise<void> => {
  const destinationId = await openDestination(service, merchantId)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { body } = await anna.call('POST', '/settlements', { merchantId, reference: 's', destinationId })
  const path = `/settlements/${merchantId}/${body.id}`
  await boris.call('POST', `${path}/approve`)
  assert.equal((await boris.call('POST', `${path}/pay`, { externalReference: 'x' })).body.status, 'paid')
}

onBothEngines('a credit under dispute pays for no refund of another payment', async (service) => {
  const bank = await openBank(service, 'live', { terms: { feePpm: 0 } })
  const { shop } = bank
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const disputed = await paid(service, bank, 'one', 2000)
  await paid(service, bank, 'two', 1900)
  const path = `/payments/${shop.merchantId}/${disputed}/disputes`
  const opened = await boris.call('POST', path, { amount: 1000, note: 'the wrong payment' })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  await settleAll(service, shop.merchantId)
  const ask = (reference: string, amount?: number) =>
    shop.post('/payments/byOrderId/two/refunds', { reference, ...(amount && { amount }) })
  const refused = await ask('r')
  assertProblem(refused, 409, 'balance_insufficient')
  assert.match(refused.body.detail, /21\.621621 USDT of it wait: a dispute about other payments is open/)
  const about = `/disputes/${shop.merchantId}/${opened.body.id}`
  await anna.call('POST', `${about}/confirm`, { amount: 1000 })
  const rejected = await anna.call('POST', `${about}/decision`, { decision: 'reject', note: 'as it was' })
  assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
  assert.equal((await ask('r')).status, 201)
})

onOneEngine('an unproven credit pays for its own refund only, where the terms settle proven money', async (service) => {
  const bank = await openBank(service, 'live', { terms: { feePpm: 0, payoutPolicy: 'proven' } })
  const { shop, requisiteId } = bank
  await paid(service, bank, 'proven', 900)
  await settleAll(service, shop.merchantId)
  const phone = await openPhone(service, [requisiteId], { digits: ['4071'], dailyLimit: 2000, balances: 'ignored' })
  await shop.create('phoned', { amount: 910 })
  await phone.sms(creditOf(service, 910, null))
  assert.equal(await shop.status('phoned'), 'paid')
  const ask = (order: string) => shop.post(`/payments/byOrderId/${order}/refunds`, { reference: order })
  assertProblem(await ask('proven'), 409, 'balance_insufficient')
  assert.equal((await ask('phoned')).status, 201)
})

onOneEngine(
  'a debt that is allowed in one currency pays for no refund of payments in a former one',
  async (service) => {
    const bank = await openBank(service, 'live', { terms: { feePpm: 0 }, settings: { maxDebt: 1000 } })
    const { shop } = bank
    await paid(service, bank, 'one', 2000)
    await settleAll(service, shop.merchantId)
    const settings = { quoteCurrency: 'rub', maxDebt: 90_000 }
    const changed = await openOperator(service).call('PATCH', `/merchants/${shop.merchantId}`, { settings })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const asked = await shop.post('/payments/byOrderId/one/refunds', { reference: 'r' })
    assertProblem(asked, 409, 'balance_insufficient')
  },
)
