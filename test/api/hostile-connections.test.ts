// Connections that ask and never read, break off, stay open or come in masses: the process keeps its memory, and others are
// served as before.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestService, type TestService } from '../support/service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'
import { until, within } from '../support/waiting.ts'
import { askOnce, openSocket, serveUnread } from '../support/unread-pipelines.ts'

const open = (service: TestService): Promise<Socket> => openSocket(service.url)

const get = (path: string, ...lines: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: payin.test', ...lines].join('\r\n')}\r\n\r\n`

/** What a socket receives from now on, as text. */
const receivedBy = (socket: Socket): (() => string) => {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  return () => text
}

const withService = async (
  environment: Record<string, string>,
  run: (service: TestService) => Promise<void>,
): Promise<void> => {
  const service = await openTestService('embedded', environment)
  try {
    await run(service)
  } finally {
    await service.stop()
  }
}

/** What a client asks for that pipelines and never reads; each needs no token, or the shop's. */
const unread: readonly (readonly [title: string, path: string, lines: (shop: Shop) => string[]])[] = [
  ['the OpenAPI document', '/openapi.json', () => []],
  ['the OpenAPI document, compressed', '/openapi.json', () => ['Accept-Encoding: br']],
  ["the page's assets", '/assets/accent/aabbcc.css', () => []],
  ['unknown pages', '/x/payment-sbp', () => ['Accept: text/html']],
  ['unknown addresses', '/none', () => []],
  ['a list of banks', '/api/v1/merchant/payments/bankIssuers', (shop) => [`Authorization: Bearer ${shop.token}`]],
]
const clients = 8
/**
 * Requests of each client: more than may wait, so that it is cut off, and as many as may wait, so that the service goes
 * on for as long as it keeps answers.
 */
const pipelines = [1400, 400] as const
/** Answers that may be built ahead of a poll: each client has a few requests at work in a turn, and a poll takes some turns. */
const mostAhead = clients * 16
/** Bytes of answers that may wait for one client: 256 kB, one more answer, and one that was begun before any waited. */
const mostKept = (answerBytes: number): number => 256 * 1024 + 2 * answerBytes
const mostMemory = 64e6

const pollOf = (shop: Shop): string =>
  get('/api/v1/merchant/payments/currencies', `Authorization: Bearer ${shop.token}`)

/** The size of an answer; what is made once, for the first one, is made then. */
const sizeOf = async (service: TestService, request: string): Promise<number> => {
  const socket = await open(service)
  const bytes = await askOnce(socket, request)
  socket.destroy()
  return bytes
}

test('eight connections that pipeline up to 1,400 requests and read nothing cost no memory, and others do not notice', async () => {
  await withService({ PAYIN_PAGE_RATE_LIMIT: '0' }, async (service) => {
    const shop = await openShop(service)
    for (const [title, path, lines] of unread) {
      const request = get(path, ...lines(shop))
      const most = mostKept(await sizeOf(service, request))
      for (const count of pipelines) {
        const given = { clients, requests: request.repeat(count), poll: pollOf(shop) }
        const served = await serveUnread(service.app.server, service.url, given)
        const shown = `${title}, ${count} times: ${JSON.stringify(served)}`
        assert.ok(served.built > 0 && served.mostAhead <= mostAhead, shown)
        assert.ok(served.mostKept <= most && served.memory < mostMemory, shown)
      }
    }
  })
})

test('control: without limits they are answered before a poll, and their answers are kept', async () => {
  await withService({ PAYIN_PAGE_RATE_LIMIT: '0' }, async (service) => {
    const shop = await openShop(service)
    const bare = createServer((request, response) => service.app.routing(request, response)).listen(0, '127.0.0.1')
    await once(bare, 'listening')
    const { port } = bare.address() as AddressInfo
    const serveAll = (request: string) =>
      serveUnread(bare, `http://127.0.0.1:${port}`, { clients, requests: request.repeat(400), poll: pollOf(shop) })
    try {
      const small = await serveAll(get('/none'))
      assert.ok(small.mostAhead > 10 * mostAhead, JSON.stringify(small))
      const document = get('/openapi.json', 'Accept-Encoding: br')
      const most = mostKept(await sizeOf(service, document))
      const large = await serveAll(document)
      assert.ok(large.mostKept > 10 * most, JSON.stringify(large))
    } finally {
      bare.closeAllConnections()
      bare.close()
    }
  })
})

test('a client that sends more requests at once than may wait is cut off', async () => {
  await withService({}, async (service) => {
    const socket = await open(service)
    const text = receivedBy(socket)
    const closed = new Promise((done) => socket.once('end', done).once('close', done))
    socket.write(get('/none').repeat(1400))
    await within('the connection is closed', closed)
    assert.ok(text().split('HTTP/1.1 404').length < 1400)
    socket.destroy()
  })
})

test('pipelined requests are answered in their order, and a client that reads gets all of them', async () => {
  await withService({}, async (service) => {
    const socket = await open(service)
    const text = receivedBy(socket)
    const paths = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? '/healthz' : `/none-${index}`))
    socket.write(paths.map((path) => get(path)).join(''))
    await until('all are answered', () => text().split('HTTP/1.1 ').length > 300, 60_000)
    const statuses = [...text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    assert.deepEqual(
      statuses,
      paths.map((path) => (path === '/healthz' ? 200 : 404)),
    )
    socket.write(get('/healthz'))
    await once(socket, 'data')
    socket.destroy()
  })
})

test('a client that pipelines thousands of requests over several reads, and reads the answers, gets all of them', async () => {
  await withService({ PAYIN_PAGE_RATE_LIMIT: '0' }, async (service) => {
    const socket = await open(service)
    const count = 3000
    const text = receivedBy(socket)
    // Not more of them in one read of the socket than may wait.
    socket.write(get('/none', `X-Long: ${'x'.repeat(200)}`).repeat(count))
    await until('all are answered', () => text().split('HTTP/1.1 404').length > count, 60_000)
    socket.destroy()
  })
})

test('an answer to a malformed request never comes before the answers to those ahead of it', async () => {
  await withService({}, async (service) => {
    const shop = await openShop(service)
    await shop.create('order')
    const poll = get(
      '/api/v1/merchant/payments/byOrderId/order/status?wait=1&since=1',
      `Authorization: Bearer ${shop.token}`,
    )
    const socket = await open(service)
    const text = receivedBy(socket)
    socket.write(`${get('/readyz')}${poll}not http\r\n\r\n`)
    await once(socket, 'end')
    const statuses = [...text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    assert.equal(statuses[0], 200, text())
    assert.ok(statuses.length <= 1 || statuses.at(-1) === 400)
    socket.destroy()
  })
})

const closedWithin = (socket: Socket, ms: number): Promise<boolean> =>
  new Promise((done) => {
    const limit = setTimeout(() => done(false), ms)
    socket.on('close', () => {
      clearTimeout(limit)
      done(true)
    })
  })

const countOf = (service: TestService): Promise<number> =>
  new Promise((done, fail) => {
    service.app.server.getConnections((error, count) => (error ? fail(error) : done(count)))
  })

test('after a client error the connection is gone soon, whether or not the client closes its side', async () => {
  await withService({}, async (service) => {
    const attempts = ['not http\r\n\r\n', get('/x', `X: ${'x'.repeat(20_000)}`), '\x16\x03\x01\x02\0\x01\r\n\r\n']
    for (const text of attempts) {
      // Neither closes nor, the second time, reads.
      for (const isRead of [true, false]) {
        const socket = await open(service)
        if (isRead) socket.resume()
        else socket.pause()
        socket.write(text)
      }
    }
    const before = await countOf(service)
    assert.ok(before <= attempts.length * 2)
    for (let waited = 0; waited < 600 && (await countOf(service)) > 0; waited++) await sleep(50)
    assert.equal(await countOf(service), 0)
  })
})

test('the body that goes on after its answer ends the connection', async () => {
  await withService({}, async (service) => {
    const socket = await open(service)
    socket.resume()
    socket.write('POST /api/v1/merchant/payments HTTP/1.1\r\nHost: payin.test\r\nContent-Length: 60000\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 100)
    const isClosed = await closedWithin(socket, 30_000)
    clearInterval(drip)
    socket.destroy()
    assert.ok(isClosed, 'still open')
  })
})

test('one address has its share of the connections, and a trusted proxy all of them', async () => {
  const fill = async (service: TestService, most: number): Promise<number> => {
    const sockets = await Promise.all(Array.from({ length: 12 }, () => open(service)))
    await until('as many as may be are open', async () => (await countOf(service)) === most)
    await sleep(100)
    const count = await countOf(service)
    for (const socket of sockets) socket.destroy()
    while ((await countOf(service)) > 0) await sleep(10)
    return count
  }
  await withService({ PAYIN_CONNECTIONS_PER_ADDRESS: '5' }, async (service) => {
    assert.equal(await fill(service, 5), 5)
    // What was closed makes room again.
    assert.equal((await send(service, '/healthz')).status, 200)
    assert.equal(service.logs.filter((line) => line.includes('PAYIN_TRUST_PROXY')).length, 1)
  })
  await withService({ PAYIN_CONNECTIONS_PER_ADDRESS: '5', PAYIN_TRUST_PROXY: '127.0.0.0/8' }, async (service) => {
    assert.equal(await fill(service, 12), 12)
  })
  await withService({ PAYIN_CONNECTIONS: '7', PAYIN_CONNECTIONS_PER_ADDRESS: '0' }, async (service) => {
    assert.equal(await fill(service, 7), 7)
  })
})

test('the OpenAPI document is sent compressed, and not again to a client that has it', async () => {
  await withService({}, async (service) => {
    const first = await send(service, '/openapi.json', { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-encoding'), 'gzip')
    assert.equal(first.body.openapi, '3.1.0')
    const tag = first.headers.get('etag') ?? ''
    assert.match(tag, /^"[0-9a-f]{16}-gzip"$/)
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': tag }
    assert.equal((await send(service, '/openapi.json', { headers })).status, 304)
  })
})

test('a connection that is cut, as by a proxy, is not logged as a refused request', async () => {
  await withService({}, async (service) => {
    const socket = await open(service)
    socket.write(get('/healthz'))
    await once(socket, 'data')
    socket.resetAndDestroy()
    const half = await open(service)
    half.write('GET /healthz HTTP/1.1\r\nHost: pay')
    await sleep(50)
    half.resetAndDestroy()
    await sleep(100)
    assert.deepEqual(
      service.logs.filter((line) => line.includes('validation_failed')),
      [],
    )
  })
})
