// The SDK against a real service, and against servers that fail in the ways that networks do.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { operations } from '../../sdk/src/api.ts'
import {
  Payin,
  PayinConnectionError,
  PayinError,
  PayinTimeoutError,
  WebhookError,
  webhooks,
} from '../../sdk/src/payin-sdk.ts'
import { writeLibrary } from '../../scripts/pack.ts'
import { sdkSource } from '../../scripts/describe-sdk.ts'
import { hour } from '../../src/rules/time.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { within } from '../support/waiting.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)
const direct = { type: 'direct', amount: 5000, currency: 'rub', method: 'sbp' } as const

describe('the SDK', () => {
  const service = shareService()
  const openPayin = async (options: Parameters<typeof openShop>[1] = {}) => {
    const shop = await openShop(service(), options)
    const sent = { requests: 0 }
    const counted: typeof fetch = (url, init) => {
      sent.requests++
      return fetch(url, init)
    }
    return { shop, sent, payin: new Payin({ baseUrl: `${service().url}/api/v1`, token: shop.token, fetch: counted }) }
  }

  test('has a method for every operation of a merchant, as the OpenAPI document has them', () => {
    const made = sdkSource(read('docs/openapi.json'), Object.keys(errorCodes))
    const inOneLine = (text: string) => text.replace(/[\s|]+/g, '')
    assert.equal(inOneLine(read('sdk/src/api.ts')), inOneLine(made), 'run npm run generate')
    const source = read('sdk/src/payin.ts')
    for (const name of Object.keys(operations)) assert.match(source, new RegExp(`'${name}'`), name)
  })

  test('creates a payment, waits until it is paid, and acknowledges it', async () => {
    const { payin } = await openPayin()
    const [rub] = await payin.payments.currencies()
    assert.deepEqual(rub, { code: 'rub', min: 100, max: 300_000 })
    const made = await payin.payments.create({ ...direct, amount: 5000.37, orderId: 'first' })
    assert.equal(made.payment.amount, 5000.37)
    assert.match(made.card.phone ?? '', /^7\d{10}$/)
    const waiting = payin.payments.waitFor('first')
    await payIn(service(), { requisiteId: made.card.id, minor: 500_037n })
    await service().runJobs()
    assert.equal((await waiting).status, 'paid')
    const { acknowledgedAt } = await payin.payments.ack('first', 'paid')
    assert.equal((await payin.payments.ack('first')).acknowledgedAt, acknowledgedAt)
    assert.equal((await payin.payments.get('first')).status, 'paid')
    assert.ok((await payin.balance.get()).available > 0)
    const entries = await Array.fromAsync(payin.balance.entries())
    assert.deepEqual(
      entries.map(({ kind, orderId }) => ({ kind, orderId })),
      [{ kind: 'credit', orderId: 'first' }],
    )
  })

  test('of the same order with the same values there is one payment; with others it says which field differs', async () => {
    const { payin } = await openPayin()
    const body = { ...direct, orderId: 'again' }
    const all = await Promise.all(Array.from({ length: 5 }, () => payin.payments.create(body)))
    assert.equal(new Set(all.map(({ payment }) => payment.id)).size, 1)
    await assert.rejects(payin.payments.create({ ...body, amount: 5001 }), (error) => {
      assert.ok(error instanceof PayinError)
      assert.deepEqual([error.code, error.status], ['order_conflict', 409])
      assert.deepEqual(
        error.errors.map(({ field }) => field),
        ['amount'],
      )
      assert.match(error.requestId ?? '', /./)
      return true
    })
  })

  test('order ids of any letters are found, and lists go through all pages', async () => {
    const { payin } = await openPayin({ perMethod: 8 })
    const orderIds = ['a/b?c#d', 'заказ №5', '100%', '...', 'x y']
    for (const [index, orderId] of orderIds.entries())
      await payin.payments.create({ ...direct, amount: 5000 + index, orderId })
    for (const orderId of orderIds) assert.equal((await payin.payments.get(orderId)).orderId, orderId)
    const listed = await Array.fromAsync(payin.payments.list({ limit: 2 }))
    assert.deepEqual(listed.map(({ orderId }) => orderId).toSorted(), orderIds.toSorted())
    await payin.payments.cancel('100%')
    assert.equal((await payin.payments.waitFor('100%')).status, 'canceled')
    const csv = await payin.payments.csv({ status: 'canceled' })
    assert.match(csv, /100%/)
  })

  test('waiting ends after its time, or by a signal', async () => {
    const { payin } = await openPayin()
    await payin.payments.create({ ...direct, orderId: 'slow' })
    await assert.rejects(payin.payments.waitFor('slow', { timeoutMs: 500 }), PayinTimeoutError)
    const stop = new AbortController()
    const waiting = payin.payments.waitFor('slow', { signal: stop.signal })
    setImmediate(() => stop.abort(new Error('enough')))
    await assert.rejects(waiting, /enough/)
  })

  test('what is answered at once is not asked without pause', async () => {
    const { payin, sent } = await openPayin()
    await payin.payments.create({ ...direct, orderId: 'closed' })
    const there = payin.payments.waitFor('closed', { until: ['new'], timeoutMs: 60_000 })
    assert.equal((await within('a status that is there already is answered', there)).status, 'new')
    await payin.payments.cancel('closed')
    const waiting = payin.payments.waitFor('closed', { until: ['paid'], timeoutMs: 1500 })
    await assert.rejects(waiting, PayinTimeoutError)
    assert.ok(sent.requests <= 6, `${sent.requests} requests`)
  })

  test('disputes, endpoints and the feed of events', async () => {
    const { payin } = await openPayin()
    await payin.payments.create({ ...direct, orderId: 'disputed' })
    service().clock.advance(2 * hour)
    await service().runJobs()
    await payin.disputes.open('disputed', { amount: 4900, note: 'sent in two parts' })
    const { evidence } = await payin.disputes.addEvidence('disputed', new Blob([png], { type: 'image/png' }))
    assert.equal(evidence.length, 1)
    assert.equal((await payin.disputes.withdraw('disputed')).state, 'withdrawn')
    const { events, cursor } = await payin.events()
    assert.equal(events[0]?.type, 'payment.expired')
    const later = await payin.events({ after: cursor })
    assert.ok(later.events.every(({ id }) => id !== events[0]?.id))
    const endpoint = await payin.endpoints.create({ url: 'https://shop.example.com/payin', kinds: ['payment.paid'] })
    assert.match(endpoint.secret, /^whsec_/)
    assert.notEqual((await payin.endpoints.rotate(endpoint.id, { overlapMs: 0 })).secret, endpoint.secret)
    assert.deepEqual(
      (await payin.endpoints.list()).map(({ id }) => id),
      [endpoint.id],
    )
    assert.deepEqual(await Array.fromAsync(payin.endpoints.deliveries(endpoint.id)), [])
    await payin.endpoints.remove(endpoint.id)
    assert.deepEqual(await Array.fromAsync(payin.balance.settlements()), [])
    assert.equal((await payin.me()).name, 'Test Shop')
  })

  test('money is simulated in the sandbox', async () => {
    const { payin } = await openPayin({ mode: 'sandbox' })
    await payin.payments.create({ ...direct, orderId: 'toy' })
    const { event } = await payin.sandbox.simulate('toy', { event: 'paid' })
    assert.equal(event, 'paid')
    await service().runJobs()
    assert.equal((await payin.payments.status('toy')).status, 'paid')
    await payin.payments.create({ ...direct, orderId: 'slow' })
    assert.equal((await payin.sandbox.turnClock({ forwardMs: 7_200_000 })).payments, 1)
    assert.equal((await payin.payments.status('slow')).status, 'expired')
    assert.match(await payin.sandbox.statement(), />5000\.00</)
  })
})

describe('the SDK, when a network or a server fails', () => {
  const open = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const payin = new Payin({ baseUrl: `http://127.0.0.1:${port}/`, token: 'payin_test', timeoutMs: 5000 })
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { payin, close }
  }
  const answerJson = (response: Parameters<RequestListener>[1], status: number, body: unknown, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

  test('what may be repeated is: after a cut connection, a 500, and as long as Retry-After says', async () => {
    let calls = 0
    const { payin, close } = await open((request, response) => {
      calls++
      if (calls === 1) request.socket.destroy()
      else if (calls === 2) answerJson(response, 500, { code: 'internal_error' })
      else if (calls === 3) answerJson(response, 503, { code: 'overloaded' }, { 'retry-after': '0' })
      else answerJson(response, 201, { payment: { id: 'x' } })
    })
    const { payment } = await payin.payments.create({ ...direct, orderId: 'a' })
    assert.deepEqual([payment.id, calls], ['x', 4])
    close()
  })

  test('a setting that is missing is named at once, and a failed connection with its cause and address', async () => {
    const unset = process.env['PAYIN_SETTING_THAT_NOBODY_SETS']!
    assert.throws(() => new Payin({ baseUrl: unset, token: 'x' }), /^TypeError: baseUrl must be .* and is empty$/)
    assert.throws(() => new Payin({ baseUrl: 'localhost:8080', token: 'x' }), /and is localhost:8080$/)
    assert.throws(() => new Payin({ baseUrl: 'http://localhost:8080', token: unset }), /^TypeError: token must be /)
    const { payin, close } = await open(() => {})
    close()
    await assert.rejects(
      payin.endpoints.create({ url: 'https://shop.example.com' }),
      /^PayinConnectionError: no answer: connect ECONNREFUSED 127\.0\.0\.1:\d+ \(http:\/\/127\.0\.0\.1:\d+\/\)$/,
    )
  })

  test('what may not be repeated is sent once', async () => {
    let calls = 0
    const { payin, close } = await open((request) => {
      calls++
      request.socket.destroy()
    })
    await assert.rejects(payin.endpoints.create({ url: 'https://shop.example.com' }), PayinConnectionError)
    assert.equal(calls, 1)
    close()
  })

  test('a refusal is not repeated, and an answer of a proxy is an error, too', async () => {
    let calls = 0
    const { payin, close } = await open((_, response) => {
      calls++
      if (calls === 1) answerJson(response, 422, { code: 'amount_below_min', detail: 'at least 100' })
      else response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>Too large</h1>')
    })
    const refused = await payin.payments.create({ ...direct, orderId: 'a' }).catch((error: unknown) => error)
    assert.ok(refused instanceof PayinError)
    assert.deepEqual([refused.code, refused.message], ['amount_below_min', 'at least 100'])
    const byProxy = await payin.payments.create({ ...direct, orderId: 'a' }).catch((error: unknown) => error)
    assert.ok(byProxy instanceof PayinError)
    assert.deepEqual([byProxy.code, byProxy.status, calls], ['unknown', 413, 2])
    close()
  })

  test('a long Retry-After is left to the caller', async () => {
    const { payin, close } = await open((_, response) =>
      answerJson(response, 409, { code: 'requisites_unavailable' }, { 'retry-after': '600' }),
    )
    const refused = await payin.payments.create({ ...direct, orderId: 'a' }).catch((error: unknown) => error)
    assert.ok(refused instanceof PayinError)
    assert.equal(refused.retryAfterMs, 600_000)
    close()
  })

  test('the token goes to no other address than the given one', async () => {
    let seen = ''
    const other = createServer((request) => (seen = String(request.headers.authorization))).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { payin, close } = await open((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }).end(),
    )
    await assert.rejects(payin.endpoints.test('x'), (error) => {
      assert.ok(error instanceof PayinError)
      assert.deepEqual([error.status, error.code], [307, 'unknown'])
      assert.match(error.message, /^baseUrl redirects to http:\/\/127\.0\.0\.1:\d+\/: set it to the address of Payin$/)
      return true
    })
    assert.equal(seen, '')
    close()
    other.close()
  })
})

describe('the SDK verifies notifications', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
  const sign = (body: string, at = new Date(), by = secret) => ({
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('event-1', at, body),
  })
  const inLists = (headers: object) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [String(value)]]))
  const body = JSON.stringify({
    type: 'payment.paid',
    timestamp: '2026-01-31T12:30:00.000Z',
    data: { orderId: 'заказ' },
  })

  test('as an independent library signs them, in text and bytes, by the headers of Node.js and of fetch', async () => {
    const headers = sign(body)
    for (const [given, as] of [
      [body, headers],
      [Buffer.from(body), new Headers(headers)],
      [new Uint8Array(Buffer.from(body)).buffer, inLists(headers)],
    ] as const) {
      const { type, data } = await webhooks.verify({ body: given, headers: as, secret })
      assert.deepEqual([type, data], ['payment.paid', { orderId: 'заказ' }])
    }
    const old = `whsec_${Buffer.from('another secret').toString('base64')}`
    await webhooks.verify({ body, headers: sign(body, new Date(), old), secret: [secret, old] })
  })

  test('no other body, secret, id or time', async () => {
    const headers = sign(body)
    const wrong = [
      { body: body.replace('paid', 'paiD'), headers, secret },
      { body, headers, secret: `whsec_${Buffer.from('another secret').toString('base64')}` },
      { body, headers: { ...headers, 'webhook-id': 'event-2' }, secret },
      { body, headers: { ...headers, 'webhook-timestamp': 'NaN' }, secret },
      { body, headers: { ...headers, 'webhook-signature': 'v1,!' }, secret },
      { body, headers: sign(body, new Date(Date.now() - 360_000)), secret },
      { body, headers: {}, secret },
      { body, headers, secret: '' },
    ]
    for (const each of wrong) await assert.rejects(webhooks.verify(each), WebhookError)
  })

  test('a body that is not as received is refused with what to pass instead', async () => {
    for (const parsed of [JSON.parse(body), {}, undefined, null, [1], 1, Promise.resolve(body)])
      await assert.rejects(webhooks.verify({ body: parsed, headers: sign(body), secret }), {
        name: 'WebhookError',
        message: /^the body is .*: pass the bytes as received.*express\.raw\(\{ type: '\*\/\*' \}\)/,
      })
  })

  test('headers and secrets that are missing are named, whatever is there instead', async () => {
    const headers = sign(body)
    for (const missing of [undefined, null, '', [], {}, [undefined], ['']])
      await assert.rejects(webhooks.verify({ body, headers, secret: missing as never }), {
        name: 'WebhookError',
        message: /^the secret is missing, or not a secret/,
      })
    for (const missing of [undefined, null, {}, { ...headers, 'webhook-signature': undefined }, new Headers()])
      await assert.rejects(webhooks.verify({ body, headers: missing as never, secret }), {
        name: 'WebhookError',
        message: /^the header webhook-\w+ is missing/,
      })
    await webhooks.verify({ body, headers, secret: [secret, undefined as never] })
  })
})

describe('the package of the SDK', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')

  test('is built, typed, without dependencies, and small', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payin-sdk-'))
    try {
      writeLibrary(join(root, 'sdk'), join(folder, 'payin-sdk'))
      const described = JSON.parse(readFileSync(join(folder, 'payin-sdk/package.json'), 'utf8'))
      assert.deepEqual([described.dependencies, described.files], [undefined, ['dist']])
      for (const path of [described.exports['.'].types, described.exports['.'].default])
        assert.ok(existsSync(join(folder, 'payin-sdk', path)), path)
      symlinkSync(folder, join(folder, 'node_modules'))
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(
        join(folder, 'shop.ts'),
        `import { Payin, PayinError, webhooks } from 'payin-sdk'
const payin = new Payin({ baseUrl: 'https://pay.example.com', token: 'x' })
const { card, redirectUrl }: { card: { phone?: string }; redirectUrl: string } = await payin.payments.create({
  type: 'direct', amount: 5000, orderId: 'a', currency: 'rub', method: 'sbp' })
// @ts-expect-error -- no such method of payment
await payin.payments.create({ type: 'direct', amount: 1, orderId: 'a', currency: 'rub', method: 'cash' })
payin.payments.list({ status: 'paid', acknowledged: false, amountFrom: 0.5, limit: 10, sort: '-amount', count: true })
void payin.payments.status('a', { wait: 25 })
// @ts-expect-error -- no such status
payin.payments.list({ status: 'payed' })
// @ts-expect-error -- a number as text
payin.payments.list({ limit: '10' })
// @ts-expect-error -- a truth value as text
payin.payments.list({ acknowledged: 'false' })
// @ts-expect-error -- no such filter
payin.payments.list({ state: 'paid' })
export { card, redirectUrl, PayinError, webhooks }
`,
      )
      const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false']
      const libraries = ['--lib', 'es2022,dom,dom.iterable']
      execFileSync(process.execPath, [tsc, ...strict, ...libraries, 'shop.ts'], { cwd: folder })
      const { rolldown } = await import('rolldown')
      const bundle = await rolldown({ input: join(folder, 'payin-sdk/dist/payin-sdk.js'), platform: 'neutral' })
      const { output } = await bundle.generate({ minify: true })
      await bundle.close()
      const bytes = output.reduce((sum, each) => sum + Buffer.byteLength(each.type === 'chunk' ? each.code : ''), 0)
      assert.ok(bytes <= 15 * 1024, `${bytes} bytes minified`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
