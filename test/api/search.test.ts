// Search over everything in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute } from '../../src/domain/time.ts'
import { recordTransfers } from '../../src/transfers/record-transfers.ts'
import { indexNew } from '../../src/search/index-new.ts'
import { listUnindexedPayments } from '../../src/search/store.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const opened = shareService()

/** Runs the job until there is nothing left to index. */
const indexAll = async (service: TestService): Promise<void> => {
  while ((await indexNew(service.context)) > 0);
}

const openSearch = (service: TestService) => {
  const operator = openOperator(service)
  return async (q: string) => {
    const { status, body } = await operator.get(`/search?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.results as Readonly<Record<string, unknown>>[]
  }
}

/** Kind and label of each result, in their order. */
const kinds = (results: readonly Readonly<Record<string, unknown>>[]): string[] =>
  results.map(({ kind, label }) => `${String(kind)} ${String(label)}`)

const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => (a < b ? -1 : 1))

onBothEngines('a payment and its transfer are found by all that people know of them', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service, { name: 'Books & Co' })
  const search = openSearch(service)
  const created = await shop.create('order-42', { amount: 5000.37 })
  await shop.create('order-43', { amount: 6000 })
  const reported = await operator.call('POST', '/transfers', {
    transfers: [
      {
        requisiteId: created.body.card.id,
        amount: 5000.37,
        currency: 'rub',
        bookedAt: new Date(service.clock.now).toISOString(),
        bankReference: 'FT-778/A',
        sender: '+7 999 123-45-67',
      },
    ],
  })
  const [transfer] = reported.body.transfers
  const { payment } = created.body
  await indexAll(service)

  const both = ['transfer FT-778/A', 'payment order-42']
  const paid = await search('5000.37')
  assert.deepEqual(sorted(kinds(paid)), sorted(both))
  assert.deepEqual(sorted(kinds(await search('5000,37'))), sorted(both))
  assert.deepEqual(sorted(kinds(await search('5 000,37'))), sorted(both))
  assert.deepEqual(
    paid.find(({ kind }) => kind === 'payment'),
    {
      kind: 'payment',
      id: payment.id,
      merchantId: shop.merchantId,
      label: 'order-42',
      amount: 5000.37,
      currency: 'rub',
      state: 'paid',
      number: '*******4567',
      at: new Date(service.clock.now).toISOString(),
    },
  )
  assert.equal(paid.find(({ kind }) => kind === 'transfer')?.['paymentId'], payment.id)

  assert.deepEqual(kinds(await search('order-42')), ['payment order-42'])
  assert.deepEqual(kinds(await search('42')), ['payment order-42'])
  assert.deepEqual(kinds(await search('order-4')), ['payment order-43', 'payment order-42'])
  assert.deepEqual(kinds(await search(payment.id.toUpperCase())), ['payment order-42'])
  assert.deepEqual(kinds(await search(transfer.id)), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('ft-778/a')), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('FT-778/A 5000.37')), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('FT-778/A 6000')), [])
  for (const phone of ['+7 999 123-45-67', '89991234567', '9991234567']) {
    assert.deepEqual(kinds(await search(phone)), ['transfer FT-778/A'], phone)
  }
  assert.deepEqual(sorted(kinds(await search('4567'))), sorted(both))
  assert.deepEqual(kinds(await search('books')), ['merchant Books & Co'])
  assert.equal((await search(created.body.card.id))[0]?.['kind'], 'requisite')
  assert.deepEqual(await search('nothing-like-it'), [])
})

onOneEngine('money is found by the names and words of its sender, in any alphabet', async (service) => {
  const shop = await openShop(service)
  const search = openSearch(service)
  const [requisiteId = ''] = shop.requisiteIds
  await service.context.transaction((tx) =>
    recordTransfers(tx, [
      {
        requisiteId,
        currency: 'rub',
        amount: 777_00n,
        bookedAt: service.clock.now,
        source: 'test',
        bankReference: 'N-1',
        sender: null,
        senderName: 'АКСЁНОВ Пётр Ильич',
        text: 'Пополнение счёта 7001, спасибо',
      },
    ]),
  )
  await indexAll(service)
  for (const q of ['аксенов', 'Aksenov', 'пётр аксёнов', 'пополнение 7001', '777 aksenov', '777.00'])
    assert.deepEqual(kinds(await search(q)), ['transfer N-1'], q)
  for (const q of ['аксенова', 'пополнение 7002', '778 aksenov']) assert.deepEqual(await search(q), [], q)
})

onBothEngines('what becomes visible late is indexed once it is final', async (service) => {
  const shop = await openShop(service)
  const search = openSearch(service)
  service.clock.now += 10 * minute
  await indexAll(service)
  // Written with the time of a transaction that began before the last round ended, as far as the index can tell.
  service.clock.now -= minute
  await shop.create('late', { amount: 7001.5 })
  service.clock.now += minute
  await indexAll(service)
  assert.deepEqual(await search('7001.5'), [])
  assert.deepEqual(kinds(await search('late')), ['payment late'])
  service.clock.now += 5 * minute
  await indexAll(service)
  assert.deepEqual(kinds(await search('7001.5')), ['payment late'])
})

// A join of all payments with all entries, planned while there are none, took 4 s for 3,500 payments.
test('what has no entry yet is looked up row by row, whatever was there when it was planned', async () => {
  const { context } = opened()
  const text = `explain ${listUnindexedPayments.text}`
  const explained = { ...listUnindexedPayments, name: 'explain_unindexed', text, decode: String }
  const span = { fromId: context.newId(), untilId: context.newId(), limit: 10 }
  const plan = (await context.query(explained, span)).join('\n')
  assert.match(plan, /SubPlan[\s\S]*search_entries_pkey[\s\S]*id = each\.id/)
  assert.doesNotMatch(plan, /Anti Join/)
})

test('400: nothing to search for, too much of it, or a limit that is none', async () => {
  const operator = openOperator(opened())
  for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=x&limit=0', '?q=x&limit=101', '?q=x&kind=y'])
    assertProblem(await operator.get(`/search${query}`), 400, 'validation_failed')
})

test('words that would mean something to the database are found as they are written', async () => {
  const service = opened()
  const shop = await openShop(service)
  const search = openSearch(service)
  for (const order of ["o'%_\\", '50%', '_____']) await shop.create(order)
  await indexAll(service)
  for (const order of ["o'%_\\", '50%', '_____']) {
    assert.ok(
      (await search(order)).some(({ label }) => label === order),
      order,
    )
  }
  assert.deepEqual(kinds(await search('%')), [])
})

test('characters that are not shown part words, and are nothing to search for alone', async () => {
  const service = opened()
  const shop = await openShop(service)
  const search = openSearch(service)
  await shop.create('hidden-1')
  assert.deepEqual(kinds(await search('\u0000hidden-1\u0007')), ['payment hidden-1'])
  for (const q of ['\u0000', '\u0000\u001f', 'hidden-1\u0000x', '\uffff', '\u{10ffff}'])
    assert.deepEqual(await search(q), [], q)
})

test('what a search asks for is folded once, however many requisites there are', async () => {
  const service = opened()
  await openShop(service, { perMethod: 900 })
  const search = openSearch(service)
  // One character that is eighteen when it is folded.
  const long = '\ufdfa'.repeat(200)
  await search(long)
  const start = process.cpuUsage()
  assert.deepEqual(await search(long), [])
  const worked = process.cpuUsage(start).user / 1000
  assert.ok(worked < 600, `${worked} ms`)
})
