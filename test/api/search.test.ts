// Search over everything in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, integer, query, text } from 'payin-database'
import { foldName } from '../../src/rules/values/payer-name.ts'
import { day, minute, second } from '../../src/rules/time.ts'
import { leastIdAt } from '../../src/rules/values/uuid-bounds.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { indexNew } from '../../src/engine/search/index-entries.ts'
import { transfers } from '../../src/engine/search/store.ts'
import { exceptOnCitus } from '../support/citus.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, onPostgres, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'
import { leastWorkOf, workOf } from '../support/work-of.ts'

const opened = shareService()

/** Runs the job, once what was written is old enough, until there is nothing left to index. */
const indexAll = async (service: TestService): Promise<void> => {
  service.clock.now += 3 * second
  while ((await indexNew(service.context)) > 0);
}

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
  await indexAll(service)
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
    await indexAll(service)
    const found = async (q: string) => (await search(q)).map(({ kind, amount }) => `${String(kind)} ${String(amount)}`)
    assert.deepEqual(await found('481555'), ['transfer 77'])
    assert.deepEqual(await found('481556'), ['outgoing 78'])
    assert.deepEqual(await found('481557'), [])
    assert.deepEqual(await found(today.slice(-4)), [])
  },
)

const countEntries = query('test_count_search_entries', {
  row: { kind: text, count: integer },
  text: `select kind, count(*)::integer as count from search_entries group by kind order by kind`,
})

const countRows = query('test_count_searched', {
  row: { kind: text, count: integer },
  text: `select 'outgoing' as kind, count(*)::integer as count from outgoing_transfers having count(*) > 0
    union all select 'transfer', count(*)::integer from transfers having count(*) > 0 order by kind`,
})

/** That each transfer has one entry. */
const assertComplete = async ({ context }: TestService): Promise<void> =>
  assert.deepEqual(await context.query(countEntries, {}), await context.query(countRows, {}))

/** Reports money of a shop, now. */
const report = (service: TestService, requisiteId: string | undefined, reference: string, amount: bigint) =>
  service.context.transaction((tx) =>
    recordTransfers(tx, [money(requisiteId ?? '', service.clock.now, reference, amount)]),
  )

onBothEngines('what becomes visible late is indexed once it is final', async (service) => {
  const { requisiteIds } = await openShop(service)
  const search = openSearch(service)
  service.clock.now += 10 * minute
  await indexAll(service)
  const writtenAt = service.clock.now
  await report(service, requisiteIds[0], 'punctual', 7000_50n)
  await indexAll(service)
  // Written with the time of a transaction that began before the last round ended, as far as the index can tell.
  const indexedAt = service.clock.now
  service.clock.now = writtenAt
  await report(service, requisiteIds[0], 'late', 7001_50n)
  service.clock.now = indexedAt
  await indexAll(service)
  assert.deepEqual(kinds(await search('7000.5')), ['transfer punctual'])
  assert.deepEqual(await search('7001.5'), [])
  service.clock.now += 5 * minute
  await indexAll(service)
  assert.deepEqual(kinds(await search('7001.5')), ['transfer late'])
  await assertComplete(service)
})

const copyTransfers = query('test_copy_transfers', {
  parameters: { reference: text, count: integer, at: text },
  text: `with copied as (
      insert into transfers select copy.* from transfers cross join generate_series(1, :count) as number
      cross join lateral jsonb_populate_record(transfers, jsonb_build_object('bank_reference', 'copy-' || number,
        'dedupe_key', 'copy-' || number,
        'id', :at || substr(transfers.id::text, 14, 11) || lpad(to_hex(number), 12, '0'))) as copy
      where transfers.bank_reference = :reference
      returning requisite_id, id
    )
    insert into transfer_parts select copy.* from copied
      join transfers on transfers.requisite_id = copied.requisite_id and transfers.bank_reference = :reference
      join transfer_parts as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
      cross join lateral jsonb_populate_record(parts, jsonb_build_object('transfer_id', copied.id)) as copy`,
})

/** Copies are not what the doctor expects of transfers. */
const removeCopies = query('test_remove_copies', {
  text: `with parts as (delete from transfer_parts using transfers
      where transfers.requisite_id = transfer_parts.requisite_id and transfers.id = transfer_parts.transfer_id
        and bank_reference like 'copy-%')
    delete from transfers where bank_reference like 'copy-%'`,
})

const refused = 'a Citus refuses the copies'

exceptOnCitus(refused, onPostgres)(
  'a transfer of a transaction that ends after others were indexed is found once it is final',
  async (service) => {
    const { clock, context } = service
    const { requisiteIds } = await openShop(service)
    const search = openSearch(service)
    await report(service, requisiteIds[0], 'first', 7000_50n)
    await indexAll(service)
    const written = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const slow = context.transaction(async (tx) => {
      await tx.query(copyTransfers, { reference: 'first', count: 1, at: leastIdAt(clock.now).slice(0, 13) })
      written.resolve()
      await mayEnd.promise
    })
    await Promise.race([written.promise, slow])
    await report(service, requisiteIds[0], 'second', 7001_50n)
    await indexAll(service)
    mayEnd.resolve()
    await slow
    await indexAll(service)
    assert.deepEqual(kinds(await search('7001.5')), ['transfer second'])
    assert.deepEqual(kinds(await search('7000.5')), ['transfer first'])
    clock.now += 5 * minute
    await indexAll(service)
    assert.deepEqual(sorted(kinds(await search('7000.5'))), ['transfer copy-1', 'transfer first'])
    await assertComplete(service)
    await context.query(removeCopies, {})
  },
)

const rewind = query('test_rewind_search', {
  parameters: { seenUntil: instant },
  text: `update search_progress set seen_until = :seenUntil`,
})

exceptOnCitus(refused, onBothEngines)(
  'each of many rows of one moment is indexed once, by any number of processes',
  async (service) => {
    const { context } = service
    const { requisiteIds } = await openShop(service)
    const search = openSearch(service)
    await report(service, requisiteIds[0], 'first', 7000_50n)
    await indexAll(service)
    const seenUntil = service.clock.now
    const at = leastIdAt(seenUntil).slice(0, 13)
    // More than a page; the last ones of them share their page with those of the next moments.
    await context.query(copyTransfers, { reference: 'first', count: 2100, at })
    service.clock.now += 1
    await report(service, requisiteIds[0], 'next', 7001_50n)
    service.clock.now += 3 * second
    for (let more = 1; more > 0; )
      more = Math.max(...(await Promise.all([indexNew(context), indexNew(context), indexNew(context)])))
    await indexAll(service)
    assert.deepEqual(kinds(await search('2100 7000.5')), ['transfer copy-2100'])
    assert.deepEqual(kinds(await search('7001.5')), ['transfer next'])
    await assertComplete(service)

    // The release before indexed ahead of what it noted.
    await report(service, requisiteIds[0], 'last', 7002_50n)
    await context.query(rewind, { seenUntil })
    await indexAll(service)
    assert.deepEqual(kinds(await search('7002.5')), ['transfer last'])
    await assertComplete(service)
    await context.query(removeCopies, {})
  },
)

// A join of all rows with all entries, planned while there are none, took 4 s for 3,500 rows.
test('what has no entry yet is looked up row by row, whatever was there when it was planned', async () => {
  const { context } = opened()
  const explained = {
    ...transfers.listUnindexed,
    name: 'explain_unindexed',
    text: `explain ${transfers.listUnindexed.text}`,
    decode: String,
  }
  const page = { fromId: context.newId(), untilId: context.newId(), limit: 10, rows: [] }
  const plan = (await context.query(explained, page)).join('\n')
  assert.match(plan, /SubPlan[\s\S]*search_entries_pkey[\s\S]*id = each\.id/)
  assert.doesNotMatch(plan, /Anti Join/)
})

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
  await indexAll(service)
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
