// Exports of lists as CSV that are not searched by amounts: all pages, with names, and never with a whole number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { apiDocument, withReferences } from '../support/api-document.ts'
import { openBank } from '../support/bank.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop, payIn } from '../support/shop.ts'
import { camtOf } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

const linesOf = (answer: { status: number; body: string }): string[] => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.trimEnd().split('\r\n')
}

onEngines(
  'requisites are exported in all pages, filtered, with masked numbers and what they carry',
  async (service) => {
    const shop = await openShop(service, { perMethod: 0, name: 'Corner Shop' })
    const operator = openOperator(service)
    // The list is by label, in the order in which people count, whatever was added first.
    const counts = Array.from({ length: 502 }, (_, at) => (at * 5) % 502)
    const requisites = counts.map((at) => ({
      ...{ method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: newNumber('sbp') },
      ...{ merchantId: shop.merchantId, label: `Account ${at}`, limits: { dayAmount: 5000 } },
    }))
    const added = await operator.call('POST', '/requisites', { requisites })
    assert.equal(added.status, 201, JSON.stringify(added.body).slice(-500))
    await shop.create('first')
    const [header, ...rows] = linesOf(await operator.get(`/requisites/health.csv?merchantId=${shop.merchantId}`))
    assert.match(header ?? '', /^id,label,merchantId,merchantName,mode,method,bankIssuer,number,holder,status/)
    assert.equal(new Set(rows.map((row) => row.slice(0, 36))).size, 502)
    assert.deepEqual(
      rows.map((row) => row.split(',')[1]),
      counts.map((_, at) => `Account ${at}`),
    )
    assert.match(rows[0] ?? '', /,Account 0,.*,Corner Shop,live,sbp,bank-a,•••• \d{4},Ivan Petrov,active,,rub,/)
    const whole = rows.join()
    assert.ok(requisites.every(({ number }) => !whole.includes(number)))
    const at = (header ?? '').split(',').indexOf('turnover.dayAmount')
    assert.equal(rows.filter((row) => row.split(',')[at] === '5000').length, 1, 'one has an open payment')
    assert.equal(
      linesOf(await operator.get(`/requisites/health.csv?merchantId=${shop.merchantId}&status=paused`)).length,
      1,
    )
  },
)

onOne('merchants, overpayments, blocks and decisions are exported with the filters of their lists', async (service) => {
  const shop = await openShop(service, { name: 'Exported, Ltd' })
  const operator = openOperator(service)
  const [, ...named] = linesOf(await operator.get('/merchants.csv?name=exported&mode=live&status=active'))
  assert.equal(named.length, 1)
  assert.match(named[0] ?? '', /,"Exported, Ltd",live,active,/)
  assert.equal(linesOf(await operator.get('/merchants.csv?name=exported&status=suspended')).length, 1)
  assert.deepEqual((await operator.get('/merchants?name=exported&mode=sandbox')).body.merchants, [])

  const { body } = await shop.create('order-1', { userId: 'user-1' })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'again' })
  const owed = linesOf(await operator.get(`/overpayments.csv?merchantId=${shop.merchantId}`))
  const fields = 'merchantId,merchantName,paymentId,orderId,currency,amount'
  assert.equal(owed[0], `${fields},senderName,sender,bookedAt,outcome`)
  assert.equal(owed.length, 2)
  assert.ok(owed[1]?.startsWith(`${shop.merchantId},"Exported, Ltd",${body.payment.id},order-1,rub,5000,`))

  const block = { kind: 'user', value: 'user-secret-1', merchantId: shop.merchantId, reason: '=1+1' }
  assert.equal((await operator.call('POST', '/risk/blocks', block)).status, 201)
  const blocks = linesOf(await operator.get('/risk/blocks.csv')).filter((line) => line.includes(shop.merchantId))
  assert.match(blocks[0] ?? '', /,"Exported, Ltd",'=1\+1,operator:/)
  assert.ok(!blocks.join().includes('user-secret-1'))
  await shop.create('refused', { userId: 'user-secret-1' })
  const decisions = linesOf(await operator.get(`/risk/decisions.csv?merchantId=${shop.merchantId}`))
  assert.match(decisions[1] ?? '', /,refused,create,refused,block,/)
})

type Row = Readonly<Record<string, unknown>>

const rowsOf = (answer: { status: number; body: string }): Record<string, string>[] => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return parse(answer.body, { columns: true })
}

/** Lists without an export, and why. */
const withoutExport: Readonly<Record<string, string>> = {
  listCurrencies: 'what a request may have',
  listBankIssuers: 'what a request may have',
  listEvents: 'a feed that programs follow',
  listAudit: 'the end of what findInAudit lists',
}

type Described = { readonly operationId: string; readonly summary: string; readonly responses: object }

/** Operations that list something: by name, or because their responses have pages. */
const listsIn = (document: object) =>
  Object.entries((document as { paths: Record<string, { get?: Described }> }).paths).flatMap(([path, { get }]) => {
    if (get === undefined) return []
    const content = (
      withReferences(get.responses) as Record<number, { content?: Record<string, { schema: unknown }> }>
    )[200]
    const { properties = {} } = (content?.content?.['application/json']?.schema ?? {}) as {
      properties?: Record<string, { type?: string }>
    }
    const isList =
      get.operationId.startsWith('list') || ['nextCursor', 'nextAfter', 'nextBefore'].some((name) => name in properties)
    const [rows = ''] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? []
    return isList ? [{ path, id: get.operationId, rows }] : []
  })

test('every list has an export, with its filters and the access that it needs', () => {
  const { paths } = apiDocument as {
    paths: Record<string, { get?: Record<string, unknown> & { parameters?: { name: string }[] } }>
  }
  const missing: string[] = []
  for (const { path, id } of listsIn(apiDocument)) {
    if (id in withoutExport) continue
    const [list, exported] = [paths[path]?.get, paths[`${path}.csv`]?.get]
    if (!exported) {
      missing.push(id)
      continue
    }
    const namesOf = (operation: typeof list) => operation?.parameters?.map(({ name }) => name) ?? []
    const pages = new Set(['cursor', 'after', 'before', 'limit', 'count'])
    if (id !== 'listJournal')
      assert.deepEqual(
        namesOf(exported),
        namesOf(list).filter((name) => !pages.has(name)),
        id,
      )
    for (const access of ['x-roles', 'x-scope', 'security']) assert.deepEqual(exported[access], list?.[access], id)
  }
  assert.deepEqual(missing, [], 'name the rows of these lists in `exports` of their routes')
})

/** Asserts that a row of an export has the numbers of the list's row, exactly. */
const assertNumbers = (cells: Readonly<Record<string, string>>, row: Row, id: string): void => {
  for (const [column, cell] of Object.entries(cells)) {
    const value = column.split('.').reduce<unknown>((part, name) => (part as Row | undefined)?.[name], row)
    if (typeof value !== 'number') continue
    assert.match(cell, /^-?\d+(\.\d+)?$/, `${id}: ${column}`)
    assert.equal(Number(cell), value, `${id}: ${column}`)
  }
}

onOne('the export of a list has its rows, with the fields of the list and their exact amounts', async (service) => {
  const shop = await openShop(service, { name: 'Exported rows' })
  const operator = openOperator(service)
  const link = await shop.post('/links', { title: '=1+1', amount: 100, currency: 'rub', method: 'sbp' })
  assert.equal(link.status, 201, JSON.stringify(link.body))
  const endpoint = await shop.post('/endpoints', { url: 'https://shop.example.com/hook', kinds: ['payment.paid'] })
  assert.equal(endpoint.status, 201, JSON.stringify(endpoint.body))
  const { body } = await shop.create('order-1')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  // The longest amount, and the lowest price.
  await payIn(service, { requisiteId: body.card.id, minor: 9_999_999_999_999_97n, reference: 'much' })
  for (const one of [operator, openOperator(service, 'boris')])
    await one.call('PUT', '/rates/kzt', { price: 0.00000001, maxAgeMs: 60_000 })
  await shop.get('/payments?status=nonsense')
  const ids: Readonly<Record<string, string>> = { id: shop.merchantId, endpointId: endpoint.body.id, currency: 'rub' }
  const read = { operator: (path: string) => operator.get(path), merchant: (path: string) => shop.get(path) }
  let [tried, withRows] = [0, 0]
  for (const { path, id, rows } of listsIn(apiDocument)) {
    const [, side = '', template = ''] = /^\/api\/v1\/(operator|merchant)(\/.*)$/.exec(path) ?? []
    const at = template.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)
    const get = read[side as keyof typeof read]
    const listed = await get(at)
    if (id in withoutExport || listed.status !== 200) continue
    // Its export ends two minutes ago.
    if (id === 'listJournal') continue
    const exported = rowsOf(await get(`${at}.csv`))
    const items = listed.body[rows] as Row[]
    assert.ok(exported.length >= items.length, `${id}: ${exported.length} of ${items.length} rows`)
    for (const [index, row] of items.entries()) assertNumbers(exported[index] ?? {}, row, id)
    tried++
    if (items.length > 0) withRows++
  }
  assert.ok(tried > 35 && withRows > 18, `${tried} lists, ${withRows} of them with rows`)

  assert.equal(rowsOf(await operator.get('/transfers.csv'))[0]?.['amount'], '9999999999999.97')
  const prices = rowsOf(await operator.get('/rates/kzt/history.csv'))
  assert.equal(prices.at(-1)?.['price'], '0.00000001')

  const [own] = rowsOf(await shop.get('/links.csv?state=open'))
  assert.equal(own?.['title'], "'=1+1")
  assert.equal(own['payments.paid'], '0')
  assert.equal(rowsOf(await shop.get('/links.csv?state=closed')).length, 0)
  const [called] = rowsOf(await shop.get('/endpoints.csv'))
  assert.equal(called?.['kinds'], '["payment.paid"]')
  const [entry] = rowsOf(await shop.get('/entries.csv'))
  assert.equal(entry?.['paymentId'], body.payment.id)
  const balances = rowsOf(await operator.get(`/ledger/balances.csv?merchantId=${shop.merchantId}`))
  assert.ok(balances.some((row) => row['merchantName'] === 'Exported rows'))
  const refused = rowsOf(await operator.get(`/merchants/${shop.merchantId}/requests.csv?outcome=failed`))
  assert.deepEqual(
    refused.map((row) => row['code']),
    ['resource_not_found', 'validation_failed'],
  )
  assert.equal((await operator.get(`/merchants/${unknownId}/tokens.csv`)).status, 404)
  assert.equal((await operator.get('/outgoing.csv?limit=5')).status, 400)
})

onOne('the rows of a statement are exported in all pages, those of one state too', async (service) => {
  const bank = await openBank(service)
  const references = Array.from({ length: 520 }, (_, at) => `statement row ${at}`)
  const { id } = await bank.upload(
    camtOf,
    references.map((reference, at) => ({ reference, minor: BigInt(100_00 + at) })),
  )
  const rows = rowsOf(await bank.operator.get(`/statements/${id}/rows.csv?state=new`))
  assert.deepEqual(
    rows.map((row) => row['bankReference']),
    references,
  )
  assert.equal(rowsOf(await bank.operator.get(`/statements/${id}/rows.csv?state=already-known`)).length, 0)
})
