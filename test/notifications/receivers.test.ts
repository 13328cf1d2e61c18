// What becomes of a notification, whatever its receiver answers.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { cleanDeliveries } from '../../src/engine/notifications/deliveries/clean-deliveries.ts'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { type Answer, openReceiver } from '../support/receiver.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { runDeliveries } from './pass-time.ts'

const opened = shareService({ environment: notified })

/** How long a receiver that takes all the time it gets is waited for. */
const impatient = { timeoutMs: 300, bodyTimeMs: 300 }

/** Sends a test to a receiver and tells what the log says of the first attempt. */
const tryOnce = async (url: string, times?: typeof impatient) => {
  const service = opened()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const endpoint = await addEndpoint(shop, { url })
  const { eventId } = (await shop.post(`/endpoints/${endpoint.id}/test`, {})).body
  const { context } = service
  const sender = times && createWebhookSender({ clock: context.clock, ...times })
  await runDeliveries({ context: { ...context, webhooks: sender ?? context.webhooks } })
  await sender?.close()
  const delivery = (await shop.get(`/endpoints/${endpoint.id}/deliveries/${eventId}`)).body
  const state = (await shop.get(`/endpoints/${endpoint.id}`)).body
  // What is left waiting would be tried by the other tests, too.
  await shop.patch(`/endpoints/${endpoint.id}`, { enabled: false })
  return { delivery, state, wait: Date.parse(delivery.nextAttemptAt) - service.clock.now, shop, endpoint }
}

const respond =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (_call, response) =>
    void response.writeHead(status, headers).end(body)

const drip: Answer = (_call, response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 50)
  response.on('close', () => clearInterval(timer))
}
const flood: Answer = (_call, response) => {
  response.writeHead(200)
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

/** Title, the answer, and what the delivery is afterwards: its status and what the log says. */
const taken: readonly (readonly [string, Answer, number, times?: typeof impatient])[] = [
  ['200', 200, 200],
  ['204', 204, 204],
  ['299', 299, 299],
  ['200 that drips its body for ever', drip, 200, impatient],
  ['200 that never ends', flood, 200],
  ['200 with a gzip bomb', respond(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))), 200],
]
for (const [title, answer, status, times] of taken) {
  test(`${title}: delivered`, async () => {
    await using receiver = await openReceiver(answer)
    const { delivery, state } = await tryOnce(receiver.url, times)
    assert.equal(delivery.status, 'delivered')
    assert.deepEqual([delivery.log.length, delivery.log[0].status], [1, status])
    assert.ok(delivery.log[0].excerpt.length <= 500)
    assert.equal(state.failingSince, undefined)
    assert.equal(receiver.calls.length, 1)
  })
}

const failing = [300, 301, 302, 307, 308, 400, 401, 404, 409, 418, 422, 500, 502, 503, 504, 599]
test('every other status is tried again, with its excerpt in the log; no redirect is followed', async () => {
  await using canary = await openReceiver()
  for (const status of failing) {
    const body = `\u0000no ${status}\u001b[31m thank you\n`
    await using receiver = await openReceiver(respond(status, { location: canary.url }, body))
    const { delivery, wait, state } = await tryOnce(receiver.url)
    assert.equal(delivery.status, 'pending', `${status}`)
    assert.deepEqual(delivery.log.length, 1)
    assert.deepEqual(
      [delivery.log[0].status, delivery.log[0].excerpt, delivery.log[0].error],
      [status, `no ${status} [31m thank you`, undefined],
    )
    assert.ok(wait >= 5 * second && wait <= 5.6 * second, `${status}: ${wait}`)
    assert.ok(state.failingSince)
  }
  assert.equal(canary.connections(), 0)
})

const waits: readonly (readonly [string, number])[] = [
  ['120', 2 * minute],
  ['-1', 5 * second],
  ['soon', 5 * second],
  ['999999999', 24 * hour],
]
for (const [header, least] of waits) {
  test(`429 with Retry-After: ${header} waits ${least / second} s`, async () => {
    await using receiver = await openReceiver(respond(429, { 'retry-after': header }))
    const { wait } = await tryOnce(receiver.url)
    assert.ok(wait >= least && wait <= least * 1.1 + 1, `${wait}`)
  })
}

test('410: the delivery has failed, the endpoint is disabled, the operator is alerted', async () => {
  const service = opened()
  await using receiver = await openReceiver(410)
  const { delivery, state, shop, endpoint } = await tryOnce(receiver.url)
  assert.equal(delivery.status, 'failed')
  assert.deepEqual([state.enabled, state.disabledReason], [false, 'gone'])
  const alerts = service.logs.filter((line) => line.includes('endpoint-disabled') && line.includes(endpoint.id))
  assert.equal(alerts.length, 1)
  assert.equal((await shop.post(`/endpoints/${endpoint.id}/test`, {})).status, 409)
  receiver.answer = 200
  assert.equal((await shop.patch(`/endpoints/${endpoint.id}`, { enabled: true })).body.enabled, true)
  assert.equal((await shop.post(`/endpoints/${endpoint.id}/test`, {})).status, 202)
  await service.runJobs()
  assert.deepEqual(
    (await deliveriesOf(shop, endpoint.id)).map(({ status }) => status),
    ['delivered', 'failed'],
  )
})

const errorOf = async (url: string, times?: typeof impatient): Promise<string> => {
  const { delivery } = await tryOnce(url, times)
  assert.equal(delivery.status, 'pending')
  assert.equal(delivery.log.length, 1)
  assert.equal(delivery.log[0].status, undefined)
  return delivery.log[0].error
}

const broken: readonly (readonly [string, Answer, string, times?: typeof impatient])[] = [
  ['never answers', () => undefined, 'timeout', impatient],
  ['resets the connection', (_call, _response, request) => void request.socket.resetAndDestroy(), 'connection_lost'],
  ['closes the connection', (_call, _response, request) => void request.socket.destroy(), 'connection_lost'],
  ['speaks no HTTP', (_call, _response, request) => void request.socket.end('hello\r\n\r\n'), 'answer_malformed'],
  [
    'sends endless headers',
    (_call, _response, request) => void request.socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`),
    'answer_malformed',
  ],
  [
    'drips its headers',
    (_call, _response, request) => {
      request.socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => request.socket.write('x: y\r\n'), 50)
      request.socket.on('close', () => clearInterval(timer)).on('error', () => undefined)
    },
    'timeout',
    impatient,
  ],
  ['says "go on" unasked', (_call, response) => response.writeContinue(), 'connection_lost'],
]
for (const [title, answer, error, times] of broken) {
  test(`a receiver that ${title}: ${error}, tried again`, async () => {
    await using receiver = await openReceiver(answer)
    assert.equal(await errorOf(receiver.url, times), error)
  })
}

const listen = async (server: ReturnType<typeof createServer>): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return address === null || typeof address === 'string' ? 0 : address.port
}

test('nobody listens: connection_failed; a server without TLS, or with a certificate of nobody: tls_failed', async () => {
  const plain = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n', () => socket.destroy()))
  })
  const port = await listen(plain)
  assert.equal(await errorOf(`https://127.0.0.1:${port}/`), 'tls_failed')
  plain.close()
  await once(plain, 'close')
  assert.equal(await errorOf(`http://127.0.0.1:${port}/`), 'connection_failed')
  // Without any certificate that both know the handshake fails, whatever the client would accept.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tls = createTlsServer({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
  tls.on('tlsClientError', (_error, socket) => socket.destroy())
  assert.equal(await errorOf(`https://127.0.0.1:${await listen(tls)}/`), 'tls_failed')
  tls.close()
})

test('an endpoint that fails for five days is disabled, with an alert', async () => {
  const service = opened()
  await using receiver = await openReceiver(500)
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const endpoint = await addEndpoint(shop, { url: receiver.url })
  const sendTest = async (from: Shop) => from.post(`/endpoints/${endpoint.id}/test`, {})
  for (let hours = 0; hours <= 121; hours += 11) {
    await sendTest(shop)
    await service.runJobs()
    service.clock.advance(11 * hour)
  }
  const { enabled, disabledReason } = (await shop.get(`/endpoints/${endpoint.id}`)).body
  assert.deepEqual([enabled, disabledReason], [false, 'failing'])
  assert.ok(service.logs.some((line) => line.includes('endpoint-disabled') && line.includes('failing')))
  // Enabled again, it has five days again.
  await shop.patch(`/endpoints/${endpoint.id}`, { enabled: true })
  await sendTest(shop)
  await service.runJobs()
  assert.equal((await shop.get(`/endpoints/${endpoint.id}`)).body.enabled, true)
  await shop.patch(`/endpoints/${endpoint.id}`, { enabled: false })
})

test('what is redelivered goes at once, also to an endpoint that has asked for a long pause', async () => {
  const service = opened()
  let calls = 0
  await using receiver = await openReceiver((_call, response) => {
    const isBusy = calls++ === 0
    response.writeHead(isBusy ? 503 : 204, isBusy ? { 'retry-after': '86400' } : {}).end()
  })
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const endpoint = await addEndpoint(shop, { url: receiver.url })
  const { eventId } = (await shop.post(`/endpoints/${endpoint.id}/test`, {})).body
  await service.runJobs()
  await shop.post(`/endpoints/${endpoint.id}/deliveries/${eventId}/redeliver`, {})
  await service.runJobs()
  const [delivery] = await deliveriesOf(shop, endpoint.id)
  assert.equal(delivery?.status, 'delivered')
})

test('deliveries are deleted when they are old, but not those that an endpoint is still to get', async () => {
  const service = opened()
  await using receiver = await openReceiver(503)
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const waiting = await addEndpoint(shop, { url: receiver.url })
  await shop.post(`/endpoints/${waiting.id}/test`, {})
  await service.runJobs()
  await using healthy = await openReceiver()
  const served = await addEndpoint(shop, { url: healthy.url })
  await shop.post(`/endpoints/${served.id}/test`, {})
  await service.runJobs()
  service.clock.advance(31 * day)
  await cleanDeliveries(service.context)
  assert.deepEqual(await deliveriesOf(shop, served.id), [])
  assert.equal((await deliveriesOf(shop, waiting.id))[0]?.status, 'pending')
  await shop.patch(`/endpoints/${waiting.id}`, { enabled: false })
  await cleanDeliveries(service.context)
  assert.deepEqual(await deliveriesOf(shop, waiting.id), [])
})
