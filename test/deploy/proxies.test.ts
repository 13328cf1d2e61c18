// The examples of reverse proxies, run by the programs that they are for, in front of a real service.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueToken } from '../../src/engine/merchants/tokens.ts'
import { createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { freePort } from '../support/process.ts'
import { checkProxy, proxyNames, type StartedProxy, startProxy, withoutProxy } from '../support/proxies.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { payIn, send, type Shop } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

const metricsToken = 'payin_test_metrics_token_0123456789abcdef'
/** Where the client is: not an address that the service trusts. */
const client = '127.0.0.2'
const forged = '203.0.113.9'

let service: TestService
let shop: Shop

before(async () => {
  service = await openTestService(usualEngine(), {
    PAYIN_TRUST_PROXY: '127.0.0.1',
    PAYIN_METRICS_TOKEN: metricsToken,
  })
  shop = await openBookshop(service)
})
after(() => service.stop())

type Sent = { readonly status: number; readonly body: string }

/** A request of the client, with headers as they are. */
const ask = (proxy: StartedProxy, path: string, headers: Record<string, string | string[]> = {}): Promise<Sent> =>
  new Promise((done, fail) => {
    const options = { localAddress: client, headers, rejectUnauthorized: false, agent: false as const }
    const sent = request(proxy.url + path, options, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => (body += text))
      answer.on('end', () => done({ status: answer.statusCode ?? 0, body }))
    })
    sent.on('error', fail)
    sent.end()
  })

/** A token that works from one address only. */
const tokenFor = async (address: string): Promise<string> => {
  const wanted = { merchantId: shop.merchantId, name: address, scopes: ['payments:read' as const], expiresAt: null }
  const issued = await service.context.transaction((tx) => issueToken(tx, { ...wanted, allowList: [address] }))
  return issued.token
}

const claims: Readonly<Record<string, string | string[]>> = {
  'X-Forwarded-For': [forged, `${forged}, 127.0.0.1`],
  'X-Real-IP': forged,
  Forwarded: `for=${forged}`,
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'http',
}

/** The first bytes of a PDF of that size. */
const pdfOf = (bytes: number): FormData => {
  const content = Buffer.alloc(bytes, ' ')
  content.write('%PDF-1.7\n')
  const form = new FormData()
  form.set('receipt', new Blob([content]), 'receipt.pdf')
  return form
}

for (const name of proxyNames) {
  describe(name, { skip: withoutProxy(name) ?? false }, () => {
    let proxy: StartedProxy
    before(async () => {
      assert.equal(checkProxy(name), '')
      proxy = await startProxy(name, [new URL(service.url).host])
    })
    after(() => proxy.stop())

    test('the address of a client is that of its connection, whatever it says', async () => {
      const path = '/api/v1/merchant/payments/byOrderId/nobody'
      const own = { authorization: `Bearer ${await tokenFor(client)}` }
      const foreign = { authorization: `Bearer ${await tokenFor(forged)}` }
      assert.equal((await ask(proxy, path, own)).status, 404)
      assert.equal((await ask(proxy, path, { ...own, ...claims })).status, 404)
      assert.match((await ask(proxy, path, { ...foreign, ...claims })).body, /address_not_allowed/)
      const line = service.logs.findLast((each) => each.includes('address_not_allowed')) ?? ''
      assert.equal((JSON.parse(line) as { ip: string }).ip, client)
    })

    test('a stream passes event by event, and a file of the largest size that is allowed', async () => {
      const page = await createStatePage(shop, name)
      const { body } = await fetch(`${proxy.url}${page.path}/events`, { signal: AbortSignal.timeout(30_000) })
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      const next = async (): Promise<string> => String((await reader?.read())?.value)
      assert.match(await next(), /^retry: /)
      assert.equal((await sendForm({ url: proxy.url }, `${page.path}/claim`, {})).status, 303)
      assert.equal(await next(), 'data: changed\n\n')
      assert.equal((await sendForm({ url: proxy.url }, `${page.path}/receipt`, pdfOf(5 * 1024 * 1024))).status, 303)
      await payIn(service, { requisiteId: page.requisiteId, minor: 500_037n })
      // Between them are comments that keep the connection open.
      while (!(await next()).includes('data: changed\n\n'));
      await reader?.cancel()
    })

    test('a statement that is larger than what payers may send reaches Payin', async () => {
      const statement = camtOf({ account: 'A', rows: [] }) + ' '.repeat(8 * 1024 * 1024)
      const answer = await uploadFile({ url: proxy.url, operatorToken: service.operatorToken }, statement)
      assert.equal(answer.body.code, 'statement_refused', String(answer.status))
    })

    test('nobody outside sees /metrics, and no log has the path of a page', async () => {
      const headers = { authorization: `Bearer ${metricsToken}` }
      assert.equal((await send(service, '/metrics', { headers })).status, 200)
      for (const path of ['/metrics', '/metrics?a', '/%6detrics', '/metrics/']) {
        const { status, body } = await ask(proxy, path, headers)
        assert.deepEqual([status, body.includes('payin_')], [404, false], path)
      }
      await sleep(50)
      const logs = globSync(`${proxy.folder}/*.log`).map((file) => readFileSync(file, 'utf8'))
      assert.ok(logs.every((text) => !text.includes('payment-sbp')))
    })
  })
}

test('while no node is ready, HAProxy asks one all the same', { skip: withoutProxy('haproxy') ?? false }, async () => {
  let isReady = true
  const node = createServer(({ url }, response) => response.writeHead(isReady ? 200 : 503).end(url))
  await once(node.listen(0, '127.0.0.1'), 'listening')
  const { port } = node.address() as AddressInfo
  // The other node is gone.
  const nodes = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${port}`]
  const proxy = await startProxy('haproxy', nodes, (text) => text.replace('inter 2s', 'inter 20ms'))
  try {
    assert.deepEqual(await ask(proxy, '/a'), { status: 200, body: '/a' })
    isReady = false
    await sleep(500)
    for (const path of ['/b', '/c', '/d']) assert.deepEqual(await ask(proxy, path), { status: 503, body: path })
  } finally {
    await proxy.stop()
    node.close()
  }
})
