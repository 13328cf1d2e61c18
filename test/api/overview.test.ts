// What waits for an operator, in the operator API.
import assert from 'node:assert/strict'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { onBothEngines, onOneEngine } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

onOneEngine('a possible duplicate is counted apart from what else is in the inbox', async (service) => {
  const { requisiteIds } = await openShop(service)
  const [requisiteId = ''] = requisiteIds
  const report = {
    requisiteId,
    currency: 'rub',
    amount: 777_00n,
    bookedAt: service.clock.now,
    source: 'test',
    sender: null,
  }
  for (const channel of ['feed:one', 'feed:other'])
    await service.context.transaction((tx) =>
      recordTransfers(tx, [{ ...report, channel, source: channel, bankReference: channel, referenceKind: channel }]),
    )
  const { waiting } = (await openOperator(service).get('/overview')).body
  const amounts = [{ currency: 'rub', amount: '777.00' }]
  const since = new Date(service.clock.now).toISOString()
  assert.deepEqual(waiting, [
    { kind: 'transfers', count: 1, since, amounts },
    { kind: 'possible-duplicates', count: 1, since, amounts },
  ])
  // A sum of more digits than a number keeps.
  const large = Array.from({ length: 31 }, (_, index) => ({
    ...{ ...report, amount: 9_999_999_999_999_97n, channel: 'feed:one', source: 'feed:one' },
    ...{ bankReference: `large-${index}`, referenceKind: 'feed:one' },
  }))
  await service.context.transaction((tx) => recordTransfers(tx, large))
  const [first] = (await openOperator(service).get('/overview')).body.waiting
  assert.deepEqual(first.amounts, [{ currency: 'rub', amount: '310000000000776.07' }])
})

onBothEngines(
  'what waits is shown by kind, with its money, its age and its deadline; the rest is left out',
  async (service) => {
    const operator = openOperator(service)
    const shop = await openShop(service)
    const overview = async () => (await operator.get('/overview')).body.waiting as Readonly<Record<string, unknown>>[]
    assert.deepEqual(await overview(), [])

    const start = service.clock.now
    const iso = (at: number) => new Date(at).toISOString()
    const created = await shop.create('order', { amount: 5000 })
    const { id: requisiteId } = created.body.card
    const reference = (name: string) => ({
      requisiteId,
      currency: 'rub',
      bookedAt: iso(service.clock.now),
      bankReference: name,
    })
    await operator.call('POST', '/transfers', { transfers: [{ ...reference('paid'), amount: 5000 }] })
    assert.deepEqual(
      (await overview()).map(({ kind, count, amounts }) => [kind, count, amounts]),
      [['unacknowledged', 1, []]],
    )

    service.clock.now += hour
    await operator.call('POST', '/transfers', { transfers: [{ ...reference('stray'), amount: 100.5 }] })
    service.clock.now += minute
    await operator.call('POST', '/transfers', { transfers: [{ ...reference('another'), amount: 70_000 }] })
    const settlement = {
      merchantId: shop.merchantId,
      reference: 's1',
      amount: 10,
      destinationId: await openDestination(service, shop.merchantId),
    }
    const drafted = await operator.call('POST', '/settlements', settlement)
    assert.ok(drafted.status < 300, JSON.stringify(drafted.body))
    const dispute = await operator.call('POST', `/payments/${shop.merchantId}/${created.body.payment.id}/disputes`, {
      amount: 6000,
      reason: 'wrong-amount',
      note: 'it was more',
    })
    assert.equal(dispute.status, 201, JSON.stringify(dispute.body))
    // The first price of a currency needs two people.
    for (const one of [openOperator(service, 'boris'), operator])
      await one.call('PUT', '/rates/kzt', { price: 5.1, maxAgeMs: 60_000 })
    service.clock.now += day

    const waiting = await overview()
    const of = (kind: string) => waiting.find((each) => each['kind'] === kind)
    assert.deepEqual(of('transfers'), {
      kind: 'transfers',
      count: 2,
      since: iso(start + hour),
      amounts: [{ currency: 'rub', amount: '70100.50' }],
    })
    assert.equal(of('corrections')?.['dueAt'], dispute.body.dueAt)
    assert.deepEqual(of('settlements-to-approve')?.['amounts'], [{ currency: 'USDT', amount: '10.000000' }])
    assert.deepEqual(of('stale-rates'), {
      kind: 'stale-rates',
      count: 1,
      since: iso(start + hour + 2 * minute),
      amounts: [],
    })
    assert.deepEqual(
      waiting.map(({ kind }) => kind),
      ['stale-rates', 'corrections', 'transfers', 'settlements-to-approve', 'unacknowledged'],
    )

    const address = withAccountKey('40702810000000000001', '044525225')
    const destination = { kind: 'ru-account', address: `${address}/044525225`, label: 'Bank' }
    await operator.call('POST', '/destinations', { merchantId: shop.merchantId, ...destination })
    assert.equal((await overview()).find(({ kind }) => kind === 'destinations-to-approve')?.['count'], 1)
  },
)
