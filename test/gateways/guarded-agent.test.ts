// Connections to receivers: how long they stay.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createGuardedAgent } from '../../src/gateways/guarded-agent.ts'

test('a receiver that proposes to keep its connection for an hour keeps it no longer than others', async () => {
  const server = createServer((_request, response) => response.writeHead(204, { 'keep-alive': 'timeout=3600' }).end())
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resolve = (): never => assert.fail('an address is not looked up')
  const agent = createGuardedAgent('loopback', 1000, resolve, 50)
  const connected = once(server, 'connection')
  const { statusCode } = await agent.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' })
  assert.equal(statusCode, 204)
  const [socket] = await connected
  if (!socket.destroyed) await once(socket, 'close', { signal: AbortSignal.timeout(5000) })
  await agent.close()
  server.close()
})
