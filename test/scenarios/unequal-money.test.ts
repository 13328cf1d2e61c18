// Money of another amount than the payment asks for: each story ends with all invariants at zero rows.
import assert from 'node:assert/strict'
import { openCourt } from '../support/disputes.ts'
import { openOperator } from '../support/operator.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { assertHealthy } from '../support/service.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'

const { onEngines, onOne } = shareEngines()

onEngines('a wrong amount followed by the right one credits the right one and owes the first back', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('typo', { amount: 4200 })
  const { requisiteId } = payment
  const first = await payIn(service, { requisiteId, minor: 4020_00n })
  assert.deepEqual([first.outcome, first.kind], ['under', 'payment'])
  assert.equal(await court.shop.status('typo'), 'processing')
  const second = await payIn(service, { requisiteId, minor: 4200_00n, bookedAt: service.clock.now + 1 })
  assert.deepEqual([second.outcome, second.kind], ['exact', 'payment'])
  assert.equal(await court.shop.status('typo'), 'paid')
  const { body } = await court.anna.get(`/transfers/${requisiteId}/${first.id}`)
  assert.deepEqual(
    body.parts.map((part: { kind: string; amount: number }) => [part.kind, part.amount]),
    [['overpayment', 4020]],
  )
  const { overpayments } = (await court.anna.get(`/overpayments?merchantId=${payment.merchantId}`)).body
  assert.deepEqual(
    overpayments.map((each: { paymentId: string; amount: number }) => [each.paymentId, each.amount]),
    [[payment.id, 4020]],
  )
  await service.runJobs()
  await assertHealthy(service)
})

onOne('parts that came by several reports and by the same one are all owed back', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { body } = await shop.create('parts', { amount: 4000 })
  const requisiteId: string = body.card.id
  await payIn(service, { requisiteId, minor: 2000_00n, bookedAt: service.clock.now - 3 })
  const rows = [1000_00n, 4000_00n].map((amount, index) => ({
    ...{ requisiteId, currency: 'rub', amount, source: 'test', sender: null },
    ...{ bookedAt: service.clock.now - 2 + index, bankReference: `part-${index}` },
  }))
  const recorded = await service.context.transaction((tx) => recordTransfers(tx, rows))
  assert.deepEqual(
    recorded.map(({ outcome, kind }) => [outcome, kind]),
    [
      ['under', 'overpayment'],
      ['exact', 'payment'],
    ],
  )
  assert.equal(await shop.status('parts'), 'paid')
  await assertHealthy(service)
})

onOne('money far from the only payment that waits is a suggestion, by the bound of its terms', async (service) => {
  for (const [terms, minor, outcome] of [
    [{}, 777_00n, 'ambiguous'],
    [{}, 789_99n, 'ambiguous'],
    [{}, 790_00n, 'under'],
    [{}, 1500_00n, 'under'],
    [{ mismatchBoundPpm: 600_000 }, 777_00n, 'ambiguous'],
    [{ mismatchBoundPpm: 650_000 }, 777_00n, 'under'],
  ] as const) {
    const shop = await openShop(service, { perMethod: 1, terms })
    const { body } = await shop.create('far', { amount: 2000 })
    const recorded = await payIn(service, { requisiteId: body.card.id, minor })
    assert.equal(recorded.outcome, outcome)
    const suggested = recorded.suggestions.map((each) => each.orderId)
    assert.deepEqual(suggested, outcome === 'ambiguous' ? ['far'] : [])
  }
  await assertHealthy(service)
})

onEngines(
  'the sum of the open payments of one user is suggested as that split, which an operator takes',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const operator = openOperator(service)
    const user = { userId: 'ivan' }
    const made = []
    for (const [orderId, amount] of [
      ['one', 2000],
      ['two', 3000],
    ] as const) {
      made.push((await shop.create(orderId, { ...user, amount })).body)
    }
    const requisiteId: string = made[0].card.id
    const recorded = await payIn(service, { requisiteId, minor: 5000_00n })
    assert.equal(recorded.outcome, 'ambiguous')
    const { body } = await operator.get(`/transfers/${requisiteId}/${recorded.id}`)
    const { split } = body.suggestions[0]
    assert.deepEqual(
      split.map((share: { orderId: string; amount: number }) => [share.orderId, share.amount]),
      [
        ['one', 2000],
        ['two', 3000],
      ],
    )
    const shares = split.map(({ merchantId, paymentId, amount }: Record<string, unknown>) => ({
      merchantId,
      paymentId,
      amount,
    }))
    const assigned = await operator.call('POST', `/transfers/${requisiteId}/${recorded.id}/assign`, {
      shares,
      note: 'a sum',
    })
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
    assert.deepEqual([await shop.status('one'), await shop.status('two')], ['paid', 'paid'])
    await assertHealthy(service)
  },
)
