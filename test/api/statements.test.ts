// Uploads, sources and pushes as their operations answer.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { minute, second } from '../../src/rules/time.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'
import { camtOf, csvOf, exchangeOf, mt940Of, uploadFile } from '../support/statement-files.ts'
import { until } from '../support/waiting.ts'
import { workbookOf } from '../../packages/bank-files/test/support/workbooks.ts'

const opened = shareService()
const date = '2026-01-30'

const openShopWithRequisite = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1 })
  return { shop, requisiteId: shop.requisiteIds[0] ?? '' }
}

/** Files that are refused: why, what is sent, and the answer's first line and reason. */
const refusals: readonly (readonly [string, string | Buffer, number, RegExp])[] = [
  ['empty', '', 1, /empty/],
  ['no statement', 'hello\nworld', 1, /no line of it names the columns/],
  ['an archive', Buffer.from('PK\u0003\u0004'), 1, /ZIP archive/],
  ['a picture', Buffer.from([0x89, 0x50, 0, 1, 2]), 1, /not a text/],
  [
    'a document type',
    '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>\n<Document/>',
    2,
    /DOCTYPE/,
  ],
  ['an entity of its own', '<Document>\n<a>&boom;</a></Document>', 2, /not well-formed/],
  ['another message', '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"/>', 1, /not a camt/],
  [
    'balances that do not add up',
    camtOf({ account: 'A', closing: 1n, rows: [{ minor: 2n, date }] }),
    15,
    /do not add up: opening \+ credits − debits is 0\.00 \+ 0\.02 − 0\.00 = 0\.02, but the closing balance is 0\.01/,
  ],
  [
    'another currency',
    camtOf({ account: 'A', currency: 'usd', rows: [{ minor: 2n, date }] }),
    8,
    /in usd, but its requisite is in rub/,
  ],
  [
    'a day that is not',
    exchangeOf({ account: 'A', rows: [{ minor: 2n, date: '2026-02-30' }] }),
    15,
    /date of booking.*30\.02\.2026/,
  ],
  ['the future', mt940Of({ account: 'A', rows: [{ minor: 2n, date: '2099-01-01' }] }), 5, /in the future/],
  [
    'a formula',
    csvOf({ account: 'A', rows: [] }).replace('\r\n', '\r\n30.01.2026;=1+1;RUB;;;;;\r\n'),
    2,
    /"=1\+1" in column "Сумма" is not an amount/,
  ],
  [
    'a status nobody knows',
    csvOf({ account: 'A', rows: [{ minor: 2n, date }] }).replace('Исполнено', 'Хм'),
    2,
    /status "Хм" is not known/,
  ],
  ['dates that may be two', 'date,amount\n03/04/2026,1.00\n', 1, /whether the day, the month or the year/],
  ['amounts that may be two', 'date;amount\n2026-01-30;-1,234\n', 2, /may be thousands or decimals/],
  ['too many decimals', 'date;amount\n2026-01-30;+1.234567\n', 2, /more exact than rub allows/],
]

for (const [title, content, line, reason] of refusals) {
  test(`422: refuses ${title}, with the line and a reason`, async () => {
    const service = opened()
    const { requisiteId } = await openShopWithRequisite(service)
    const refused = await uploadFile(service, content, { requisiteId })
    assertProblem(refused, 422, 'statement_refused')
    const { body } = refused
    assert.equal(body.errors[0].field, `line ${line}`, JSON.stringify(body.errors))
    assert.match(body.errors[0].message, reason)
    const kept = (await openOperator(service).get(`/statements/${body.statementId}`)).body
    assert.deepEqual([kept.state, kept.faults[0].line], ['refused', line])
    assert.deepEqual((await openOperator(service).get(`/statements/${kept.id}/rows`)).body.rows, [])
  })
}

test('422: refuses the statement of an account that no requisite has; 409: nothing refused is confirmed', async () => {
  const service = opened()
  const { status, body } = await uploadFile(service, camtOf({ account: 'DE99 1234', rows: [{ minor: 2n, date }] }))
  assert.equal(status, 422)
  assert.match(body.errors[0].message, /^No requisite has the account •••• 1234: bind the account/)
  assertProblem(
    await openOperator(service).call('POST', `/statements/${body.statementId}/confirm`),
    409,
    'invalid_state',
  )
})

test('400, 404, 415: refuses what is not a form with a statement', async () => {
  const service = opened()
  const operator = openOperator(service)
  assertProblem(await operator.call('POST', '/statements', {}), 415, 'unsupported_media_type')
  assertProblem(await uploadFile(service, 'x', { nonsense: '1' }), 400, 'validation_failed', ['nonsense'])
  assertProblem(await uploadFile(service, 'x', { requisiteId: '1' }), 400, 'validation_failed', ['requisiteId'])
  assertProblem(await uploadFile(service, 'x', { mapping: '[]' }), 400, 'validation_failed', ['mapping'])
  assertProblem(await uploadFile(service, 'x', { sourceId: unknownId }), 404, 'resource_not_found')
  assertProblem(await operator.get(`/statements/${unknownId}`), 404, 'resource_not_found')
  assertProblem(
    await operator.call('POST', `/statements/${unknownId}/withdraw`, { reason: 'x' }),
    404,
    'resource_not_found',
  )
})

test('201: a file without a name is called statement', async () => {
  const service = opened()
  const { requisiteId } = await openShopWithRequisite(service)
  const parts = [
    ['form-data; name="requisiteId"', 'text/plain', requisiteId],
    ['form-data; name="file"', 'application/octet-stream', 'date;amount\n2026-01-30;+1.23\n'],
  ].map(([disposition, type, value]) =>
    ['--part', `content-disposition: ${disposition}`, `content-type: ${type}`, '', value].join('\r\n'),
  )
  const { status, body } = await send(service, '/api/v1/operator/statements', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.operatorToken}`,
      'content-type': 'multipart/form-data; boundary=part',
    },
    body: [...parts, '--part--', ''].join('\r\n'),
  })
  assert.deepEqual([status, body.fileName], [201, 'statement'], JSON.stringify(body))
})

test('201: the preview says how many rows are credits and debits, and what decided it', async () => {
  const service = opened()
  const { requisiteId } = await openShopWithRequisite(service)
  const unsigned = 'Дата;Сумма;Назначение\n30.01.2026;1500,00;Заказ 1\n30.01.2026;700,00;Заказ 2\n'
  assertProblem(await uploadFile(service, unsigned, { requisiteId }), 422, 'statement_refused')
  assertProblem(await uploadFile(service, unsigned, { requisiteId, allCredits: 'yes' }), 400, 'validation_failed', [
    'allCredits',
  ])
  assertProblem(await uploadFile(service, unsigned, { requisiteId, charset: 'x' }), 400, 'validation_failed', [
    'charset',
  ])
  const files: readonly (readonly [string, Readonly<Record<string, string>>, unknown, readonly number[]])[] = [
    [unsigned, { allCredits: 'true' }, { decidedBy: 'operator', columns: ['Сумма'] }, [2, 2200, 0, 0]],
    [
      'Дата;Д/К;Сумма;Назначение\n30.01.2026;К;1501,00;Заказ 1\n30.01.2026;Д;700,00;Аренда\n',
      {},
      { decidedBy: 'words', columns: ['Д/К'] },
      [1, 1501, 1, 700],
    ],
    [
      'Дата;Сумма;Назначение\n30.01.2026;1502,00;Заказ 1\n30.01.2026;-700,00;Аренда\n',
      { mapping: '{"directions":{"credit":["x"],"debit":[]}}' },
      { decidedBy: 'sign', columns: ['Сумма'] },
      [1, 1502, 1, 700],
    ],
    [exchangeOf({ account: '40702810900000000077', rows: [] }), {}, { decidedBy: 'format', columns: [] }, [0, 0, 0, 0]],
  ]
  for (const [file, fields, direction, sums] of files) {
    const { status, body } = await uploadFile(service, file, { requisiteId, ...fields })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(body.direction, direction)
    const { creditRows, credits, debitRows, debits } = body.accounts[0]
    assert.deepEqual([creditRows, credits, debitRows, debits], sums)
  }
})

test('201: reads a workbook and an OFX file as they are uploaded', async () => {
  const service = opened()
  const { requisiteId } = await openShopWithRequisite(service)
  const workbook = workbookOf({
    Sheet: [
      ['Дата', 'Сумма', 'Назначение'],
      [{ day: 46052 }, 1505.5, 'Заказ 1'],
      [{ day: 46053 }, -5, 'Комиссия'],
    ],
  })
  const ofx = (amount: string): string =>
    `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>RUB<STMTTRN><DTPOSTED>20260130<TRNAMT>${amount}<FITID>x1</STMTTRN></STMTRS></OFX>`
  const cases: readonly (readonly [string | Buffer, string, readonly number[]])[] = [
    [workbook, 'xlsx', [1, 1505.5, 1, 5]],
    [ofx('1506.50'), 'ofx', [1, 1506.5, 0, 0]],
  ]
  for (const [file, format, sums] of cases) {
    const { status, body } = await uploadFile(service, file, { requisiteId })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.format, format)
    const { creditRows, credits, debitRows, debits } = body.accounts[0]
    assert.deepEqual([creditRows, credits, debitRows, debits], sums)
  }
  assertProblem(await uploadFile(service, ofx('abc'), { requisiteId }), 422, 'statement_refused')
})

test('201: a source saves a part of a mapping, such as the word that amounts without a sign are credits', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { requisiteId } = await openShopWithRequisite(service)
  const mapping = { allCredits: true, directions: { credit: ['Перевод СБП'], debit: ['Перевод клиенту'] } }
  const added = await operator.call('POST', '/statement-sources', {
    name: 'Bank of words',
    requisiteIds: [requisiteId],
    mapping,
  })
  assert.deepEqual(added.body.mapping, mapping)
  const unsigned = await uploadFile(service, 'Дата;Сумма\n30.01.2026;1503,00\n', { sourceId: added.body.id })
  assert.deepEqual([unsigned.status, unsigned.body.direction?.decidedBy], [201, 'operator'])
  const words = 'Дата;Операция;Сумма\n30.01.2026;Перевод СБП;1504,00\n30.01.2026;Перевод клиенту;7,00\n'
  const { status, body } = await uploadFile(service, words, { sourceId: added.body.id })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual([body.direction.decidedBy, body.counts.new, body.counts.outgoing], ['words', 2, 1])
})

test('201: reads a CSV by the mapping that a source has saved, and masks what it shows', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { requisiteId } = await openShopWithRequisite(service)
  const mapping = {
    charset: 'utf-8',
    delimiter: '|',
    headerLine: 2,
    columns: { date: 'Wann', credit: 'Rein', text: 'Was', payerNumber: 'Wer' },
    dateOrder: 'mdy',
    decimalMark: '.',
  }
  const added = await operator.call('POST', '/statement-sources', {
    name: 'Bank of CSV',
    requisiteIds: [requisiteId],
    mapping,
  })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const file = 'Bank of CSV\nWann|Rein|Was|Wer\n01/02/2026|1,234.50|from +7 999 123-45-67|40817810000000004321\n'
  const { status, body } = await uploadFile(service, file, { sourceId: added.body.id })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body.mapping, mapping)
  const { rows } = (await operator.get(`/statements/${body.id}/rows`)).body
  assert.equal(rows.length, 1)
  assert.deepEqual((await operator.get(`/statements/${body.id}/rows?state=new`)).body, { rows })
  assert.deepEqual((await operator.get(`/statements/${body.id}/rows?state=already-known`)).body, { rows: [] })
  const { amount, bookedAt, bookedOn, sender, text, state, line } = rows[0]
  assert.deepEqual(
    { amount, bookedAt, bookedOn, sender, state, line },
    {
      amount: 1234.5,
      bookedAt: '2026-01-02T20:59:59.999Z',
      bookedOn: '2026-01-02',
      sender: '•••• 4321',
      state: 'new',
      line: 3,
    },
  )
  assert.ok(!text.includes('123-45'), text)
  assertProblem(
    await operator.call('POST', '/statement-sources', { name: 'Bank of CSV', requisiteIds: [requisiteId] }),
    409,
    'already_exists',
  )
})

test('200: a source pushes what is booked, once; 401: only with its signature and in time', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { shop } = await openShopWithRequisite(service)
  const created = await shop.create('pushed')
  const { id: requisiteId } = created.body.card
  const source = (await operator.call('POST', '/statement-sources', { name: 'Pusher', requisiteIds: [requisiteId] }))
    .body
  const { key } = (await operator.call('POST', `/statement-sources/${source.id}/key`)).body
  assert.match(key, /^payin_feed_[0-9A-Za-z]{36}$/)
  const { sources } = (await operator.get('/statement-sources')).body
  const { version } = sources.find(({ id }: { id: string }) => id === source.id).unapproved
  await openOperator(service, 'boris').call('POST', `/statement-sources/${source.id}/approve`, { version })
  const transfer = (fields: object = {}) => ({
    amount: 5000,
    currency: 'rub',
    bookedAt: new Date(service.clock.now).toISOString(),
    bankReference: 'push-1',
    ...fields,
  })
  const push = (transfers: readonly object[], wrong: { at?: number; key?: string; body?: string } = {}) => {
    const body = JSON.stringify({ transfers })
    const timestamp = String(Math.floor((wrong.at ?? service.clock.now) / 1000))
    const signature = createHmac('sha256', wrong.key ?? key)
      .update(`${timestamp}.${body}`)
      .digest('hex')
    return send(service, `/api/v1/feeds/${source.id}/transfers`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'payin-timestamp': timestamp,
        'payin-signature': `v1=${signature}`,
      },
      body: wrong.body ?? body,
    })
  }
  assertProblem(await push([transfer()], { key: 'payin_feed_x' }), 401, 'signature_invalid')
  assertProblem(await push([transfer()], { at: service.clock.now - 6 * minute }), 401, 'signature_invalid')
  assertProblem(await push([transfer()], { at: service.clock.now + 6 * minute }), 401, 'signature_invalid')
  assertProblem(
    await push([transfer()], { body: JSON.stringify({ transfers: [transfer({ amount: 1 })] }) }),
    401,
    'signature_invalid',
  )
  assertProblem(
    await push([transfer({ requisiteId: shop.requisiteIds.find((id) => id !== requisiteId) })]),
    400,
    'validation_failed',
  )
  assertProblem(await push([{ amount: 1 }]), 400, 'validation_failed')
  assert.equal(await shop.status('pushed'), 'new')

  const first = await push([transfer({ bankReference: 'push-0', status: 'pending' }), transfer()])
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.deepEqual(
    first.body.transfers.map((each: { state: string }) => each.state),
    ['pending', 'recorded'],
  )
  assert.equal(await shop.status('pushed'), 'paid')
  const again = await push([transfer()])
  assert.deepEqual(again.body.transfers, [{ ...first.body.transfers[1], state: 'already-known' }])
  const back = await push([transfer({ status: 'reversed' })])
  assert.deepEqual(back.body.transfers, [{ ...first.body.transfers[1], state: 'recorded' }])
  // Nobody can say which transfer it takes back: it is not recorded as one that did.
  const unknown = transfer({ status: 'reversed', bankReference: 'push-unknown', amount: 77 })
  const waiting = { bankReference: 'push-unknown', state: 'waiting' }
  assert.deepEqual((await push([unknown])).body.transfers, [waiting])
  assert.deepEqual((await push([unknown])).body.transfers, [{ ...waiting, state: 'already-known' }])
  const audit = await operator.lastAudit()
  assert.deepEqual([audit.actor, audit.action], [`source:${source.id}`, 'transfers.push'])
  assert.ok(
    (await operator.get('/statement-sources')).body.sources.some((each: { lastSeenAt?: string }) => each.lastSeenAt),
  )

  await operator.call('POST', `/statement-sources/${source.id}/key/end`)
  assertProblem(await push([transfer()]), 401, 'signature_invalid')
  assert.ok(service.logs.every((line) => !line.includes(key)))
})

test('files that come slowly give way to another one once they take all the places', async () => {
  const service = opened()
  const { hostname, port } = new URL(service.url)
  const { anna = '', boris = '' } = service.operatorTokens
  const ended = new Set<Socket>()
  const slow = [anna, anna, anna, anna, boris, boris, boris, boris].map((token) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).on('close', () => ended.add(socket))
    socket.write(
      `POST /api/v1/operator/statements HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n` +
        'content-type: multipart/form-data; boundary=x\r\ncontent-length: 100000\r\n\r\n' +
        '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nDate;Amount',
    )
    return socket
  })
  try {
    const { requisiteIds } = await openShop(service, { perMethod: 1 })
    const requisiteId = requisiteIds[0] ?? ''
    const upload = (reference: string) => {
      const rows = [{ minor: 100n, date: new Date(service.clock.now).toISOString().slice(0, 10), reference }]
      return uploadFile(service, camtOf({ account: 'B', rows }), { requisiteId })
    }
    let tries = 0
    await until('all places are taken', async () => (await upload(`BEFORE-${++tries}`)).status === 503)
    service.clock.advance(10 * second)
    assert.equal((await upload('AFTERWARDS')).status, 201)
    await until('one has ended', () => ended.size === 1)
  } finally {
    for (const socket of slow) socket.destroy()
  }
})
