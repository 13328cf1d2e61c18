// Every address with every malformed path parameter: a documented 4xx, whoever asks.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { apiDocument } from '../support/api-document.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'

// Fails afterwards when any request was answered by internal_error.
const opened = shareService()

const malformed = [
  'x',
  '-'.repeat(36),
  '00000000-0000-0000-0000-00000000000g',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '%00',
  '%ff',
  '%zz',
  '%',
  '%f0%9f%92%a9',
  '..%2f..',
  '%27%3b--',
  '-1',
  '9'.repeat(40),
  'null',
  'x'.repeat(3000),
]

type Target = { readonly method: string; readonly path: string; readonly headers: Record<string, string> }

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a path over the wire unchanged: `fetch` would normalise it. */
const statusOf = ({ method, path, headers }: Target): Promise<number> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(opened().url)
    const body = method === 'get' ? '' : '{}'
    const sent = request(
      {
        agent,
        hostname,
        port,
        path,
        method: method.toUpperCase(),
        headers: { ...headers, 'content-length': body.length },
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => done(answer.statusCode ?? 0))
      },
    )
    sent.on('error', fail)
    sent.end(body)
  })

const operationsOf = (): { method: string; pattern: string }[] =>
  Object.entries(apiDocument['paths'] as Record<string, object>).flatMap(([pattern, operations]) =>
    Object.keys(operations).map((method) => ({ method, pattern })),
  )

const parameter = /\{[A-Za-z]+\}/g

test('no declared operation answers 500 to a malformed path parameter, whoever asks', async () => {
  const shop = await openShop(opened())
  const json = { 'content-type': 'application/json' }
  const signed = {
    'payin-timestamp': String(Math.floor(opened().clock.now / 1000)),
    'payin-signature': `v1=${'0'.repeat(64)}`,
  }
  const callerOf = (pattern: string): Record<string, string> => {
    if (pattern.startsWith('/api/v1/feeds')) return signed
    return {
      authorization: `Bearer ${pattern.startsWith('/api/v1/operator') ? opened().operatorToken : shop.token}`,
    }
  }
  const operations = operationsOf().filter(({ pattern }) => pattern.includes('{'))
  assert.ok(operations.length > 60, `only ${operations.length} operations`)
  const targets = operations.flatMap(({ method, pattern }) =>
    malformed.flatMap((value) =>
      [{}, callerOf(pattern)].map((caller) => ({
        method,
        path: pattern.replace(parameter, () => value),
        headers: { ...json, ...caller },
      })),
    ),
  )
  const failed: string[] = []
  const lanes = Array.from({ length: 16 }, async () => {
    for (let next = targets.pop(); next; next = targets.pop()) {
      const status = await statusOf(next)
      if (status < 200 || status >= 500) failed.push(`${status} ${next.method} ${next.path.slice(0, 120)}`)
    }
  })
  await Promise.all(lanes)
  assert.deepEqual(failed.slice(0, 20), [])
})

test("no address of the payer's page answers 500 to a malformed parameter", async () => {
  const parts = ['', '/link', '/code', '/banks', '/receipt', '/events', '/method']
  const failed: string[] = []
  for (const value of malformed) {
    const bases = [`/${value}/payment-sbp`, `/en/${value}/payment-sbp`, `/${value}/${value}/payment-sbp`]
    const pages = bases.flatMap((base) => parts.map((part) => `${base}${part}`))
    const assets = [`/assets/accent/${value}`, `/assets/logo/${value}`, `/assets/${value}/page.css`, `/${value}`]
    for (const path of [...pages, ...assets]) {
      const status = await statusOf({ method: 'get', path, headers: { accept: 'text/html' } })
      if (status < 200 || status >= 500) failed.push(`${status} ${path.slice(0, 120)}`)
    }
  }
  assert.deepEqual(failed.slice(0, 20), [])
})

test('400: a feed id that is no UUID is refused before the signature is looked at', async () => {
  for (const id of ['-'.repeat(36), 'x'.repeat(36), '0'.repeat(36)]) {
    const answer = await send(opened(), `/api/v1/feeds/${id}/transfers`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'payin-timestamp': String(Math.floor(opened().clock.now / 1000)),
        'payin-signature': `v1=${'0'.repeat(64)}`,
      },
      body: '{"transfers":[]}',
    })
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.equal(answer.body.errors[0].field, 'id')
  }
})

test('401: an operation says nothing about its parameters to a caller without a token', async () => {
  const operator = openOperator(opened())
  for (const id of ['x', unknownId]) {
    assert.equal((await send(opened(), `/api/v1/operator/merchants/${id}`, {})).status, 401)
  }
  assert.equal((await operator.get('/merchants/x')).status, 400)
})

test('a malformed checkout path gets a page in a browser and a problem document elsewhere', async () => {
  const paths = [
    '/%zz/payment-sbp',
    '/en/%ff/payment-sbp',
    `/${'x'.repeat(3000)}/payment-sbp`,
    '/%c0%af',
    '/%/payment-sbp',
  ]
  for (const path of paths) {
    for (const accept of ['text/html,*/*;q=0.8', '*/*']) {
      const bytes = rawRequest('GET', path, ['Host: payin.test', `Accept: ${accept}`])
      const { answers } = await sendRaw(opened(), bytes)
      const [answer] = answers
      assert.ok(answer && [400, 404].includes(answer.status), `${path}: ${answer?.status}`)
      const type = accept.startsWith('text/html') ? /^text\/html; charset=utf-8$/ : /^application\/problem\+json/
      assert.match(answer.headers.get('content-type') ?? '', type, path)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      if (accept.startsWith('text/html')) assert.match(String(answer.body), /<main>/)
    }
  }
})
