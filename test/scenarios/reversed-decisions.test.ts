// What a bank takes back after an operator has decided about it: nobody keeps more than the bank has left.
import assert from 'node:assert/strict'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { recordReversals } from '../../src/engine/transfers/reversals/reversals.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt } from '../support/disputes.ts'
import { newsOf, owedIn } from '../support/ledger.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

let payments = 0

/** A payment of 5000 rub (53.513514 USDT for its merchant) that was paid twice, and what is decided about the surplus. */
const openTwice = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1 })
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { merchantId } = shop
  const { body } = await shop.create('twice')
  const requisiteId: string = body.card.id
  const paymentId: string = body.payment.id
  const reference = `TWICE-${++payments}`
  const pay = async (minor: bigint, bankReference: string) =>
    (await payIn(service, { requisiteId, minor, reference: bankReference })).id
  await pay(5000_00n, `${reference}-A`)
  service.clock.advance(1000)
  const surplusId = await pay(5000_00n, reference)
  let count = 0
  return {
    ...{ shop, anna, boris, merchantId, paymentId, requisiteId, surplusId },
    decide: async (decision: string, amount: number, more: object = {}) => {
      const wanted = { reference: `d-${++count}`, decision, amount, reason: 'agreed', ...more }
      const decided = await anna.call('POST', `/overpayments/${merchantId}/${paymentId}/decisions`, wanted)
      assert.equal(decided.status, 200, JSON.stringify(decided.body))
    },
    /** The bank's own report. */
    takeBack: async (minor: bigint): Promise<void> => {
      const report = { requisiteId, currency: 'rub', amount: minor, bookedAt: service.clock.now, sender: null }
      const dedupeKey = `reversal:${reference}-${++count}`
      const [done] = await service.context.transaction((tx) =>
        recordReversals(tx, [{ ...report, bankReference: reference, source: 'bank', channel: 'file:x', dedupeKey }]),
      )
      assert.equal(done?.transferId, surplusId)
    },
    available: async (): Promise<number> => (await shop.get('/balance')).body.available,
    owed: () => owedIn(service, merchantId),
  }
}

/** What the payment alone leaves in the books of its merchant. */
const credited = [
  'available 53.513514 USDT',
  'bank -5000.00 rub',
  'fees 0.540540 USDT',
  'fx:rub -54.054054 USDT',
  'fx:rub 5000.00 rub',
]

onEngines('an assigned overpayment that the bank takes back is taken from its merchant', async (service) => {
  const twice = await openTwice(service)
  await twice.decide('assign', 5000)
  assert.equal(await twice.available(), 107.027028)
  await twice.takeBack(1700_01n)
  // As if only 3299.99 had been assigned: 35.675567 before the fee.
  assert.equal(await twice.available(), 88.832326)
  await assertHealthy(service)
  await twice.takeBack(3299_99n)
  assert.deepEqual(await twice.owed(), credited)
  const [last, first] = (await twice.shop.get('/entries')).body.entries
  assert.deepEqual(
    [last, first].map(({ kind, amount, deducted, reference }) => [kind, amount, deducted, reference]),
    [
      ['assign', -35.318812, -0.356755, 'd-1'],
      ['assign', -18.194702, -0.183785, 'd-1'],
    ],
  )
  await assertHealthy(service)
})

onOne('what is owed leaves first, then what was assigned, and the rest is a loss', async (service) => {
  const twice = await openTwice(service)
  const { requisiteId } = twice
  await twice.decide('assign', 925.01)
  await twice.decide('refund', 75, { requisiteId })
  await twice.decide('write-off', 1000)
  const before = await twice.available()
  const left = async () => (await twice.owed()).filter((line) => /^(overpayment|reversed|written-off)/.test(line))
  await twice.takeBack(1700_00n)
  assert.deepEqual(
    [await twice.available(), await left()],
    [before, ['overpayment 1299.99 rub', 'written-off 1000.00 rub']],
  )
  await twice.takeBack(1300_00n)
  assert.deepEqual(await left(), ['written-off 1000.00 rub'])
  assert.ok((await twice.available()) < before)
  await assertHealthy(service)
  await twice.takeBack(2000_00n)
  assert.equal(await twice.available(), 53.513514)
  assert.deepEqual(await left(), ['reversed -1075.00 rub', 'written-off 1000.00 rub'])
  const { parts } = (await twice.anna.get(`/transfers/${requisiteId}/${twice.surplusId}`)).body
  assert.deepEqual(
    parts.map(({ kind, amount, reversedAmount }: Record<string, unknown>) => [kind, amount, reversedAmount]).toSorted(),
    [
      ['overpayment', 2000.01, 2000.01],
      ['reversed', 1299.99, undefined],
      ['reversed', 1700, undefined],
    ],
  )
  await assertHealthy(service)
})

onOne('the latest assignment is taken back first, each at its own price', async (service) => {
  const twice = await openTwice(service)
  const setPrice = (price: bigint) =>
    service.context.transaction((tx) => setRate(tx, { currency: 'rub', price, source: 'test', validUntil: null }))
  await twice.decide('assign', 2000)
  await setPrice(100_00000000n)
  await twice.decide('assign', 3000)
  assert.equal(await twice.available(), Number((53.513514 + 21.405405 + 29.7).toFixed(6)))
  await setPrice(120_00000000n)
  await twice.takeBack(1000_00n)
  assert.equal(await twice.available(), Number((53.513514 + 21.405405 + 19.8).toFixed(6)))
  await twice.takeBack(2500_00n)
  await assertHealthy(service)
  // 1500 at 92.5 are 16.216216.
  assert.equal(await twice.available(), Number((53.513514 + 16.054054).toFixed(6)))
  await twice.takeBack(1500_00n)
  await setPrice(92_50000000n)
  assert.deepEqual(await twice.owed(), credited)
})

onOne('a merchant that was paid an assigned overpayment owes it when the bank takes it back', async (service) => {
  const twice = await openTwice(service)
  const { merchantId, anna, boris } = twice
  await twice.decide('assign', 5000)
  const destinationId = await openDestination(service, merchantId)
  const drafted = await anna.call('POST', '/settlements', { merchantId, reference: 'all', destinationId })
  const path = `/settlements/${merchantId}/${drafted.body.id}`
  assert.equal((await boris.call('POST', `${path}/approve`)).status, 200)
  assert.equal((await anna.call('POST', `${path}/pay`, { externalReference: 'tx' })).status, 200)
  await twice.takeBack(5000_00n)
  assert.equal(await twice.available(), -53.513514)
  await assertHealthy(service)
})

/** A payment of 5000 rub whose correction to 4000 two operators agreed on, and the bank's report that takes some of it. */
const openCorrected = async (service: TestService) => {
  const court = await openCourt(service)
  const { merchantId } = court.shop
  const payment = await court.create('corrected')
  const { requisiteId } = payment
  const bankReference = `CORRECTED-${++payments}`
  await payIn(service, { requisiteId, minor: 5000_00n, reference: bankReference })
  const { id } = (await court.correct(payment, 4000)).body
  await court.step('confirm', id, { amount: 4000 }, court.boris)
  assert.equal(await court.shop.status('corrected'), 'disput')
  const lost = async () => (await owedIn(service, merchantId)).filter((line) => /^(available|reversed)/.test(line))
  return {
    ...{ court, merchantId, payment, lost },
    decide: (decision: object) => court.step('decision', id, { note: 'seen', ...decision }),
    takeBack: async (minor: bigint): Promise<void> => {
      const report = { requisiteId, currency: 'rub', amount: minor, bookedAt: service.clock.now, sender: null }
      const dedupeKey = `reversal:${bankReference}`
      await service.context.transaction((tx) =>
        recordReversals(tx, [{ ...report, bankReference, source: 'bank', channel: 'file:x', dedupeKey }]),
      )
      assert.deepEqual(await lost(), [`reversed -${minor / 100n}.00 rub`])
      await assertHealthy(service)
    },
    reversed: async () =>
      (await newsOf(service, merchantId, 'payment.reversed')).map(({ data }) => [
        data['reversedAmount'],
        (data['balanceChange'] as { amount: number }).amount,
      ]),
  }
}

onEngines('a rejected correction restores the credit without what the bank took back meanwhile', async (service) => {
  const corrected = await openCorrected(service)
  await corrected.takeBack(5000_00n)
  assertProblem(await corrected.decide({ decision: 'accept', amount: 4000 }), 409, 'invalid_state')
  assert.equal((await corrected.decide({ decision: 'reject' })).body.state, 'rejected')
  assert.equal(await corrected.court.shop.status('corrected'), 'paid')
  assert.deepEqual([await corrected.lost(), await owedIn(service, corrected.merchantId)], [[], []])
  assert.deepEqual(await corrected.reversed(), [[5000, -53.513514]])
  assertProblem(await corrected.court.correct(corrected.payment, 4000), 409, 'invalid_state')
  await assertHealthy(service)
})

onEngines('an accepted correction credits nothing that the bank took back meanwhile', async (service) => {
  const corrected = await openCorrected(service)
  await corrected.takeBack(2000_00n)
  const accept = { decision: 'accept', amount: 5000 }
  const { court } = corrected
  const preview = await court.preview((await court.dispute('corrected')).body.id, accept)
  const kinds: string[] = preview.entries.map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kinds.filter((kind) => kind === 'return').length, 3)
  assert.deepEqual((await corrected.decide(accept)).body.state, 'accepted')
  // 3000 rub are 32.432432 before the fee.
  assert.deepEqual(await corrected.lost(), ['available 32.108108 USDT'])
  const [[amount] = []] = await corrected.reversed()
  assert.equal(amount, 2000)
  await assertHealthy(service)
})

onOne('two operators may bear what the bank took back before the dispute is decided', async (service) => {
  const corrected = await openCorrected(service)
  const { merchantId, payment, court } = corrected
  await corrected.takeBack(5000_00n)
  const loss = { merchantId, reference: 'loss', currency: 'rub', amount: 5000, reason: 'ours' }
  const accounts = { debitAccount: 'fees', creditAccount: `reversed:${payment.id}` }
  const strange = { ...loss, ...accounts, creditAccount: `reversed:${unknownId}` }
  assertProblem(await court.anna.call('POST', '/ledger/adjustments', strange), 400, 'validation_failed', [
    'creditAccount',
  ])
  const draft = await court.anna.call('POST', '/ledger/adjustments', { ...loss, ...accounts })
  assert.equal(draft.status, 200, JSON.stringify(draft.body))
  await court.boris.call('POST', `/ledger/adjustments/${merchantId}/${draft.body.id}/post`)
  assertProblem(await corrected.decide({ decision: 'accept', amount: 4000 }), 409, 'invalid_state')
  assert.equal((await corrected.decide({ decision: 'reject' })).body.state, 'rejected')
  assert.deepEqual([await corrected.lost(), await corrected.reversed()], [['available 53.513514 USDT'], []])
  await assertHealthy(service)
})
