// Connections to receivers: how long they stay.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { test } from 'node:test'
import { createGuardedAgent } from '../../src/gateways/guarded-agent.ts'
import { createWebClient } from '../../src/gateways/web-client.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'

test('a receiver that proposes to keep its connection for an hour keeps it no longer than others', async () => {
  const server = createServer((_request, response) => response.writeHead(204, { 'keep-alive': 'timeout=3600' }).end())
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resolve = (): never => assert.fail('an address is not looked up')
  const agent = await createGuardedAgent('loopback', 1000, resolve, 50)
  const connected = once(server, 'connection')
  const { statusCode } = await agent.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' })
  assert.equal(statusCode, 204)
  const [socket] = await connected
  if (!socket.destroyed) await once(socket, 'close', { signal: AbortSignal.timeout(5000) })
  await agent.close()
  server.close()
})

test('a receiver that sends interim answers without end is given up at once; a few of them change nothing', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  let times = 0
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const flood = (): void => {
        while (times === Infinity && socket.writable && socket.write(interim.repeat(1000)));
      }
      if (times < Infinity)
        return socket.end(`${interim.repeat(times)}HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n`)
      socket.on('drain', flood)
      return flood()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reach: 'loopback' } as const
  const options = { clock: Date.now, timeoutMs: 30_000 }
  const web = createWebClient(options)
  const webhooks = createWebhookSender(options)
  const ask = async () => {
    const got = await web.request({ ...request, method: 'GET', headers: {}, maxBytes: 100 })
    const sent = await webhooks.send({ ...request, keys: [], id: 'x', body: '{}', traceparent: 'x' })
    return ['error' in got ? got.error : got.status, sent.error ?? sent.httpStatus]
  }
  try {
    times = 3
    assert.deepEqual(await ask(), [204, 204])
    times = Infinity
    // At the end of the time it would be another error.
    assert.deepEqual(await ask(), ['answer_malformed', 'answer_malformed'])
  } finally {
    await Promise.all([web.close(), webhooks.close()])
    server.close()
  }
})
