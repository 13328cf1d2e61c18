// Search over everything in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldName } from '../../src/rules/values/payer-name.ts'
import { day, minute } from '../../src/rules/time.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'
import { leastWorkOf, workOf } from '../support/work-of.ts'

const opened = shareService()

const openSearch = (service: TestService, name?: Parameters<typeof openOperator>[1]) => {
  const operator = openOperator(service, name)
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

const money = (requisiteId: string, bookedAt: number, bankReference: string, amount: bigint) => ({
  ...{ requisiteId, currency: 'rub', amount, bookedAt, source: 'test', bankReference },
  ...{ sender: null, senderName: null, text: null },
})

onBothEngines('a payment and its transfer are found by all that people know of them', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service, { name: 'Books & Co' })
  const search = openSearch(service)
  const created = await shop.create('order-42', { amount: 5000.37, userId: 'user-of-42' })
  await shop.create('order-43', { amount: 6000 })
  assert.deepEqual(kinds(await search(`${created.body.redirectUrl}?lang=ru`)), ['payment order-42'])
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
  const at = new Date(service.clock.now).toISOString()

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
      number: '•••• 4567',
      at,
    },
  )
  assert.equal(paid.find(({ kind }) => kind === 'transfer')?.['paymentId'], payment.id)

  assert.deepEqual(kinds(await search('order-42')), ['payment order-42'])
  assert.deepEqual(kinds(await search('ORDER-42 5000.37')), ['payment order-42'])
  assert.deepEqual(kinds(await search('order-42 6000')), [])
  assert.deepEqual(kinds(await search('user-of-42')), ['payment order-42'])
  assert.deepEqual(kinds(await search('order-4')), ['payment order-43', 'payment order-42'])
  assert.deepEqual(kinds(await search(payment.id.toUpperCase())), ['payment order-42'])
  assert.deepEqual(kinds(await search(transfer.id)), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('ft-778/a')), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('FT-778/A 5000.37')), ['transfer FT-778/A'])
  assert.deepEqual(kinds(await search('FT-778/A 6000')), [])
  for (const phone of ['+7 999 123-45-67', '89991234567', '9991234567']) {
    assert.deepEqual(kinds(await search(phone)), ['transfer FT-778/A'], phone)
  }
  // Whoever may only read would try all numbers with these four digits.
  const searchAsAuditor = openSearch(service, 'vera')
  for (const number of ['79991234567', created.body.card.phone]) assert.deepEqual(await searchAsAuditor(number), [])
  assert.deepEqual(sorted(kinds(await searchAsAuditor('4567'))), sorted(both))
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
        ...money(requisiteId, service.clock.now, 'N-1', 777_00n),
        senderName: 'АКСЁНОВ Пётр Ильич',
        text: 'Пополнение счёта 7001, спасибо',
      },
    ]),
  )
  for (const q of ['аксенов', 'Aksenov', 'пётр аксёнов', 'пополнение 7001', '777 aksenov', '777.00'])
    assert.deepEqual(kinds(await search(q)), ['transfer N-1'], q)
  for (const q of ['аксенова', 'пополнение 7002', '778 aksenov']) assert.deepEqual(await search(q), [], q)
})

onBothEngines(
  'transfers in and out are found by the number of their document, which rows of statements show',
  async (service) => {
    const operator = openOperator(service)
    const shop = await openShop(service)
    const search = openSearch(service)
    const requisiteId = (await shop.create('order-42')).body.card.id
    const today = new Date(service.clock.now).toISOString().slice(0, 10).split('-').toReversed().join('.')
    const document = (...fields: readonly string[]): string =>
      ['СекцияДокумент=', ...fields, 'КонецДокумента'].join('\n')
    const file = [
      '1CClientBankExchange',
      document('Номер=481555', `Дата=${today}`, 'Сумма=77.00', `ДатаПоступило=${today}`, 'Плательщик1=Анна'),
      document('Номер=481556', `Дата=${today}`, 'СуммаРасход=78.00', `ДатаОперации=${today}`),
      'КонецФайла',
    ].join('\n')
    // The file does not name its account.
    assertProblem(await uploadFile(service, file), 422, 'statement_refused')
    const { status, body: statement } = await uploadFile(service, file, { requisiteId })
    assert.equal(status, 201, JSON.stringify(statement))
    const { rows } = (await operator.get(`/statements/${statement.id}/rows`)).body
    assert.deepEqual(
      rows.map(({ number }: { number: string }) => number),
      [`481555 ${today}`, `481556 ${today}`],
    )
    await operator.call('POST', `/statements/${statement.id}/confirm`)
    await service.runJobs()
    const found = async (q: string) => (await search(q)).map(({ kind, amount }) => `${String(kind)} ${String(amount)}`)
    assert.deepEqual(await found('481555'), ['transfer 77'])
    assert.deepEqual(await found('481556'), ['outgoing 78'])
    assert.deepEqual(await found('481557'), [])
    assert.deepEqual(await found(today.slice(-4)), [])
  },
)

test("a merchant's request is found by the id that its refusal has, and another id finds nothing", async () => {
  const service = opened()
  const shop = await openShop(service)
  const search = openSearch(service)
  const { body, status } = await shop.create('asked-1', { amount: 1 })
  assert.deepEqual(
    (await search(String(body.requestId).toUpperCase())).map(({ at: _, ...found }) => found),
    [
      {
        ...{ kind: 'request', id: body.requestId, merchantId: shop.merchantId },
        ...{ label: 'createPayment', state: `${status} ${String(body.code)}` },
      },
    ],
  )
  assert.deepEqual(await search(shop.merchantId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), [])
})

test('400: nothing to search for, too much of it, or a limit that is none', async () => {
  const operator = openOperator(opened())
  for (const asked of ['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=x&limit=0', '?q=x&limit=101', '?q=x&kind=y'])
    assertProblem(await operator.get(`/search${asked}`), 400, 'validation_failed')
})

test('words that would mean something to the database are found as they are written', async () => {
  const service = opened()
  const shop = await openShop(service)
  const search = openSearch(service)
  for (const order of ["o'%_\\", '50%', '_____']) await shop.create(order)
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
  // Once it is compiled.
  const fold = () => Array.from({ length: 900 }, () => foldName(long))
  await workOf(fold)
  const folding = await workOf(fold)
  const searching = await leastWorkOf(async () => assert.deepEqual(await search(long), []), folding / 2)
  assert.ok(searching < folding / 2, `${searching} ms; folding it for each requisite takes ${folding}`)
})

onBothEngines('a search is limited to a time: what was created, booked or recorded in it', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service)
  const find = async (wanted: Readonly<Record<string, string>>) => {
    const { status, body } = await operator.get(`/search?${new URLSearchParams(wanted)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return sorted(kinds(body.results))
  }
  const time = (at: number): string => new Date(at).toISOString()
  const start = service.clock.now
  const { body } = await shop.create('early', { amount: 700 })
  service.clock.now += 2 * day
  const [late, requisiteId] = [service.clock.now, body.card.id]
  await shop.create('late', { amount: 700 })
  await service.context.transaction((tx) =>
    recordTransfers(tx, [money(requisiteId, start + minute, 'reported-late', 700_00n)]),
  )
  const [early, later] = [
    { from: time(start - minute), to: time(start + day) },
    { from: time(late - minute), to: time(late + day) },
  ]
  assert.deepEqual(await find({ q: '700', ...early }), ['payment early', 'transfer reported-late'])
  assert.deepEqual(await find({ q: '700', ...later }), ['payment late', 'transfer reported-late'])
  assert.deepEqual(await find({ q: 'early', ...later }), [])
  assert.deepEqual(await find({ q: '700', to: time(start - minute) }), [])
  assert.deepEqual(await find(early), ['payment early'])
  assert.deepEqual(await find({ from: later.from }), ['payment late', 'transfer reported-late'])
  assertProblem(await operator.get('/search'), 400, 'validation_failed', ['q'])
  assertProblem(await operator.get(`/search?from=${later.to}&to=${early.from}`), 400, 'validation_failed', ['from'])
})
