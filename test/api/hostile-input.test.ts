// Hostile requests: a documented 4xx, never a 5xx, and the same process answers afterwards.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { isOrderId } from '../../src/rules/payments/order-id.ts'
import { assertProblem } from '../support/problem.ts'
import { type RawAnswer, type RawExchange, rawRequest, sendRaw } from '../support/raw-http.ts'
import { shareService } from '../support/shared-service.ts'
import { type Answer, openShop, send, type Shop } from '../support/shop.ts'

// Fails afterwards when any request was answered by internal_error.
const opened = shareService()

const api = '/api/v1/merchant'
const currencies = `${api}/payments/currencies`

const post = (
  shop: Shop,
  body: string | Buffer | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  send(opened(), `${api}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json', ...headers },
    body: body as RequestInit['body'],
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit)

/** Sends a request whose target goes over the wire unchanged: `fetch` would normalise it. */
const get = (shop: Shop, target: string): Promise<Answer> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(opened().url)
    const headers = { authorization: `Bearer ${shop.token}` }
    const sent = request({ hostname, port, path: target, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => {
        const isJson = (answer.headers['content-type'] ?? '').includes('json')
        const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
        done({ status: answer.statusCode ?? 0, headers: new Headers(fields), body: isJson ? JSON.parse(text) : text })
      })
    })
    sent.on('error', fail)
    sent.end()
  })

const raw = (shop: Shop, lines: readonly string[], body: string | Buffer = '', expected = 1): Promise<RawExchange> =>
  sendRaw(opened(), rawRequest('POST', `${api}/payments`, [...honest(shop), ...lines], body), expected)

const honest = (shop: Shop): string[] => [
  'Host: payin.test',
  `Authorization: Bearer ${shop.token}`,
  'Content-Type: application/json',
]

const body = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ type: 'direct', amount: 5000, orderId: 'order', currency: 'rub', method: 'sbp', ...fields })

const assertFine = async (shop: Shop): Promise<void> => {
  assert.equal((await shop.get('/payments/currencies')).status, 200)
}

const firstOf = ({ answers }: RawExchange): RawAnswer => {
  assert.ok(answers[0], 'nothing was answered')
  return answers[0]
}

// --- size and shape of a body

test('413: refuses a body over 64 KiB, and accepts one of exactly 64 KiB', async () => {
  const shop = await openShop(opened())
  const padded = (bytes: number): string => body().padEnd(bytes, ' ')
  assert.equal((await post(shop, padded(64 * 1024))).status, 201)
  assertProblem(await post(shop, padded(64 * 1024 + 1)), 413, 'payload_too_large')
  await assertFine(shop)
})

test('413: refuses a Content-Length of 10¹² without waiting for the body', async () => {
  const shop = await openShop(opened())
  // A service that waits for the body says nothing until the connection is given up here.
  const exchange = await raw(shop, ['Content-Length: 1000000000000'], '{')
  assertProblem(firstOf(exchange), 413, 'payload_too_large')
  assert.equal(exchange.answers.length, 1)
  await assertFine(shop)
})

test('413: refuses endless chunks once they are more than 64 KiB', async () => {
  const shop = await openShop(opened())
  let sent = 0
  const exchange = await sendRaw(opened(), (socket) => {
    const head = rawRequest('POST', `${api}/payments`, [...honest(shop), 'Transfer-Encoding: chunked'])
    socket.write(head)
    const chunk = `1000\r\n${' '.repeat(4096)}\r\n`
    const feed = setInterval(() => {
      if (socket.destroyed || sent > 4 * 1024 * 1024) return clearInterval(feed)
      sent += chunk.length
      socket.write(chunk)
    }, 1)
    socket.on('close', () => clearInterval(feed))
  })
  assertProblem(firstOf(exchange), 413, 'payload_too_large')
  assert.equal(exchange.answers.length, 1)
  await assertFine(shop)
})

test('413: the answer reaches a client that reads only when it has sent its whole body', async () => {
  const shop = await openShop(opened())
  const length = 600_000
  const exchange = await sendRaw(opened(), (socket) => {
    socket.pause()
    socket.write(rawRequest('POST', `${api}/payments`, [...honest(shop), `Content-Length: ${length}`]))
    let left = length
    const feed = setInterval(() => {
      const piece = Math.min(left, 8192)
      left -= piece
      socket.write(' '.repeat(piece))
      if (left > 0 && !socket.destroyed) return
      clearInterval(feed)
      socket.resume()
    }, 1)
  })
  assertProblem(firstOf(exchange), 413, 'payload_too_large')
  assert.deepEqual([exchange.answers.length, exchange.closed], [1, true])
  await assertFine(shop)
})

test('400: refuses nesting deeper than 32 levels before anything is built', async () => {
  const shop = await openShop(opened())
  const nested = (depth: number, open = '[', close = ']'): string =>
    body({ deep: 0 }).replace('"deep":0', `"deep":${open.repeat(depth)}0${close.repeat(depth)}`)
  assertProblem(await post(shop, nested(31)), 400, 'validation_failed', ['deep'])
  for (const text of [
    nested(32),
    nested(10_000, '{"a":', '}'),
    nested(30_000),
    '['.repeat(60_000),
    '{"a":'.repeat(10_000),
  ]) {
    assertProblem(await post(shop, text), 400, 'malformed_json')
  }
  assertProblem(await post(shop, '['.repeat(100_000)), 413, 'payload_too_large')
  await assertFine(shop)
})

test('400: refuses a body of 10⁴ keys or values, and names the first hundred of thousands', async () => {
  const shop = await openShop(opened())
  const keys = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(',')}}`
  const many = await post(shop, keys(8000))
  assertProblem(many, 400, 'validation_failed')
  assert.equal(many.body.errors.length, 100)
  // Ten thousand keys, however short, are more than 64 KiB.
  assertProblem(await post(shop, keys(10_000)), 413, 'payload_too_large')
  assertProblem(await post(shop, `[${'0,'.repeat(32_000)}0]`), 400, 'validation_failed')
  await assertFine(shop)
})

test('400: a refusal names the first 60 characters of an unknown field, however long its name is', async () => {
  const shop = await openShop(opened())
  const answer = await post(shop, body({ [`${'😀'.repeat(59)}xyz${'z'.repeat(60_000)}`]: 1 }))
  assertProblem(answer, 400, 'validation_failed', [`${'😀'.repeat(59)}x…`])
  assert.ok(JSON.stringify(answer.body).length < 1000, JSON.stringify(answer.body))
  const query = await shop.get(`/payments?${'q'.repeat(10_000)}=1`)
  assertProblem(query, 400, 'validation_failed', [`${'q'.repeat(60)}…`])
})

test('400: refuses a key that occurs twice in one object', async () => {
  const shop = await openShop(opened())
  for (const text of [
    body().replace('{', '{"amount":1,'),
    body().replace('}', ',"orderId":"order"}'),
    body().replace('}', ',"order\\u0049d":"order"}'),
    '{"a":{"b":1,"b":1}}',
    '{"a":[{"b":1,"\\u0062":1}]}',
    '{"":1,"":1}',
    '{"__proto__":1,"__proto__":2}',
  ]) {
    assertProblem(await post(shop, text), 400, 'malformed_json')
  }
  // A colon inside a text is not a key.
  assert.equal((await post(shop, body({ orderId: 'a:b:{"c":1}' }))).status, 201)
})

test('400: refuses __proto__, constructor and their like at every level, and changes no prototype', async () => {
  const shop = await openShop(opened())
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const inner = `{"${key}":{"polluted":true,"sbpEnabled":true,"isAdmin":true}}`
    assertProblem(await post(shop, body().replace('{', `{"${key}":{"polluted":true},`)), 400, 'validation_failed', [
      key,
    ])
    for (const field of ['orderId', 'amount', 'method', 'userId', 'bankIssuer', 'returnUrl']) {
      const text = body({ [field]: 0 }).replace(`"${field}":0`, `"${field}":${inner}`)
      assertProblem(await post(shop, text), 400, 'validation_failed', [field])
    }
    assertProblem(await post(shop, inner), 400, 'validation_failed')
    assertProblem(await post(shop, `[${inner}]`), 400, 'validation_failed')
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  // As values they are ordinary texts.
  for (const orderId of ['__proto__', 'constructor', 'toString']) {
    assertProblem(await shop.get(`/payments/byOrderId/${orderId}`), 404, 'payment_not_found')
    assertProblem(await shop.create('x', { bankIssuer: orderId }), 422, 'bank_issuer_unknown', ['bankIssuer'])
  }
  await assertFine(shop)
})

test('400: refuses bytes that are not UTF-8, a byte order mark, and what is not JSON', async () => {
  const shop = await openShop(opened())
  const [before = '', after = ''] = body({ orderId: '@' }).split('@')
  const withBytes = (...bytes: number[]): Buffer =>
    Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
  for (const bytes of [
    withBytes(0xff),
    withBytes(0xc0, 0xaf),
    withBytes(0xed, 0xa0, 0x80),
    withBytes(0xf4, 0x90, 0x80, 0x80),
    withBytes(0xe2, 0x82),
    withBytes(0x00),
    withBytes(0x0a),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body())]),
    Buffer.from(`\ufeff${body()}`, 'utf16le'),
    Buffer.from('NaN'),
    Buffer.from('{"amount":NaN}'),
    Buffer.from('{"amount":Infinity}'),
    Buffer.from('{"amount":+1}'),
    Buffer.from('{"amount":01}'),
    Buffer.from('{"amount":.5}'),
    Buffer.from('{"amount":0x10}'),
    Buffer.from("{'type':'direct'}"),
    Buffer.from(`${body()}x`),
    Buffer.from(`${body()}${body()}`),
    Buffer.from(body().replace('}', ',}')),
    Buffer.from(`/**/${body()}`),
    Buffer.from('\u00a0{}'),
  ]) {
    assertProblem(await post(shop, bytes), 400, 'malformed_json')
  }
  await assertFine(shop)
})

test('400: refuses lone surrogates, so that none collides with another order', async () => {
  const shop = await openShop(opened())
  for (const text of ['\\ud800', '\\udfff', 'a\\ud800b', '\\udc00\\ud800', '\ufffd\\ud83d']) {
    assertProblem(await post(shop, body().replace('"order"', `"${text}"`)), 400, 'malformed_json')
    assertProblem(await post(shop, body().replace('{', `{"${text}":1,`)), 400, 'malformed_json')
    assertProblem(await shop.post('/payments/byOrderId/ack', `{"orderId":"${text}"}`), 400, 'malformed_json')
  }
  // A complete pair is one character, and so is the replacement character.
  for (const orderId of ['\ud83d\ude00', '\ufffd']) {
    assert.equal((await shop.create(orderId)).status, 201)
    assert.equal((await shop.get(`/payments/byOrderId/${encodeURIComponent(orderId)}`)).body.orderId, orderId)
  }
  assertProblem(await get(shop, `${api}/payments/byOrderId/%ED%A0%80`), 400, 'validation_failed')
})

test('400: refuses NUL and other invisible characters in an orderId or userId', async () => {
  const shop = await openShop(opened())
  for (const code of [
    0, 1, 9, 10, 13, 27, 0x7f, 0x85, 0xad, 0x200b, 0x200e, 0x2028, 0x2029, 0x202e, 0xfeff, 0xe000, 0xfdd0,
  ]) {
    const text = `a${String.fromCharCode(code)}b`
    assertProblem(await shop.create(text), 400, 'validation_failed', ['orderId'])
    assertProblem(await shop.create('order', { userId: text }), 400, 'validation_failed', ['userId'])
    assertProblem(await get(shop, `${api}/payments/byOrderId/${encodeURIComponent(text)}`), 400, 'validation_failed', [
      'orderId',
    ])
  }
})

// --- times

test('400: refuses times whose zone takes them out of the years 2000 to 9999', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const endpoint = await shop.post('/endpoints', { url: 'https://receiver.example.com/' })
  for (const time of ['9999-12-31T23:59:59.999-12:00', '2000-01-01T00:00:00+00:01', '0000-01-01T00:00:00Z']) {
    const since = await shop.post(`/endpoints/${endpoint.body.id}/redeliver`, { since: time })
    assertProblem(since, 400, 'validation_failed', ['since'])
    const statement = await shop.get(`/statement?from=2026-01-01T00:00:00Z&to=${encodeURIComponent(time)}`)
    assertProblem(statement, 400, 'validation_failed', ['to'])
  }
})

// --- numbers

// The validator does not accept a number that no double can hold.
const numbers: readonly (readonly [literal: string, status: number, code: string])[] = [
  ['1e309', 400, 'validation_failed'],
  ['-1e309', 400, 'validation_failed'],
  ['1e-309', 422, 'amount_precision'],
  ['1e999999999', 400, 'validation_failed'],
  ['1e-999999999', 422, 'amount_precision'],
  ['0', 422, 'amount_below_min'],
  ['-0', 422, 'amount_below_min'],
  ['0e999999999', 422, 'amount_below_min'],
  ['-100', 422, 'amount_below_min'],
  ['-1e20', 422, 'amount_below_min'],
  ['-1234567890123456789012345678901234567890', 422, 'amount_below_min'],
  ['1e-7', 422, 'amount_precision'],
  ['100.001', 422, 'amount_precision'],
  ['0.30000000000000004', 422, 'amount_precision'],
  ['100.00000000000000001', 422, 'amount_precision'],
  ['9007199254740993', 422, 'amount_above_max'],
  ['1234567890123456789012345678901234567890', 422, 'amount_above_max'],
  [`1${'0'.repeat(60_000)}`, 400, 'validation_failed'],
  [`100.${'0'.repeat(60_000)}`, 422, 'amount_above_max'],
  ['99.99', 422, 'amount_below_min'],
  ['300000.01', 422, 'amount_above_max'],
  ['"100"', 400, 'validation_failed'],
  ['[100]', 400, 'validation_failed'],
  ['{"value":100}', 400, 'validation_failed'],
  ['true', 400, 'validation_failed'],
  ['null', 400, 'validation_failed'],
  ['1e2', 201, ''],
  ['100.000', 201, ''],
  ['300000', 201, ''],
  ['100', 201, ''],
]

for (const [literal, status, code] of numbers) {
  const shown = literal.length > 50 ? `${literal.slice(0, 10)}… (${literal.length} characters)` : literal
  test(`${status}: ${status === 201 ? 'accepts' : 'refuses'} ${shown} as an amount`, async () => {
    const shop = await openShop(opened())
    const answer = await post(shop, body({ amount: 0 }).replace('"amount":0', `"amount":${literal}`))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    if (status !== 201) {
      assert.equal(answer.body.code, code)
      assert.deepEqual(
        answer.body.errors.map((error: { field: string }) => error.field),
        ['amount'],
      )
    }
  })
}

// --- headers and targets

test('400: refuses two Host headers or none, whatever they say', async () => {
  const shop = await openShop(opened())
  const rest = [`Authorization: Bearer ${shop.token}`]
  for (const hosts of [['Host: payin.test', 'Host: evil.example'], ['Host: payin.test', 'Host: payin.test'], []]) {
    const exchange = await sendRaw(opened(), rawRequest('GET', currencies, [...hosts, ...rest]))
    assertProblem(firstOf(exchange), 400, 'validation_failed')
  }
  await assertFine(shop)
})

test('401: refuses two Authorization headers, also two equal ones', async () => {
  const shop = await openShop(opened())
  const other = await openShop(opened())
  for (const second of [shop.token, other.token, 'x']) {
    const headers = ['Host: payin.test', `Authorization: Bearer ${shop.token}`, `authorization: Bearer ${second}`]
    assertProblem(firstOf(await sendRaw(opened(), rawRequest('GET', currencies, headers))), 401, 'token_invalid')
  }
})

test('401: refuses every other form of the token', async () => {
  const shop = await openShop(opened())
  for (const authorization of [
    shop.token,
    `Basic ${shop.token}`,
    `Bearer${shop.token}`,
    `Bearer ${shop.token} x`,
    `Bearer ${shop.token},Bearer ${shop.token}`,
    `Bearer "${shop.token}"`,
    'Bearer',
    `Bearer ${'x'.repeat(10_000)}`,
    `Bearer ${shop.token.toUpperCase()}`,
  ]) {
    assertProblem(await send(opened(), currencies, { headers: { authorization } }), 401, 'token_invalid')
  }
  assertProblem(await send(opened(), `${currencies}?access_token=${shop.token}`), 401, 'token_missing')
  assert.equal((await send(opened(), currencies, { headers: { authorization: `bearer ${shop.token}` } })).status, 200)
})

test('absolute-form targets mean their path, and other forms are refused', async () => {
  const shop = await openShop(opened())
  const ask = async (target: string, method = 'GET'): Promise<RawExchange> =>
    sendRaw(opened(), rawRequest(method, target, honest(shop)))
  // RFC 9112 §3.2.2: a server must accept the absolute form.
  assert.equal(firstOf(await ask(`http://payin.test${currencies}`)).status, 200)
  for (const target of [
    '*',
    'http://',
    'http://payin.test',
    'payin.test:443',
    `//evil.example${currencies}`,
    `\\${currencies}`,
    `ftp://payin.test${currencies}`,
  ]) {
    const { status } = firstOf(await ask(target))
    assert.ok(status === 400 || status === 404, `${target}: ${status}`)
  }
  const tunnel = await ask('payin.test:443', 'CONNECT')
  assert.ok(tunnel.closed && tunnel.answers.every((answer) => answer.status >= 400 && answer.status < 500))
  await assertFine(shop)
})

test('paths are not normalised: dots, slashes and escapes lead to no other address', async () => {
  const shop = await openShop(opened())
  await shop.create('order')
  for (const target of [
    `${api}/x/../payments/currencies`,
    `${api}/./payments/currencies`,
    `${api}/payments//currencies`,
    `/${currencies}`,
    `${currencies}/`,
    `${currencies}/..`,
    `${api}/payments/byOrderId/../currencies`,
    `${api}/payments/byOrderId/order/status/`,
    `${api}/payments/byOrderId/order//status`,
    `/api/v1/MERCHANT/payments/currencies`,
    `${currencies};x=1`,
    `${api}/payments/byOrderId/${'x'.repeat(3000)}`,
    `${api}/payments/byOrderId/${'%41'.repeat(3000)}`,
  ]) {
    assertProblem(await get(shop, target), 404, 'route_not_found')
  }
  for (const target of [
    `${api}/payments/byOrderId/`,
    `${api}/payments/byOrderId//status`,
    `${api}/payments/byOrderId/%`,
    `${api}/payments/byOrderId/%zz`,
    `${api}/payments/byOrderId/%ff`,
    `${api}/payments/byOrderId/%c0%af`,
    `${api}/payments/byOrderId/%00`,
    `${api}/payments/byOrderId/order%00`,
    `${api}/payments/byOrderId/order%0d%0aX-Injected:1`,
    `${api}/payments/byOrderId/${'x'.repeat(129)}`,
    `${api}/payments/byOrderId/order/status?wait=61`,
    `${api}/payments/byOrderId/order/status?wait=1&wait=1`,
    `${api}/payments/byOrderId/order/status?__proto__=1`,
    `${api}/payments?limit=1e1`,
    `${api}/payments?cursor=%27;drop%20table%20payments`,
    `${api}/payments?status[]=new`,
  ]) {
    assertProblem(await get(shop, target), 400, 'validation_failed')
  }
  for (const target of [
    `${api}/payments/byOrderId/..%2fcurrencies`,
    `${api}/payments/byOrderId/%2e%2e`,
    `${api}/payments/byOrderId/%2E%2E%2Fcurrencies`,
    `${api}/payments/byOrderId/..%5ccurrencies`,
    `${api}/payments/byOrderId/order%252fstatus`,
    `${api}/payments/byOrderId/order%2fstatus`,
    `${api}/payments/byOrderId/order+`,
    `${api}/payments/byOrderId/ORDER`,
    `${api}/payments/byOrderId/order%20`,
  ]) {
    assertProblem(await get(shop, target), 404, 'payment_not_found')
  }
  assert.equal((await get(shop, `${api}/payments/byOrderId/%6frder`)).body.orderId, 'order')
  assert.equal((await get(shop, `${api}/payments/%62yOrderId/order`)).status, 200)
})

// --- requests that two servers may read differently

const smuggled = `GET ${currencies} HTTP/1.1\r\nHost: payin.test\r\n\r\n`

type Smuggling = readonly [title: string, lines: readonly string[], body: string]

const smuggling: readonly Smuggling[] = [
  ['Content-Length and Transfer-Encoding', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`],
  ['Transfer-Encoding and Content-Length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${smuggled}`],
  ['two different Content-Lengths', ['Content-Length: 0', 'Content-Length: 50'], smuggled],
  ['two equal Content-Lengths', ['Content-Length: 2', 'Content-Length: 2'], `{}${smuggled}`],
  ['a list of Content-Lengths', ['Content-Length: 2, 2'], `{}${smuggled}`],
  ['a signed Content-Length', ['Content-Length: +2'], `{}${smuggled}`],
  ['a negative Content-Length', ['Content-Length: -2'], `{}${smuggled}`],
  ['a hexadecimal Content-Length', ['Content-Length: 0x2'], `{}${smuggled}`],
  ['a Content-Length beyond 64 bits', ['Content-Length: 18446744073709551618'], `{}${smuggled}`],
  ['an unknown Transfer-Encoding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`],
  ['a coding before chunked', ['Transfer-Encoding: gzip, chunked'], `2\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['chunked in a list', ['Transfer-Encoding: chunked, chunked'], `2\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['chunked that is not last', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`],
  ['chunked twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`],
  ['a blank before the colon', ['Transfer-Encoding : chunked', 'Content-Length: 2'], `{}${smuggled}`],
  ['a folded header', ['X-Folded: a', ' b', 'Content-Length: 2'], `{}${smuggled}`],
  ['a header without a colon', ['Nonsense', 'Content-Length: 2'], `{}${smuggled}`],
  ['a NUL in a header', ['X-Nul: a\0b', 'Content-Length: 2'], `{}${smuggled}`],
  ['a bare CR in a header', ['X-Cr: a\rContent-Length: 2', 'Content-Length: 2'], `{}${smuggled}`],
  ['a chunk size that is not a number', ['Transfer-Encoding: chunked'], `zz\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['a signed chunk size', ['Transfer-Encoding: chunked'], `+2\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['a chunk size beyond 64 bits', ['Transfer-Encoding: chunked'], `ffffffffffffffff1\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['a chunk longer than its size', ['Transfer-Encoding: chunked'], `1\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['endless chunk extensions', ['Transfer-Encoding: chunked'], `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n${smuggled}`],
]

for (const [title, lines, text] of smuggling) {
  test(`400: refuses ${title}, and answers nothing hidden after it`, async () => {
    const shop = await openShop(opened())
    const exchange = await raw(shop, lines, text)
    assert.equal(exchange.answers.length, 1, JSON.stringify(exchange.answers))
    const { status } = firstOf(exchange)
    if (status !== 413) assertProblem(firstOf(exchange), 400, 'validation_failed')
    assert.ok(exchange.closed, 'the connection stays open')
    await assertFine(shop)
  })
}

test('400: refuses what is not HTTP at all, and reveals nothing', async () => {
  const shop = await openShop(opened())
  for (const text of [
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HELO mail\r\n\r\n',
    `get ${currencies} HTTP/1.1\r\nHost: payin.test\r\n\r\n`,
    `GET ${currencies} HTTP/9.9\r\nHost: payin.test\r\n\r\n`,
    `GET ${currencies} x HTTP/1.1\r\nHost: payin.test\r\n\r\n`,
    `GET ${currencies}\tHTTP/1.1\r\nHost: payin.test\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `${'\0'.repeat(1000)}\r\n\r\n`,
  ]) {
    const exchange = await sendRaw(opened(), Buffer.from(text, 'latin1'))
    const answer = firstOf(exchange)
    assert.equal(answer.body.code, 'validation_failed', JSON.stringify(text))
    assertProblem(answer, 400, 'validation_failed')
    assert.ok(exchange.closed)
    assert.equal(answer.headers.get('server'), null)
  }
  await assertFine(shop)
})

test('431: refuses many headers and large ones', async () => {
  const shop = await openShop(opened())
  const many = Array.from({ length: 1500 }, (_, index) => `X-${index}: ${'v'.repeat(10)}`)
  for (const lines of [many, [`X-Large: ${'x'.repeat(100_000)}`]]) {
    const { answers } = await sendRaw(opened(), rawRequest('GET', currencies, [...honest(shop), ...lines]))
    assertProblem(answers[0] as RawAnswer, 431, 'headers_too_large')
  }
  const longTarget = await sendRaw(opened(), rawRequest('GET', `${currencies}?${'x'.repeat(20_000)}`, honest(shop)))
  assertProblem(firstOf(longTarget), 431, 'headers_too_large')
  await assertFine(shop)
})

test('417: refuses an expectation other than 100-continue', async () => {
  const shop = await openShop(opened())
  for (const expect of ['200-ok', '']) {
    assertProblem(firstOf(await raw(shop, [`Expect: ${expect}`], body())), 417, 'expectation_failed')
  }
  const { answers } = await raw(shop, ['Expect: 100-continue', 'Content-Length: 2'], '{}', 2)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [100, 400],
  )
  await assertFine(shop)
})

// --- content types and methods

test('415: refuses every content type but application/json in UTF-8', async () => {
  const shop = await openShop(opened())
  for (const type of [
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/octet-stream',
    'json',
    '/',
  ]) {
    assertProblem(await post(shop, body(), { 'content-type': type }), 415, 'unsupported_media_type')
  }
  assertProblem(
    await post(shop, body(), { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    415,
    'unsupported_media_type',
  )
  for (const [index, type] of [
    'application/json; charset=UTF-8',
    'APPLICATION/JSON',
    'application/json;charset="utf-8"',
  ].entries()) {
    assert.equal((await post(shop, body({ orderId: `type-${index}` }), { 'content-type': type })).status, 201, type)
  }
})

test('405: refuses methods that the address does not allow, and names those that it does', async () => {
  const shop = await openShop(opened())
  for (const [method, path, allow] of [
    ['PUT', '/payments', 'GET, HEAD, POST'],
    ['PATCH', '/payments', 'GET, HEAD, POST'],
    ['DELETE', '/payments/byOrderId/order', 'GET, HEAD'],
    ['POST', '/payments/currencies', 'GET, HEAD'],
    ['PUT', '/payments/byOrderId/order/status', 'GET, HEAD'],
  ]) {
    const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
    const answer = await send(opened(), `${api}${path}`, { method: method ?? '', headers, body: '{}' })
    assertProblem(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.get('allow'), allow)
  }
  const trace = await sendRaw(opened(), rawRequest('TRACE', currencies, honest(shop)))
  assert.ok([404, 405].includes(firstOf(trace).status))
  assert.ok(!JSON.stringify(firstOf(trace).body).includes(shop.token))
})

test('X-HTTP-Method-Override and _method change nothing', async () => {
  const shop = await openShop(opened())
  const answer = await shop.get('/payments/currencies', {
    'x-http-method-override': 'DELETE',
    'x-method-override': 'POST',
  })
  assert.equal(answer.status, 200)
  assertProblem(await shop.post('/payments?_method=DELETE', '{}'), 400, 'validation_failed')
})

// --- browsers

test('403: every operation refuses what a browser marks as its own, before it checks the token', async () => {
  const shop = await openShop(opened())
  const marks: readonly Record<string, string>[] = [
    { origin: 'https://shop.example.com' },
    { origin: 'null' },
    { origin: 'http://payin.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const mark of marks) {
    const answers = [
      await shop.get('/payments/currencies', mark),
      await shop.get('/payments/bankIssuers', mark),
      await shop.get('/payments', mark),
      await shop.get('/payments/byOrderId/order', mark),
      await shop.get('/payments/byOrderId/order/status', mark),
      await shop.post('/payments', body(), mark),
      await shop.post('/payments/byOrderId/ack', { orderId: 'order' }, mark),
      await shop.post('/payments/byOrderId/cancel', { orderId: 'order' }, mark),
      await send(opened(), currencies, { headers: mark }),
      await send(opened(), '/api/v1/sandbox/payments/byOrderId/order/simulate', {
        method: 'POST',
        headers: { ...mark, authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
        body: '{"event":"paid"}',
      }),
    ]
    for (const answer of answers) assertProblem(answer, 403, 'browser_not_allowed')
  }
})

test('405: a CORS preflight gets no permission', async () => {
  for (const path of [
    '/payments',
    '/payments/currencies',
    '/payments/byOrderId/ack',
    '/payments/byOrderId/order/status',
  ]) {
    const answer = await send(opened(), api + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    assertProblem(answer, 405, 'method_not_allowed')
    for (const name of answer.headers.keys()) assert.doesNotMatch(name, /^access-control-/)
  }
})

// --- orderIds

const naughty = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'strings', 'blns.json')

const readBack = async (shop: Shop, orderId: string): Promise<void> => {
  const created = await shop.create(orderId, { amount: 100 + (counter++ % 20_000) })
  if (!isOrderId(orderId)) {
    assert.equal(created.status, 400, orderId)
    return
  }
  assert.equal(created.status, 201, `${orderId}: ${JSON.stringify(created.body)}`)
  assert.equal(created.body.payment.orderId, orderId)
  const path = `${api}/payments/byOrderId/${encodeURIComponent(orderId)}`
  for (const target of [path, `${path}/status`]) {
    const answer = await get(shop, target)
    assert.equal(answer.status, 200, `${target}: ${JSON.stringify(answer.body)}`)
    assert.deepEqual([answer.body.id, answer.body.orderId], [created.body.payment.id, orderId])
  }
  const ack = await shop.post('/payments/byOrderId/ack', { orderId })
  assertProblem(ack, 409, 'payment_not_paid')
}

let counter = 0

test('orderIds that look like parts of an address are read back as they are', async () => {
  const shop = await openShop(opened(), { perMethod: 8 })
  for (const orderId of [
    ...['.', '..', '...', '../..', '/', '//', 'a/b', 'a/status', 'status', 'ack', 'cancel', 'currencies', 'byOrderId'],
    ...[
      '%',
      '%2f',
      '%252f',
      '%00',
      '%zz',
      'a%20b',
      'a+b',
      'a b',
      ' ',
      '?',
      'a?wait=1',
      '#',
      'a#b',
      '&',
      '=',
      ';',
      ':',
      '@',
    ],
    ...[
      '"',
      "'",
      '\\',
      '\\u0000',
      '`',
      '$1',
      '${a}',
      '{}',
      '[]',
      '*',
      ':orderId',
      ',',
      'null',
      'NULL',
      'true',
      '-1',
      '1e309',
    ],
  ]) {
    await readBack(shop, orderId)
  }
})

test('naughty strings as an orderId are refused, or created and read back under exactly that orderId', {
  skip: existsSync(naughty) ? false : `there is no ${naughty}`,
}, async () => {
  const strings = JSON.parse(readFileSync(naughty, 'utf8')) as string[]
  assert.ok(strings.length > 400)
  const shop = await openShop(opened(), { perMethod: 8 })
  const unique = [...new Set(strings)]
  const lanes = Array.from({ length: 8 }, async () => {
    for (let next = unique.pop(); next !== undefined; next = unique.pop()) await readBack(shop, next)
  })
  await Promise.all(lanes)
})
