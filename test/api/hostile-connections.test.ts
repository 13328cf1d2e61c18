// Connections that ask and never read, break off, stay open or come in masses: the process keeps its memory, and others are
// served as before.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestService, type TestService } from '../support/service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'
import { workOf } from '../support/work-of.ts'

const open = async (service: TestService): Promise<Socket> => {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const get = (path: string, ...lines: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: payin.test', ...lines].join('\r\n')}\r\n\r\n`

const rss = (): number => process.memoryUsage().rss

/** The most memory that the process has while `work` runs; the sockets are cut when it is more than `most`. */
const peakOf = async (sockets: readonly Socket[], most: number, work: () => Promise<void>): Promise<number> => {
  let peak = rss()
  const watch = setInterval(() => {
    peak = Math.max(peak, rss())
    if (peak > most) for (const socket of sockets) socket.destroy()
  }, 10)
  await work()
  clearInterval(watch)
  return Math.max(peak, rss())
}

/** The 99th percentile of the work that the process does during polls by an honest client, in milliseconds. */
const p99 = async (shop: Shop): Promise<number> => {
  const work: number[] = []
  for (let polls = 0; polls < 100; polls++)
    work.push(await workOf(async () => assert.equal((await shop.get('/payments/currencies')).status, 200)))
  return work.toSorted((a, b) => a - b)[98] ?? 0
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

/** Attacks of a client that pipelines and never reads; each needs no token, or the shop's. */
const unread: readonly (readonly [title: string, path: string, lines: (shop: Shop) => string[]])[] = [
  ['the OpenAPI document', '/openapi.json', () => []],
  ['the OpenAPI document, compressed', '/openapi.json', () => ['Accept-Encoding: br']],
  ["the page's assets", '/assets/accent/aabbcc.css', () => []],
  ['unknown pages', '/x/payment-sbp', () => ['Accept: text/html']],
  ['unknown addresses', '/none', () => []],
  ['a list of banks', '/api/v1/merchant/payments/bankIssuers', (shop) => [`Authorization: Bearer ${shop.token}`]],
]

test('eight connections that pipeline 1,400 requests and read nothing cost no memory, and others do not notice', {
  timeout: 180_000,
}, async () => {
  await withService({ PAYIN_PAGE_RATE_LIMIT: '0' }, async (service) => {
    const shop = await openShop(service)
    // What is made once, at the first request, is not the point.
    for (const coding of ['identity', 'br'])
      await send(service, '/openapi.json', { headers: { 'accept-encoding': coding } })
    await p99(shop)
    const idle = rss()
    /** The p99 of polls next to eight clients that ask this, and the most memory meanwhile. */
    const besides = async (request: string, isRead: boolean) => {
      const sockets = await Promise.all(Array.from({ length: 8 }, () => open(service)))
      let busy = 0
      const peak = await peakOf(sockets, idle * 2 + 400e6, async () => {
        for (const socket of sockets) {
          if (isRead) socket.resume()
          else socket.pause()
          socket.write(request.repeat(1400))
        }
        await sleep(300)
        busy = await p99(shop)
      })
      for (const socket of sockets) socket.destroy()
      return { busy, peak }
    }
    for (const [title, path, lines] of unread) {
      // Garbage is collected at any time; what delays others does so each time.
      for (let tries = 1; ; tries++) {
        const request = get(path, ...lines(shop))
        const quiet = await p99(shop)
        const { busy, peak } = await besides(request, false)
        assert.ok(peak < idle * 2, `${title}: ${Math.round(peak / 1e6)} MB after ${Math.round(idle / 1e6)}`)
        if (busy <= quiet * 3) break
        // Control: clients that read what they ask for.
        const read = await besides(request, true)
        if (busy <= read.busy * 3) break
        assert.ok(tries < 3, `${title}: p99 ${busy} ms, ${quiet} without it, ${read.busy} next to those that read`)
      }
    }
  })
})

test('pipelined requests are answered in their order, and a client that reads gets all of them', async () => {
  await withService({}, async (service) => {
    const socket = await open(service)
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    const paths = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? '/healthz' : `/none-${index}`))
    socket.write(paths.map((path) => get(path)).join(''))
    for (let waited = 0; waited < 200 && text.split('HTTP/1.1 ').length <= 300; waited++) await sleep(50)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    assert.deepEqual(
      statuses,
      paths.map((path) => (path === '/healthz' ? 200 : 404)),
    )
    socket.write(get('/healthz'))
    await once(socket, 'data')
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
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    socket.write(`${get('/readyz')}${poll}not http\r\n\r\n`)
    await once(socket, 'end')
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    assert.equal(statuses[0], 200, text)
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

test('after a client error the connection is gone soon, whether or not the client closes its side', {
  timeout: 60_000,
}, async () => {
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

test('the body that goes on after its answer ends the connection', { timeout: 60_000 }, async () => {
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
  const fill = async (service: TestService): Promise<number> => {
    const sockets = await Promise.all(Array.from({ length: 12 }, () => open(service)))
    await sleep(100)
    const count = await countOf(service)
    for (const socket of sockets) socket.destroy()
    while ((await countOf(service)) > 0) await sleep(10)
    return count
  }
  await withService({ PAYIN_CONNECTIONS_PER_ADDRESS: '5' }, async (service) => {
    assert.equal(await fill(service), 5)
    // What was closed makes room again.
    assert.equal((await send(service, '/healthz')).status, 200)
    assert.equal(service.logs.filter((line) => line.includes('PAYIN_TRUST_PROXY')).length, 1)
  })
  await withService({ PAYIN_CONNECTIONS_PER_ADDRESS: '5', PAYIN_TRUST_PROXY: '127.0.0.0/8' }, async (service) => {
    assert.equal(await fill(service), 12)
  })
  await withService({ PAYIN_CONNECTIONS: '7', PAYIN_CONNECTIONS_PER_ADDRESS: '0' }, async (service) => {
    assert.equal(await fill(service), 7)
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
